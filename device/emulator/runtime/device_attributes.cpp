// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/device_attributes.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "device/emulator/runtime/settings.hpp"

namespace skerry::emulation {

namespace {

using enum abi::DeviceAttribute;

struct AttributeValue {
  abi::DeviceAttribute attribute;
  std::int64_t value;
};

/// Attributes with the same value on all devices.
constexpr AttributeValue fixed[] = {
    {max_block_x, max_block_size[0]},
    {max_block_y, max_block_size[1]},
    {max_block_z, max_block_size[2]},
    {max_grid_x, max_grid_size[0]},
    {max_grid_y, max_grid_size[1]},
    {max_grid_z, max_grid_size[2]},
    {constant_bytes, max_constant_bytes},
    {warp_size, threads_of_a_warp},
    {max_pitch, 0x7fffffff},
    {texture_alignment, 512},
    {copies_overlap, 1},
    {can_map_host_memory, 1},
    {surface_alignment, 512},
    {concurrent_kernels, 1},
    {memory_bus_bits, 5120},
    {copy_engines, 3},
    {unified_addressing, 1},
    {texture_pitch_alignment, 32},
    {stream_priorities, 1},
    {caches_global, 1},
    {caches_local, 1},
    {managed_memory, 1},
    {float_to_double_ratio, 2},
    {concurrent_managed_access, 1},
    {preemption, 1},
    {host_pointer_of_registered_memory, 1},
    {cooperative_launch, 1},
    {host_register, 1},
    {reserved_shared_per_block, 1 << 10},
    {virtual_memory_supported, 1},
    {pools_supported, 1},
    {memory_sync_domains, 1},
    {numa_node, -1},
    {host_numa_node, -1},
    {host_numa_pools_supported, 1},
    {host_pools_supported, 1},
};

}  // namespace

int attribute_of(const DeviceModel& device, abi::DeviceAttribute attribute, int ordinal) noexcept {
  const bool is_newer = device.compute_capability >= 90;  // H100; otherwise A100
  const AttributeValue of_model[] = {
      {max_threads_per_block, device.threads_per_block},
      {shared_per_block, device.shared_bytes_per_block},
      {registers_per_block, device.registers_per_multiprocessor},
      {clock_khz, is_newer ? 1'980'000 : 1'410'000},
      {multiprocessors, device.multiprocessors},
      {pci_bus, ordinal + 1},
      {memory_clock_khz, is_newer ? 2'619'000 : 1'215'000},
      {l2_bytes, (is_newer ? 50 : 40) << 20},
      {threads_per_multiprocessor, device.threads_per_multiprocessor},
      {major, device.compute_capability / 10},
      {minor, device.compute_capability % 10},
      {shared_per_multiprocessor, device.shared_bytes_per_multiprocessor},
      {registers_per_multiprocessor, device.registers_per_multiprocessor},
      {board_group, ordinal},
      {shared_per_block_optin, device.shared_bytes_per_block_optin},
      {blocks_per_multiprocessor, device.blocks_per_multiprocessor},
      {cluster_launch, is_newer ? 1 : 0},
  };
  if (const auto* const entry = std::ranges::find(of_model, attribute, &AttributeValue::attribute);
      entry != std::end(of_model)) {
    return static_cast<int>(entry->value);
  }
  const auto* const entry = std::ranges::find(fixed, attribute, &AttributeValue::attribute);
  return entry != std::end(fixed) ? static_cast<int>(entry->value) : 0;
}

void write_device_name(std::span<char> name) noexcept {
  const int capability = current_emulator_settings().model.compute_capability;
  std::snprintf(name.data(), name.size(), "emulated GPU %d.%d", capability / 10, capability % 10);
}

void write_device_uuid(std::span<unsigned char, 16> uuid, int ordinal) noexcept {
  std::ranges::fill(uuid, static_cast<unsigned char>(0));
  uuid[0] = static_cast<unsigned char>(ordinal + 1);
}

}  // namespace skerry::emulation
