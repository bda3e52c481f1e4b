// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/transfer.hpp"

#include <cstring>
#include <numeric>
#include <vector>

#include "core/errors.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using transfer_test = Rehearsed;

std::vector<unsigned char> pattern(std::size_t nbytes) {
  std::vector<unsigned char> bytes(nbytes);
  for (std::size_t i = 0; i < nbytes; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return bytes;
}

StorageRef filled(Device device, const std::vector<unsigned char>& bytes) {
  const StorageRef host = allocate(cpu0, bytes.size());
  std::memcpy(host->data(), bytes.data(), bytes.size());
  if (device == cpu0) return host;
  const StorageRef device_block = allocate(device, bytes.size());
  copy_bytes(device_block, 0, host, 0, bytes.size());
  return device_block;
}

std::vector<unsigned char> contents(const StorageRef& block) {
  std::vector<unsigned char> bytes(block->nbytes());
  read_bytes(bytes.data(), block, 0, bytes.size());
  return bytes;
}

TEST_F(transfer_test, bytes_arrive_between_all_pairs_of_devices) {
  // Around the size of a staging chunk, and more than three chunks.
  constexpr std::size_t chunk = std::size_t{4} << 20;
  for (const std::size_t nbytes :
       {std::size_t{1}, std::size_t{4097}, chunk - 1, chunk, chunk + 1, 3 * chunk + 5}) {
    const auto bytes = pattern(nbytes);
    for (const Device source_device : {cpu0, cuda0, cuda1}) {
      const StorageRef source = filled(source_device, bytes);
      for (const Device destination_device : {cpu0, cuda0, cuda1}) {
        const StorageRef target = allocate(destination_device, nbytes);
        copy_bytes(target, 0, source, 0, nbytes);
        EXPECT_EQ(contents(target), bytes)
            << to_string(source_device) << " to " << to_string(destination_device);
      }
    }
  }
}

TEST_F(transfer_test, parts_are_copied_at_their_offsets) {
  const auto bytes = pattern(1000);
  const StorageRef source = filled(cuda0, bytes);
  const StorageRef target = filled(cuda1, std::vector<unsigned char>(1000, 0));
  copy_bytes(target, 100, source, 500, 300);
  const auto got = contents(target);
  EXPECT_EQ(got[99], 0);
  EXPECT_TRUE(std::equal(bytes.begin() + 500, bytes.begin() + 800, got.begin() + 100));
  EXPECT_EQ(got[400], 0);
}

TEST_F(transfer_test, ranges_outside_a_storage_are_rejected) {
  const StorageRef small = allocate(cuda0, 10);
  const StorageRef large = allocate(cpu0, 100);
  EXPECT_THROW(copy_bytes(small, 0, large, 0, 11), ValueError);
  EXPECT_THROW(copy_bytes(large, 95, small, 0, 10), ValueError);
  EXPECT_THROW(copy_bytes(large, SIZE_MAX, small, 0, 2), ValueError);
  int value = 0;
  EXPECT_THROW(read_bytes(&value, small, 8, sizeof value), ValueError);
}

TEST_F(transfer_test, a_pageable_source_may_be_changed_at_once) {
  const auto bytes = pattern(5000);
  const StorageRef source = filled(cpu0, bytes);
  const StorageRef target = allocate(cuda0, 5000);
  rehearsal::set_delay(10'000);
  copy_bytes(target, 0, source, 0, 5000);
  std::memset(source->data(), 0, 5000);
  EXPECT_EQ(contents(target), bytes);
}

TEST_F(transfer_test, a_pinned_source_may_be_changed_at_once) {
  const auto bytes = pattern(5000);
  const StorageRef source = allocate_pinned(cpu0, 5000);
  std::memcpy(source->data(), bytes.data(), bytes.size());
  const StorageRef target = allocate(cuda0, 5000);
  rehearsal::set_delay(10'000);
  copy_bytes(target, 0, source, 0, 5000);
  std::memset(source->data(), 0, 5000);
  EXPECT_EQ(contents(target), bytes);
  const StorageRef back = allocate_pinned(cpu0, 5000);
  copy_bytes(back, 0, target, 0, 5000);
  EXPECT_EQ(contents(back), bytes);
}

TEST_F(transfer_test, copies_wait_for_the_source_and_later_work_for_copies) {
  const StorageRef source = allocate(cuda0, sizeof(int));
  const StorageRef target = allocate(cuda1, sizeof(int));
  const StorageRef result = allocate(cuda1, sizeof(int));
  set_current_stream(Stream::create(cuda0));
  set_current_stream(Stream::create(cuda1));
  store(source, 1);
  rehearsal::set_delay(10'000);
  store(source, 2);
  copy_bytes(target, 0, source, 0, sizeof(int));
  rehearsal::set_delay(0);
  store(source, 3);  // must not overtake the copy
  load(result, target);
  EXPECT_EQ(read_int(result), 2);
  EXPECT_EQ(read_int(source), 3);
}

TEST_F(transfer_test, bytes_moved_are_counted) {
  const TransferStatistics transfers_before = transfers();
  const StorageRef device_block = filled(cuda0, pattern(1000));
  const StorageRef other = allocate(cuda1, 1000);
  copy_bytes(other, 0, device_block, 0, 1000);
  static_cast<void>(contents(other));
  const TransferStatistics transfers_after = transfers();
  EXPECT_EQ(transfers_after.host_to_device_bytes - transfers_before.host_to_device_bytes, 1000u);
  EXPECT_EQ(transfers_after.device_to_device_bytes - transfers_before.device_to_device_bytes,
            1000u);
  EXPECT_EQ(transfers_after.device_to_host_bytes - transfers_before.device_to_host_bytes, 1000u);
  EXPECT_EQ(transfers_after.count - transfers_before.count, 3u);
}

TEST_F(transfer_test, peers_copy_directly) {
  const StorageRef source = filled(cuda0, pattern(100));
  const StorageRef target = allocate(cuda1, 100);
  const std::uint64_t direct = rehearsal::direct_copies();
  const std::uint64_t staged = rehearsal::staged_copies();
  copy_bytes(target, 0, source, 0, 100);
  synchronize(cuda1);
  EXPECT_EQ(rehearsal::direct_copies() - direct, 1u);
  EXPECT_EQ(rehearsal::staged_copies(), staged);
}

}  // namespace
}  // namespace skerry
