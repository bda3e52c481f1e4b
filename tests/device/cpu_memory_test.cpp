// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/errors.hpp"
#include "device/cpu/blocks.hpp"
#include "device/memory.hpp"

namespace skerry {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Returns a separate logical device for each test, so that counts start at zero.
int new_device_index() {
  static int next = 20;
  return next++;
}

const std::vector<std::size_t> sizes = {1,
                                        8,
                                        63,
                                        64,
                                        65,
                                        1023,
                                        1024,
                                        1025,
                                        4095,
                                        4096,
                                        10000,
                                        100003,
                                        mebibyte - 1,
                                        mebibyte,
                                        mebibyte + 1,
                                        2 * mebibyte,
                                        5 * mebibyte + 3};

TEST(cpu_memory, data_is_aligned_and_writable_over_its_whole_length) {
  const int index = new_device_index();
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t nbytes : sizes) {
      const StorageRef block = cpu::allocate(index, nbytes);
      const auto address = reinterpret_cast<std::uintptr_t>(block->data());
      EXPECT_EQ(address % (nbytes > mebibyte ? 2 * mebibyte : 64), 0u) << nbytes;
      EXPECT_EQ(block->nbytes(), nbytes);
      EXPECT_EQ(block->device(), (Device{DeviceKind::cpu, static_cast<std::int16_t>(index)}));
      EXPECT_FALSE(is_pinned(*block));
      std::memset(block->data(), 0x5a, nbytes);
    }
  }
}

TEST(cpu_memory, zero_bytes_give_a_null_pointer) {
  const int index = new_device_index();
  const StorageRef block = cpu::allocate(index, 0);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->data(), nullptr);
  EXPECT_EQ(block->nbytes(), 0u);
  EXPECT_EQ(cpu::statistics(index).live_bytes, 0u);
  EXPECT_EQ(cpu::statistics(index).live_blocks, 1u);
}

TEST(cpu_memory, blocks_in_use_do_not_overlap) {
  const int index = new_device_index();
  std::vector<StorageRef> blocks;
  for (int i = 0; i < 500; ++i) {
    const std::size_t nbytes = sizes[static_cast<std::size_t>(i) % 12];
    blocks.push_back(cpu::allocate(index, nbytes));
    std::memset(blocks.back()->data(), i & 0xff, nbytes);
    if (i % 3 == 2) blocks.erase(blocks.begin() + i / 3);
  }
  for (const StorageRef& block : blocks) {
    const char first = block->data()[0];
    for (std::size_t i = 0; i < block->nbytes(); ++i) ASSERT_EQ(block->data()[i], first);
  }
}

TEST(cpu_memory, every_size_has_a_class_that_holds_it_and_wastes_little) {
  for (std::size_t n = cpu::max_small_bytes + 1; n <= cpu::min_large_bytes;
       n += n < 70000 ? 1 : 977) {
    const int bin = cpu::medium_bin(n);
    ASSERT_GE(bin, 0);
    ASSERT_LT(bin, cpu::medium_bins);
    const std::size_t capacity = cpu::medium_capacity(bin);
    ASSERT_GE(capacity, n);
    ASSERT_LE(capacity - n, n / 8);
    ASSERT_EQ(cpu::medium_bin(capacity), bin);
    ASSERT_EQ(capacity % 64, 0u);
  }
}

TEST(cpu_memory, counts_are_exact_and_separate_for_each_device) {
  const int a = new_device_index();
  const int b = new_device_index();
  {
    const StorageRef small = cpu::allocate(a, 100);
    const StorageRef medium = cpu::allocate(a, 4096);
    const StorageRef large = cpu::allocate(a, 3 * mebibyte);
    const MemoryStatistics now = cpu::statistics(a);
    EXPECT_EQ(now.live_bytes, 128 + 4096 + 3 * mebibyte);
    EXPECT_EQ(now.live_blocks, 3u);
    EXPECT_EQ(now.allocations, 3u);
    EXPECT_EQ(now.system_allocations, 3u);
    EXPECT_EQ(now.cached_bytes, 0u);
    EXPECT_EQ(cpu::statistics(b).live_blocks, 0u);
    EXPECT_EQ(cpu::statistics(b).allocations, 0u);
  }
  const MemoryStatistics now = cpu::statistics(a);
  EXPECT_EQ(now.live_bytes, 0u);
  EXPECT_EQ(now.live_blocks, 0u);
  EXPECT_EQ(now.peak_bytes, 128 + 4096 + 3 * mebibyte);
  EXPECT_EQ(now.cached_bytes, now.peak_bytes);
}

TEST(cpu_memory, peak_of_one_thread_is_exact) {
  const int index = new_device_index();
  {
    std::vector<StorageRef> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(cpu::allocate(index, 1024));
  }
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 1000u * 1024);
  cpu::reset_peak(index);
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 0u);
  {
    const StorageRef small = cpu::allocate(index, 640);
  }
  {
    const StorageRef medium = cpu::allocate(index, 2048);
  }
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 2048u);
  const StorageRef medium = cpu::allocate(index, 2048);
  {
    const StorageRef small = cpu::allocate(index, 640);
  }
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 2048u + 640);
}

TEST(cpu_memory, a_released_block_is_reused) {
  const int index = new_device_index();
  for (const std::size_t nbytes : sizes) {
    cpu::trim(index);
    const char* first = cpu::allocate(index, nbytes)->data();
    const std::uint64_t allocations_before = cpu::statistics(index).system_allocations;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(cpu::allocate(index, nbytes)->data(), first) << nbytes;
    EXPECT_EQ(cpu::statistics(index).system_allocations, allocations_before) << nbytes;
  }
}

TEST(cpu_memory, trim_releases_all_cached_blocks) {
  const int index = new_device_index();
  for (const std::size_t nbytes : sizes) static_cast<void>(cpu::allocate(index, nbytes));
  const std::size_t cached = cpu::statistics(index).cached_bytes;
  EXPECT_GT(cached, 8 * mebibyte);
  EXPECT_EQ(cpu::trim(index), cached);
  EXPECT_EQ(cpu::statistics(index).cached_bytes, 0u);
  EXPECT_EQ(cpu::trim(index), 0u);
}

TEST(cpu_memory, release_on_another_thread_is_charged_to_the_right_device) {
  const int index = new_device_index();
  std::vector<StorageRef> blocks;
  for (int i = 0; i < 2000; ++i) blocks.push_back(cpu::allocate(index, sizes[i % 12u]));
  std::thread([&] { blocks.clear(); }).join();
  EXPECT_EQ(cpu::statistics(index).live_bytes, 0u);
  EXPECT_EQ(cpu::statistics(index).live_blocks, 0u);
  EXPECT_EQ(cpu::statistics(index).allocations, 2000u);
}

TEST(cpu_memory, arrays_outlive_the_thread_that_made_them) {
  const int index = new_device_index();
  std::vector<StorageRef> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(cpu::allocate(index, 512));
    for (int i = 0; i < 50; ++i) blocks.pop_back();
  }).join();
  EXPECT_EQ(cpu::statistics(index).live_bytes, 50u * 512);
  EXPECT_EQ(cpu::statistics(index).live_blocks, 50u);
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 100u * 512);
  EXPECT_EQ(cpu::statistics(index).cached_bytes, 0u) << "the thread's cache was released with it";
  blocks.clear();
  EXPECT_EQ(cpu::statistics(index).live_bytes, 0u);
}

/// Releases after the thread's cache is gone: key destructors run after those of thread_local
/// objects, and this key was created after the cache's.
TEST(cpu_memory, blocks_can_be_released_and_allocated_during_thread_exit) {
  static int index;
  index = new_device_index();
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void* raw) {
                                 delete static_cast<StorageRef*>(raw);
                                 static_cast<void>(cpu::allocate(index, 100));
                               }),
            0);
  std::thread([&] { pthread_setspecific(key, new StorageRef(cpu::allocate(index, 200))); }).join();
  pthread_key_delete(key);
  EXPECT_EQ(cpu::statistics(index).live_blocks, 0u);
  EXPECT_EQ(cpu::statistics(index).allocations, 2u);
  EXPECT_EQ(cpu::statistics(index).cached_bytes, 0u);
}

TEST(cpu_memory, counts_are_exact_after_threads_exchanged_blocks) {
  const int index = new_device_index();
  std::mutex mutex;
  std::vector<StorageRef> exchange(64);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 5000; ++i) {
        StorageRef block = cpu::allocate(index, sizes[(i + t) % 11]);
        block->data()[0] = static_cast<char>(i);
        const std::lock_guard lock(mutex);
        std::swap(exchange[(i * 7 + t) % 64], block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  exchange.clear();
  const MemoryStatistics now = cpu::statistics(index);
  EXPECT_EQ(now.live_bytes, 0u);
  EXPECT_EQ(now.live_blocks, 0u);
  EXPECT_EQ(now.allocations, 20000u);
}

class WithLimit : public testing::TestWithParam<std::size_t> {};

TEST_P(WithLimit, exceeding_it_throws_out_of_memory_and_leaks_nothing) {
  const std::size_t nbytes = GetParam();
  const int index = new_device_index();
  std::vector<StorageRef> blocks;
  cpu::set_memory_limit(index, 10 * nbytes);
  for (int i = 0; i < 10; ++i) blocks.push_back(cpu::allocate(index, nbytes));
  const MemoryStatistics statistics_before = cpu::statistics(index);
  EXPECT_EQ(statistics_before.live_bytes, 10 * nbytes);
  try {
    static_cast<void>(cpu::allocate(index, nbytes));
    FAIL() << "more than the limit was allocated";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.requested(), nbytes);
    EXPECT_EQ(error.device(), (Device{DeviceKind::cpu, static_cast<std::int16_t>(index)}));
    EXPECT_NE(std::string(error.what()).find("limit"), std::string::npos);
  }
  EXPECT_EQ(cpu::statistics(index).live_bytes, statistics_before.live_bytes);
  EXPECT_EQ(cpu::statistics(index).live_blocks, statistics_before.live_blocks);
  EXPECT_EQ(cpu::statistics(index).peak_bytes, statistics_before.peak_bytes);
  blocks.pop_back();
  EXPECT_NO_THROW(blocks.push_back(cpu::allocate(index, nbytes)));
  blocks.clear();
  // Cached blocks are released to make space for another size.
  EXPECT_NO_THROW(static_cast<void>(cpu::allocate(index, 5 * nbytes)));
}

TEST_P(WithLimit, lowering_it_below_usage_rejects_cached_blocks_too) {
  const std::size_t nbytes = GetParam();
  const int index = new_device_index();
  const StorageRef held_block = cpu::allocate(index, nbytes);
  {
    const StorageRef cached = cpu::allocate(index, nbytes);
  }
  cpu::set_memory_limit(index, nbytes);
  EXPECT_THROW(static_cast<void>(cpu::allocate(index, nbytes)), OutOfMemoryError);
  cpu::set_memory_limit(index, SIZE_MAX);
  EXPECT_NO_THROW(static_cast<void>(cpu::allocate(index, nbytes)));
}

INSTANTIATE_TEST_SUITE_P(sizes, WithLimit, testing::Values(64, 1024, 4096, 65536, 4 * mebibyte));

TEST(cpu_memory, concurrent_threads_stay_within_the_limit) {
  const int index = new_device_index();
  cpu::set_memory_limit(index, 100 * 1024);
  std::atomic<int> over{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        std::vector<StorageRef> blocks;
        try {
          for (;;) blocks.push_back(cpu::allocate(index, i % 2 == 0 ? 1024 : 4096));
        } catch (const OutOfMemoryError&) {
        }
        const MemoryStatistics now = cpu::statistics(index);
        if (now.live_bytes + now.cached_bytes > 100 * 1024) ++over;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(over, 0);
  EXPECT_EQ(cpu::statistics(index).live_bytes, 0u);
}

TEST(cpu_memory, statistics_under_a_limit_count_each_block_once) {
  const int index = new_device_index();
  constexpr std::size_t limit = std::size_t{2} * 60 * 1024;
  cpu::set_memory_limit(index, limit);
  std::atomic<int> refused{0};
  std::atomic<int> running{2};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      std::vector<StorageRef> blocks(60);
      for (int i = 0; i < 2000; ++i) {
        try {
          for (StorageRef& block : blocks) block = cpu::allocate(index, 1024);
        } catch (const OutOfMemoryError&) {
          ++refused;
        }
        // Many releases in a row, so that another thread reads statistics during one.
        for (StorageRef& block : blocks) block = {};
      }
      --running;
    });
  }
  int over = 0;
  while (running > 0) {
    const MemoryStatistics now = cpu::statistics(index);
    if (now.live_bytes + now.cached_bytes > limit) ++over;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(over, 0);
  EXPECT_EQ(refused, 0) << "the threads' maximum fits";
}

TEST(cpu_memory, impossible_sizes_fail_without_releasing_the_cache) {
  const int index = new_device_index();
  {
    const StorageRef cached = cpu::allocate(index, 4 * mebibyte);
  }
  const std::size_t huge[] = {SIZE_MAX, SIZE_MAX - 63, static_cast<std::size_t>(PTRDIFF_MAX) + 1,
                              PTRDIFF_MAX, std::size_t{1} << 47};
  for (const std::size_t nbytes : huge) {
    EXPECT_THROW(static_cast<void>(cpu::allocate(index, nbytes)), OutOfMemoryError) << nbytes;
  }
  EXPECT_EQ(cpu::statistics(index).cached_bytes, 4 * mebibyte);
  EXPECT_EQ(cpu::statistics(index).live_blocks, 0u);
}

TEST(cpu_memory, a_failed_system_allocation_is_a_typed_error) {
  const int index = new_device_index();
  EXPECT_THROW(static_cast<void>(cpu::allocate(index, std::size_t{1} << 45)), OutOfMemoryError);
  EXPECT_EQ(cpu::statistics(index).live_bytes, 0u);
  EXPECT_EQ(cpu::statistics(index).peak_bytes, 0u);
}

}  // namespace
}  // namespace skerry
