// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

class DriverMemory : public DriverTest {};

template <class Value>
Value pointer_attribute(address data, int attribute) {
  Value value{};
  EXPECT_EQ(CALL(cuPointerGetAttribute, pointer_get_attribute)(&value, attribute, data), 0);
  return value;
}

TEST_F(DriverMemory, data_survive_copies_to_the_device_and_back) {
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 0U);
  const address data = allocate(4000);
  const address other = allocate(4000);
  ASSERT_EQ(CALL(cuMemcpyHtoD, copy_to_device)(data, values.data(), 4000), 0);
  ASSERT_EQ(CALL(cuMemcpyDtoD, copy_on_device)(other, data, 4000), 0);
  EXPECT_EQ(read(other, 1000), values);
  EXPECT_EQ(CALL(cuMemcpyHtoD, copy_to_device)(data, values.data(), 4001), 1);
  EXPECT_EQ(CALL(cuMemcpyHtoD, copy_to_device)(reinterpret_cast<address>(values.data()),
                                               values.data(), 4),
            1);
  release(data);
  release(other);
  EXPECT_EQ(CALL(cuMemFree, memory_free)(data), 1);
}

TEST_F(DriverMemory, zero_bytes_and_null_are_rejected) {
  address data = 0;
  EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(&data, 0), 1);
  EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(nullptr, 16), 1);
  EXPECT_EQ(CALL(cuMemFree, memory_free)(0), 0);
}

TEST_F(DriverMemory, too_large_an_allocation_fails) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(CALL(cuMemGetInfo, memory_get_info)(&free, &total), 0);
  EXPECT_LE(free, total);
  address data = 0;
  EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(&data, total + 1), 2);
}

TEST_F(DriverMemory, attributes_of_a_pointer_describe_its_allocation) {
  const address data = allocate(4000);
  EXPECT_EQ(pointer_attribute<int>(data + 8, 2), 2);
  EXPECT_EQ(pointer_attribute<address>(data + 8, 3), data + 8);
  EXPECT_EQ(pointer_attribute<int>(data + 8, 8), 0);
  EXPECT_EQ(pointer_attribute<int>(data + 8, 9), 0);
  EXPECT_EQ(pointer_attribute<address>(data + 8, 11), data);
  EXPECT_EQ(pointer_attribute<std::size_t>(data + 8, 12), 4000);
  EXPECT_EQ(pointer_attribute<void*>(data + 8, 1), context_);
  address base = 0;
  std::size_t nbytes = 0;
  ASSERT_EQ(CALL(cuMemGetAddressRange, memory_get_range)(&base, &nbytes, data + 8), 0);
  EXPECT_EQ(base, data);
  EXPECT_EQ(nbytes, 4000);
  int on_host = 0;
  EXPECT_EQ(CALL(cuPointerGetAttribute, pointer_get_attribute)(&on_host, 2,
                                                               reinterpret_cast<address>(&on_host)),
            1);
  release(data);
  EXPECT_EQ(CALL(cuMemGetAddressRange, memory_get_range)(&base, &nbytes, data), 500);
}

TEST_F(DriverMemory, devices_access_pinned_memory_at_its_address) {
  void* host = nullptr;
  ASSERT_EQ(CALL(cuMemHostAlloc, host_allocate)(&host, 4096, 3), 0);
  address data = 0;
  ASSERT_EQ(CALL(cuMemHostGetDevicePointer, host_get_device_pointer)(&data, host, 0), 0);
  EXPECT_EQ(data, reinterpret_cast<address>(host));
  unsigned flags = 0;
  ASSERT_EQ(CALL(cuMemHostGetFlags, host_get_flags)(&flags, host), 0);
  EXPECT_EQ(flags, 3);
  EXPECT_EQ(pointer_attribute<int>(data, 2), 1);
  EXPECT_EQ(CALL(cuMemFreeHost, host_free)(host), 0);
  EXPECT_EQ(CALL(cuMemFreeHost, host_free)(host), 1);

  std::vector<std::byte> host_bytes(4096);
  ASSERT_EQ(CALL(cuMemHostRegister, host_register)(host_bytes.data(), host_bytes.size(), 0), 0);
  EXPECT_EQ(CALL(cuMemHostRegister, host_register)(host_bytes.data(), host_bytes.size(), 0), 712);
  EXPECT_EQ(CALL(cuMemHostUnregister, host_unregister)(host_bytes.data()), 0);
  EXPECT_EQ(CALL(cuMemHostUnregister, host_unregister)(host_bytes.data()), 713);
}

TEST_F(DriverMemory, host_and_device_share_managed_memory) {
  address data = 0;
  ASSERT_EQ(CALL(cuMemAllocManaged, memory_allocate_managed)(&data, 256, 1), 0);
  EXPECT_EQ(pointer_attribute<int>(data, 8), 1);
  EXPECT_EQ(pointer_attribute<int>(data, 2), 2);
  auto* const values = reinterpret_cast<std::uint32_t*>(data);
  void* const library = load(whole_ptx());
  ASSERT_EQ(launch(kernel(library, "store"), 2, 32, data, 5), 0);
  ASSERT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 0);
  EXPECT_TRUE(std::all_of(values, values + 64, [](std::uint32_t one) { return one == 5; }));
  EXPECT_EQ(CALL(cuMemPrefetchAsync, memory_prefetch)(data, 256, {1, 0}, 0, nullptr), 0);
  EXPECT_EQ(CALL(cuMemPrefetchAsync, memory_prefetch)(data, 257, {1, 0}, 0, nullptr), 1);
  constexpr int no_device = 100'000'000;
  EXPECT_EQ(CALL(cuMemPrefetchAsync, memory_prefetch)(data, 256, {1, no_device}, 0, nullptr), 101);
  EXPECT_EQ(CALL(cuMemAdvise, memory_advise)(data, 256, 1, {1, no_device}), 0) << "read mostly";
  EXPECT_EQ(CALL(cuMemAdvise, memory_advise)(data, 256, 3, {1, no_device}), 101);
  EXPECT_EQ(CALL(cuMemAdvise, memory_advise)(data, 256, -1, {1, 0}), 1);
  EXPECT_EQ(CALL(cuMemFreeHost, host_free)(values), 1);
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverMemory, fills_repeat_values_of_one_two_and_four_bytes) {
  const address data = allocate(64);
  ASSERT_EQ(CALL(cuMemsetD32, fill_words)(data, 0x01020304, 16), 0);
  EXPECT_EQ(read(data, 16), std::vector<std::uint32_t>(16, 0x01020304));
  ASSERT_EQ(CALL(cuMemsetD16, fill_shorts)(data, 0xabcd, 32), 0);
  EXPECT_EQ(read(data, 16), std::vector<std::uint32_t>(16, 0xabcdabcd));
  ASSERT_EQ(CALL(cuMemsetD8, fill_bytes)(data, 0x11, 64), 0);
  EXPECT_EQ(read(data, 16), std::vector<std::uint32_t>(16, 0x11111111));
  ASSERT_EQ(CALL(cuMemsetD2D32, fill_words_2d)(data, 16, 9, 2, 4), 0);
  std::vector<std::uint32_t> expected;
  for (int row = 0; row < 4; ++row) {
    expected.insert(expected.end(), {9, 9, 0x11111111, 0x11111111});
  }
  EXPECT_EQ(read(data, 16), expected);
  EXPECT_EQ(CALL(cuMemsetD32, fill_words)(data, 0, 17), 1);
  EXPECT_EQ(CALL(cuMemsetD32, fill_words)(data + 2, 0, 1), 1);
  release(data);
}

TEST_F(DriverMemory, two_dimensional_copies_use_pitches) {
  std::vector<std::uint32_t> values(12);
  std::iota(values.begin(), values.end(), 0U);  // 3 rows of 4
  address data = 0;
  std::size_t pitch = 0;
  ASSERT_EQ(CALL(cuMemAllocPitch, memory_allocate_pitch)(&data, &pitch, 16, 3, 4), 0);
  EXPECT_EQ(pitch % 512, 0);
  abi::Copy2d in{};
  in.source = {0, 0, abi::MemoryKind::host, values.data(), 0, nullptr, 16};
  in.target = {0, 0, abi::MemoryKind::device, nullptr, data, nullptr, pitch};
  in.width_bytes = 16;
  in.height = 3;
  ASSERT_EQ(CALL(cuMemcpy2D, copy_2d)(&in), 0);
  std::vector<std::uint32_t> block(4);
  abi::Copy2d out{};
  out.source = {4, 1, abi::MemoryKind::device, nullptr, data, nullptr, pitch};
  out.target = {0, 0, abi::MemoryKind::host, block.data(), 0, nullptr, 8};
  out.width_bytes = 8;
  out.height = 2;
  ASSERT_EQ(CALL(cuMemcpy2D, copy_2d)(&out), 0);
  EXPECT_EQ(block, (std::vector<std::uint32_t>{5, 6, 9, 10}));
  out.source.kind = abi::MemoryKind::array;
  EXPECT_EQ(CALL(cuMemcpy2D, copy_2d)(&out), 801);
  release(data);
}

TEST_F(DriverMemory, pools_allocate_in_stream_order) {
  void* pool = nullptr;
  ASSERT_EQ(CALL(cuDeviceGetDefaultMemPool, pool_get_default)(&pool, 0), 0);
  std::uint64_t threshold = 1 << 20;
  ASSERT_EQ(CALL(cuMemPoolSetAttribute, pool_set_attribute)(pool, 4, &threshold), 0);
  threshold = 0;
  ASSERT_EQ(CALL(cuMemPoolGetAttribute, pool_get_attribute)(pool, 4, &threshold), 0);
  EXPECT_EQ(threshold, 1 << 20);
  address data = 0;
  ASSERT_EQ(CALL(cuMemAllocAsync, pool_allocate)(&data, 64, nullptr), 0);
  EXPECT_EQ(pointer_attribute<void*>(data, 17), pool);
  ASSERT_EQ(CALL(cuMemFreeAsync, pool_free)(data, nullptr), 0);

  abi::PoolProperties properties{};
  properties.allocation_type = 1;
  properties.location = {1, 1};
  void* created_pool = nullptr;
  ASSERT_EQ(CALL(cuMemPoolCreate, pool_create)(&created_pool, &properties), 0);
  ASSERT_EQ(CALL(cuMemAllocFromPoolAsync, pool_allocate_from)(&data, 64, created_pool, nullptr), 0);
  EXPECT_EQ(pointer_attribute<void*>(data, 17), created_pool);
  EXPECT_EQ(pointer_attribute<int>(data, 9), 1);
  release(data);
  EXPECT_EQ(CALL(cuMemPoolDestroy, pool_destroy)(created_pool), 0);
  EXPECT_EQ(CALL(cuMemPoolDestroy, pool_destroy)(created_pool), 1);
  EXPECT_EQ(CALL(cuMemPoolDestroy, pool_destroy)(pool), 1);
}

}  // namespace
}  // namespace skerry::emulation::driver
