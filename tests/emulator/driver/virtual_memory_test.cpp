// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

constexpr std::size_t unit = std::size_t{2} << 20;

abi::PhysicalProperties of_device(int ordinal) {
  return {.type = 1, .location = {abi::location_of_device, ordinal}};
}

class DriverVirtualMemory : public DriverTest {
 protected:
  static std::uint64_t create(int ordinal, std::size_t nbytes = unit) {
    const abi::PhysicalProperties properties = of_device(ordinal);
    std::uint64_t handle = 0;
    EXPECT_EQ(CALL(cuMemCreate, physical_create)(&handle, nbytes, &properties, 0), 0);
    return handle;
  }
  static address reserve(std::size_t nbytes) {
    address data = 0;
    EXPECT_EQ(CALL(cuMemAddressReserve, virtual_reserve)(&data, nbytes, 0, 0, 0), 0);
    return data;
  }
  static int map(address data, std::uint64_t handle, std::size_t nbytes = unit) {
    return CALL(cuMemMap, virtual_map)(data, nbytes, 0, handle, 0);
  }
  static int unmap(address data, std::size_t nbytes = unit) {
    return CALL(cuMemUnmap, virtual_unmap)(data, nbytes);
  }
  static int allow(address data, int ordinal, int flags = 3, std::size_t nbytes = unit) {
    const abi::AccessDescription access{abi::location_of_device, ordinal, flags};
    return CALL(cuMemSetAccess, virtual_set_access)(data, nbytes, &access, 1);
  }
  static int release_handle(std::uint64_t handle) {
    return CALL(cuMemRelease, physical_release)(handle);
  }
  static int free_addresses(address data, std::size_t nbytes) {
    return CALL(cuMemAddressFree, virtual_free)(data, nbytes);
  }
  static int write(address data, std::uint32_t value) {
    return CALL(cuMemcpyHtoD, copy_to_device)(data, &value, sizeof value);
  }
};

TEST_F(DriverVirtualMemory, one_range_maps_memory_of_two_devices) {
  const address data = reserve(2 * unit);
  ASSERT_EQ(data % unit, 0);
  EXPECT_EQ(write(data, 1), 1);  // nothing is mapped yet
  for (int ordinal = 0; ordinal < 2; ++ordinal) {
    const std::uint64_t handle = create(ordinal);
    ASSERT_EQ(map(data + static_cast<std::size_t>(ordinal) * unit, handle), 0);
    EXPECT_EQ(release_handle(handle), 0);  // the mapping keeps it alive
    EXPECT_EQ(release_handle(handle), 1);
  }
  EXPECT_EQ(write(data, 1), 1);  // no device has access
  ASSERT_EQ(allow(data, 0, 3, 2 * unit), 0);
  // A copy across both parts.
  const std::vector<std::uint32_t> values{1, 2, 3, 4};
  ASSERT_EQ(CALL(cuMemcpyHtoD, copy_to_device)(data + unit - 8, values.data(), 16), 0);
  EXPECT_EQ(read(data + unit - 8, 4), values);
  int owner = -1;
  ASSERT_EQ(CALL(cuPointerGetAttribute, pointer_get_attribute)(&owner, 9, data + unit), 0);
  EXPECT_EQ(owner, 1);
  EXPECT_EQ(free_addresses(data, 2 * unit), 1);  // something is mapped
  ASSERT_EQ(unmap(data, 2 * unit), 0);
  EXPECT_EQ(write(data, 1), 1);
  EXPECT_EQ(free_addresses(data, unit), 1);
  EXPECT_EQ(free_addresses(data, 2 * unit), 0);
}

TEST_F(DriverVirtualMemory, remapped_memory_keeps_its_contents) {
  const address first = reserve(unit);
  const address second = reserve(unit);
  const std::uint64_t handle = create(0);
  ASSERT_EQ(map(first, handle), 0);
  ASSERT_EQ(map(second, handle), 0);
  ASSERT_EQ(allow(first, 0), 0);
  ASSERT_EQ(allow(second, 0), 0);
  ASSERT_EQ(write(first + 4, 77), 0);
  EXPECT_EQ(read(second + 4, 1).front(), 77);
  std::uint64_t same = 0;
  ASSERT_EQ(CALL(cuMemRetainAllocationHandle, physical_retain)(
                &same, reinterpret_cast<void*>(first + 100)),
            0);
  EXPECT_EQ(same, handle);
  abi::PhysicalProperties properties{};
  ASSERT_EQ(
      CALL(cuMemGetAllocationPropertiesFromHandle, physical_get_properties)(&properties, handle),
      0);
  EXPECT_EQ(properties.location.kind, abi::location_of_device);
  EXPECT_EQ(unmap(first), 0);
  EXPECT_EQ(read(second + 4, 1).front(), 77);
  EXPECT_EQ(unmap(second), 0);
  EXPECT_EQ(release_handle(handle), 0);
  EXPECT_EQ(release_handle(handle), 0);
  EXPECT_EQ(free_addresses(first, unit), 0);
  EXPECT_EQ(free_addresses(second, unit), 0);
}

TEST_F(DriverVirtualMemory, created_memory_counts_as_used) {
  std::size_t free_before = 0;
  std::size_t total = 0;
  ASSERT_EQ(CALL(cuMemGetInfo, memory_get_info)(&free_before, &total), 0);
  const std::uint64_t handle = create(0, 4 * unit);
  std::size_t free_after = 0;
  ASSERT_EQ(CALL(cuMemGetInfo, memory_get_info)(&free_after, &total), 0);
  EXPECT_EQ(free_before - free_after, 4 * unit);
  const abi::PhysicalProperties properties = of_device(0);
  std::uint64_t more = 0;
  const std::size_t too_much = (free_after / unit + 1) * unit;
  EXPECT_EQ(CALL(cuMemCreate, physical_create)(&more, too_much, &properties, 0), 2);
  EXPECT_EQ(release_handle(handle), 0);
  ASSERT_EQ(CALL(cuMemGetInfo, memory_get_info)(&free_after, &total), 0);
  EXPECT_EQ(free_before, free_after);
}

TEST_F(DriverVirtualMemory, access_can_be_read_back) {
  const address data = reserve(unit);
  const std::uint64_t handle = create(0);
  ASSERT_EQ(map(data, handle), 0);
  const abi::MemoryLocation here{abi::location_of_device, 0};
  std::uint64_t flags = 9;
  ASSERT_EQ(CALL(cuMemGetAccess, virtual_get_access)(&flags, &here, data), 0);
  EXPECT_EQ(flags, 0);
  ASSERT_EQ(allow(data, 0), 0);
  ASSERT_EQ(CALL(cuMemGetAccess, virtual_get_access)(&flags, &here, data), 0);
  EXPECT_EQ(flags, 3);
  ASSERT_EQ(allow(data, 0, 0), 0);
  EXPECT_EQ(write(data, 1), 1);
  EXPECT_EQ(allow(data, 99), 101);
  EXPECT_EQ(allow(data + unit / 2, 0), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(allow(data, 0, 1), 801);  // read-only
  static_cast<void>(testing::internal::GetCapturedStderr());
  EXPECT_EQ(unmap(data), 0);
  EXPECT_EQ(release_handle(handle), 0);
  EXPECT_EQ(free_addresses(data, unit), 0);
}

TEST_F(DriverVirtualMemory, invalid_sizes_and_addresses_are_rejected) {
  std::size_t granularity = 0;
  abi::PhysicalProperties properties = of_device(0);
  ASSERT_EQ(CALL(cuMemGetAllocationGranularity, virtual_granularity)(&granularity, &properties, 0),
            0);
  EXPECT_EQ(granularity, unit);
  address data = 0;
  EXPECT_EQ(CALL(cuMemAddressReserve, virtual_reserve)(&data, unit + 1, 0, 0, 0), 1);
  EXPECT_EQ(CALL(cuMemAddressReserve, virtual_reserve)(&data, unit, 3, 0, 0), 1);
  ASSERT_EQ(CALL(cuMemAddressReserve, virtual_reserve)(&data, unit, 8 * unit, 0, 0), 0);
  EXPECT_EQ(data % (8 * unit), 0);
  std::uint64_t handle = 0;
  EXPECT_EQ(CALL(cuMemCreate, physical_create)(&handle, 4096, &properties, 0), 1);
  properties.location.number = 99;
  EXPECT_EQ(CALL(cuMemCreate, physical_create)(&handle, unit, &properties, 0), 101);
  handle = create(0);
  EXPECT_EQ(map(data, handle + 1000), 1);
  EXPECT_EQ(map(data, handle, 2 * unit), 1);
  EXPECT_EQ(map(data + unit, handle), 1);
  ASSERT_EQ(map(data, handle), 0);
  EXPECT_EQ(map(data, handle), 1);  // mapped already
  EXPECT_EQ(unmap(data, unit / 2), 1);
  EXPECT_EQ(CALL(cuMemFree, memory_free)(data), 1);
  EXPECT_EQ(unmap(data), 0);
  EXPECT_EQ(release_handle(handle), 0);
  EXPECT_EQ(free_addresses(data, unit), 0);
}

}  // namespace
}  // namespace skerry::emulation::driver
