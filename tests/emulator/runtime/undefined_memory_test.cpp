// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/undefined_memory.hpp"

#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

constexpr int host_to_device = 1;
constexpr int device_to_device = 3;
constexpr std::uint32_t none = 0;
constexpr std::uint32_t all = 0xffffffff;

std::uint32_t bits_of(const std::uint32_t* data) {
  std::uint32_t bits = 0x5555;
  const std::byte* const shadow = undefined_memory_bits(reinterpret_cast<std::uint64_t>(data));
  EXPECT_NE(shadow, nullptr);
  if (shadow != nullptr) std::memcpy(&bits, shadow, sizeof bits);
  return bits;
}

class UndefinedMemoryTest : public EmulatedDevices {};

TEST_F(UndefinedMemoryTest, memory_is_undefined_until_a_copy_or_fill) {
  ASSERT_TRUE(follow_undefined_memory());
  std::uint32_t* const data = device_memory(8);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(bits_of(data + k), all);
  const std::uint32_t value = 7;
  EXPECT_EQ(copy(data + 1, &value, sizeof value, host_to_device), cuda::success);
  EXPECT_EQ(bits_of(data), all);
  EXPECT_EQ(bits_of(data + 1), none);
  EXPECT_EQ(fill_async(data + 4, 0, 6, nullptr), cuda::success);
  EXPECT_EQ(copy(data + 2, data, 8, device_to_device), cuda::success);
  EXPECT_EQ(bits_of(data + 2), all);
  EXPECT_EQ(bits_of(data + 3), none);
  EXPECT_EQ(bits_of(data + 4), none);
  EXPECT_EQ(bits_of(data + 5), 0xffff0000);
  define_memory(data + 6, 4);
  EXPECT_EQ(bits_of(data + 6), none);
  EXPECT_EQ(bits_of(data + 7), all);
  EXPECT_EQ(deallocate(data), cuda::success);
  std::uint32_t* const reused_data = device_memory(8);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(bits_of(reused_data + k), all);
  EXPECT_EQ(deallocate(reused_data), cuda::success);
}

TEST_F(UndefinedMemoryTest, a_block_that_a_pool_reuses_is_undefined) {
  ASSERT_TRUE(follow_undefined_memory());
  void* stream = nullptr;
  ASSERT_EQ(stream_create(&stream, 1), cuda::success);
  void* old_block = nullptr;
  ASSERT_EQ(allocate_async(&old_block, 32, stream), cuda::success);
  ASSERT_EQ(fill_async(old_block, 0, 32, stream), cuda::success);
  ASSERT_EQ(deallocate_async(old_block, stream), cuda::success);
  ASSERT_EQ(stream_synchronize(stream), cuda::success);
  EXPECT_EQ(bits_of(static_cast<std::uint32_t*>(old_block)), none);
  // Freed blocks stay in quarantine for a while, to detect late uses.
  void* new_block = nullptr;
  for (int k = 0; k < 5000 && new_block != old_block; ++k) {
    if (new_block != nullptr) {
      ASSERT_EQ(deallocate_async(new_block, stream), cuda::success);
    }
    ASSERT_EQ(stream_synchronize(stream), cuda::success);
    ASSERT_EQ(allocate_async(&new_block, 32, stream), cuda::success);
  }
  ASSERT_EQ(new_block, old_block) << "the block was not reused";
  for (int k = 0; k < 8; ++k) EXPECT_EQ(bits_of(static_cast<std::uint32_t*>(new_block) + k), all);
  EXPECT_EQ(deallocate_async(new_block, stream), cuda::success);
  EXPECT_EQ(stream_destroy(stream), cuda::success);
}

TEST_F(UndefinedMemoryTest, copies_between_devices_copy_undefined_bits) {
  ASSERT_TRUE(follow_undefined_memory());
  std::uint32_t* const data = device_memory(2);
  EXPECT_EQ(fill_async(data, 0, 4, nullptr), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::success);
  ASSERT_EQ(set_device(1), cuda::success);
  std::uint32_t* const other = device_memory(2);
  EXPECT_EQ(copy_peer_async(other, 1, data, 0, 8, nullptr), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(bits_of(other), none);
  EXPECT_EQ(bits_of(other + 1), all);
  EXPECT_EQ(undefined_memory_bits(reinterpret_cast<std::uint64_t>(&all)), nullptr);
  EXPECT_EQ(deallocate(other), cuda::success);
  ASSERT_EQ(set_device(0), cuda::success);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(UndefinedMemoryTest, initialized_variables_are_defined) {
  ASSERT_TRUE(follow_undefined_memory());
  const ProgramImage image{fat_binary(std::string(ptx_head) + std::string(store_ptx))};
  ProgramImage loaded{fat_binary(std::string(ptx_head) + std::string(count_ptx))};
  const void* const counter = loaded.variable("counter", 4);
  void* address = nullptr;
  ASSERT_EQ(get_symbol_address(&address, counter), cuda::success);
  EXPECT_EQ(bits_of(static_cast<std::uint32_t*>(address)), none);
}

}  // namespace
}  // namespace skerry::emulation
