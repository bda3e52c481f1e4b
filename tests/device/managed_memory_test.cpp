// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/errors.hpp"
#include "device/allocator.hpp"
#include "device/interchange.hpp"
#include "device/storage_attachment.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using managed_memory_test = Rehearsed;
using cuda::Api;

constexpr std::size_t mib = std::size_t{1} << 20;

TEST_F(managed_memory_test, it_is_memory_of_its_device_that_records_uses) {
  for (const Device device : {cuda0, cuda1}) {
    for (const std::size_t nbytes : {std::size_t{0}, mib}) {
      const StorageRef block = allocate_managed(device, nbytes);
      EXPECT_EQ(block->device(), device);
      EXPECT_TRUE(is_managed(*block));
      EXPECT_FALSE(is_pinned(*block));
      EXPECT_NE(stream_uses(*block), nullptr);
    }
  }
  EXPECT_THROW(static_cast<void>(allocate_managed(cpu0, 1)), ValueError);
  const StorageRef block = allocate_managed(cuda1, mib);
  const PointerInfo pointer_info = inspect_pointer(block->data() + 1);
  EXPECT_EQ(pointer_info.kind, PointerKind::managed);
  EXPECT_EQ(pointer_info.ordinal, 1);
  EXPECT_EQ(pointer_info.allocation, block->data());
}

TEST_F(managed_memory_test, foreign_memory_can_be_managed) {
  int value = 0;
  const StorageRef foreign =
      adopt(cuda0, {.data = &value, .nbytes = sizeof value, .managed = true});
  EXPECT_TRUE(is_managed(*foreign));
  EXPECT_FALSE(is_managed(*adopt(cuda0, {.data = &value, .nbytes = sizeof value})));
}

TEST_F(managed_memory_test, freed_blocks_are_cached_apart_from_others) {
  if (selected_allocator() != Allocator::pool) GTEST_SKIP() << "nothing is cached";
  StorageRef managed_block = allocate_managed(cuda0, mib);
  StorageRef device_block = allocate(cuda0, mib);
  char* const managed_data = managed_block->data();
  char* const device_data = device_block->data();
  managed_block = {};
  device_block = {};
  const std::uint64_t allocated = rehearsal::calls(&Api::allocate_managed);
  // In this order, as a cache returns the block that was freed last.
  managed_block = allocate_managed(cuda0, mib);
  device_block = allocate(cuda0, mib);
  EXPECT_EQ(device_block->data(), device_data);
  EXPECT_EQ(managed_block->data(), managed_data);
  EXPECT_EQ(rehearsal::calls(&Api::allocate_managed), allocated);
}

TEST_F(managed_memory_test, trim_returns_it) {
  const std::size_t live = rehearsal::live_blocks(-1);
  static_cast<void>(allocate_managed(cuda0, mib));
  trim(cuda0);
  EXPECT_EQ(rehearsal::live_blocks(-1), live);
}

TEST_F(managed_memory_test, the_host_waits_for_all_uses) {
  const StorageRef block = allocate_managed(cuda0, mib);
  const StorageRef source = allocate(cuda0, mib);
  const Stream side = Stream::create(cuda0);
  rehearsal::set_delay(20000);
  set_current_stream(side);
  copy_bytes(block, 0, source, 0, mib);
  set_current_stream(Stream(cuda0));
  make_ready_on_host(block);
  EXPECT_TRUE(side.idle());
}

TEST_F(managed_memory_test, it_may_exceed_the_memory_of_the_device) {
  rehearsal::set_memory(mib);
  EXPECT_EQ(allocate_managed(cuda0, 4 * mib)->nbytes(), 4 * mib);
  rehearsal::set_memory(std::size_t{8} << 30);
}

/// Allocates, writes on the device, reads on the host, frees.
int round_trip(const StorageRef& source) {
  const StorageRef block = allocate_managed(cuda0, sizeof(int));
  copy_bytes(block, 0, source, 0, sizeof(int));
  make_ready_on_host(block);
  int value = 0;
  std::memcpy(&value, block->data(), sizeof value);
  return value;
}

TEST_F(managed_memory_test, failed_calls_lose_nothing) {
  const StorageRef source = allocate_managed(cuda0, sizeof(int));
  make_ready_on_host(source);
  *reinterpret_cast<int*>(source->data()) = 7;
  trim(cuda0);
  const std::size_t live = rehearsal::live_blocks(-1);
  const std::size_t live_bytes = statistics(cuda0).live_bytes;
  for (const int code : {cuda::memory_allocation, cuda::invalid_value}) {
    bool is_complete = false;
    for (std::uint64_t k = 1; !is_complete; ++k) {
      ASSERT_LT(k, 200u);
      rehearsal::fail_call(k, code);
      try {
        ASSERT_EQ(round_trip(source), 7);
        is_complete = rehearsal::calls() < k;
      } catch (const DeviceError&) {
      } catch (const OutOfMemoryError&) {
      }
      rehearsal::clear();
      trim(cuda0);
      EXPECT_EQ(rehearsal::live_blocks(-1), live) << k;
      EXPECT_EQ(statistics(cuda0).live_bytes, live_bytes) << k;
    }
  }
}

}  // namespace
}  // namespace skerry
