// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.hpp"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using staging_test = Rehearsed;

constexpr std::size_t chunk = cuda::Staging::chunk_bytes;

/// Adopts foreign host memory, which is staged through chunks.
StorageRef foreign(std::vector<unsigned char>& bytes) {
  return adopt(cpu0, bytes.data(), bytes.size(), false, nullptr, nullptr);
}

std::vector<unsigned char> pattern(std::size_t nbytes, unsigned seed) {
  std::vector<unsigned char> bytes(nbytes);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < nbytes; i += 64) bytes[i] = static_cast<unsigned char>(random());
  if (nbytes != 0) bytes[nbytes - 1] = static_cast<unsigned char>(seed | 1);
  return bytes;
}

void there_and_back(std::size_t nbytes, unsigned seed) {
  auto source = pattern(nbytes, seed);
  const auto expected = source;
  const StorageRef device_block = allocate(cuda0, nbytes);
  copy_bytes(device_block, 0, foreign(source), 0, nbytes);
  std::fill(source.begin(), source.end(), 0);  // the source was already read
  std::vector<unsigned char> back(nbytes);
  copy_bytes(foreign(back), 0, device_block, 0, nbytes);
  ASSERT_TRUE(back == expected) << nbytes;
}

TEST_F(staging_test, odd_sizes_are_copied_completely) {
  for (const std::size_t nbytes :
       {std::size_t{1}, std::size_t{63}, std::size_t{65'535}, std::size_t{65'536},
        std::size_t{65'537}, chunk / 8 + 1, chunk - 1, chunk, chunk + 1, 4 * chunk - 3,
        4 * chunk + 4097, 11 * chunk + 13}) {
    there_and_back(nbytes, static_cast<unsigned>(nbytes));
  }
}

TEST_F(staging_test, bytes_arrive_with_any_delay_and_from_several_threads_and_streams) {
  std::atomic<bool> done{false};
  std::thread delays([&] {
    std::mt19937 random(1);
    while (!done) {
      rehearsal::set_delay(static_cast<int>(random() % 400));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  std::vector<std::thread> users;
  for (unsigned user = 0; user < 3; ++user) {
    users.emplace_back([user] {
      set_current_stream(Stream::create(cuda0));
      std::mt19937 random(user);
      for (unsigned i = 0; i < 25; ++i) {
        const std::size_t max_nbytes = i % 5 == 0 ? 3 * chunk : 70'000;
        there_and_back(1 + random() % max_nbytes, user * 100 + i);
      }
    });
  }
  for (std::thread& thread : users) thread.join();
  done = true;
  delays.join();
}

TEST_F(staging_test, small_transfers_do_not_wait_for_each_other) {
  std::vector<unsigned char> bytes(1000, 1);
  const StorageRef source = foreign(bytes);
  const StorageRef device_block = allocate(cuda0, 100'000);
  copy_bytes(device_block, 0, source, 0, 1000);
  synchronize(cuda0);
  rehearsal::set_delay(20'000);
  const std::uint64_t waits = rehearsal::calls(&cuda::Api::event_synchronize);
  for (std::size_t i = 0; i < 100; ++i) {
    std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(i));
    copy_bytes(device_block, i * 1000, source, 0, 1000);
  }
  EXPECT_LE(rehearsal::calls(&cuda::Api::event_synchronize), waits + 1);
  rehearsal::set_delay(0);
  std::vector<unsigned char> back(100'000);
  read_bytes(back.data(), device_block, 0, back.size());
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], i / 1000) << i;
}

/// Fails the k-th call of a transfer through several chunks, for each k, and checks the state after
/// each.
template <class Transfer>
int fail_each_call(Transfer&& transfer) {
  for (int k = 1;; ++k) {
    rehearsal::fail_call(static_cast<std::uint64_t>(k), cuda::invalid_value);
    bool failed = false;
    try {
      transfer();
    } catch (const DeviceError&) {
      failed = true;
    }
    const bool was_met = rehearsal::calls() >= static_cast<std::uint64_t>(k);
    rehearsal::clear();
    if (!was_met) return k - 1;
    EXPECT_EQ(rehearsal::calls_table()->get_last_error(), cuda::success) << k;
    if (failed) there_and_back(2 * chunk + 7, static_cast<unsigned>(k));  // still works
    if (k > 200) return -1;
  }
}

TEST_F(staging_test, a_failure_in_a_transfer_leaves_staging_usable_and_leaks_nothing) {
  there_and_back(6 * chunk, 1);  // allocates all chunks
  const std::size_t pinned = rehearsal::live_blocks(-1);
  const std::size_t live = statistics(cuda0).live_bytes;
  auto source = pattern(6 * chunk + 5, 2);
  std::vector<unsigned char> back(source.size());
  rehearsal::set_delay(50);
  EXPECT_GE(fail_each_call([&] {
              const StorageRef device_block = allocate(cuda0, source.size());
              copy_bytes(device_block, 0, foreign(source), 0, source.size());
            }),
            14);
  const StorageRef device_block = allocate(cuda0, source.size());
  copy_bytes(device_block, 0, foreign(source), 0, source.size());
  EXPECT_GE(fail_each_call([&] { copy_bytes(foreign(back), 0, device_block, 0, back.size()); }),
            14);
  EXPECT_TRUE(back == source);
  EXPECT_EQ(rehearsal::live_blocks(-1), pinned);
  EXPECT_LE(statistics(cuda0).live_bytes,
            live + device_block->nbytes() + device_block->nbytes() / 32);
}

TEST_F(staging_test, chunks_are_written_in_place) {
  const StorageRef device_block = allocate(cuda0, 3 * chunk);
  rehearsal::set_delay(200);
  {
    Upload upload(device_block, cpu0, device_block->nbytes());
    for (std::size_t i = 0; i < 3; ++i) {
      std::memset(upload.buffer(chunk), static_cast<int>(i) + 1, chunk);
      upload.send(i * chunk, chunk);
    }
    EXPECT_THROW(upload.send(3 * chunk, 1), ValueError);
  }
  std::vector<unsigned char> back(3 * chunk);
  read_bytes(back.data(), device_block, 0, back.size());
  for (std::size_t i = 0; i < back.size(); i += 1000) ASSERT_EQ(back[i], i / chunk + 1) << i;
}

}  // namespace
}  // namespace skerry
