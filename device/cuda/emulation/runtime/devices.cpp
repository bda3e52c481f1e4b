// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Devices as the settings describe them, versions and errors.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>

#include "device/cuda/emulation/runtime/attributes.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/entry_points.hpp"
#include "device/cuda/rehearsal/control.hpp"
#include "device/cuda/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int warp_size = 32;
constexpr int most_constant_bytes = 64 << 10;
constexpr int most_grid[] = {0x7fffffff, 0xffff, 0xffff};
constexpr int most_block[] = {1024, 1024, 64};

bool exists(int ordinal) noexcept {
  return ordinal >= 0 && ordinal < current_emulator_settings().devices;
}

/// None for what no program has asked for yet.
std::optional<int> attribute_of(const device_model& device,
                                abi::device_attribute attribute) noexcept {
  using enum abi::device_attribute;
  struct answer {
    abi::device_attribute to;
    std::int64_t value;
  };
  const answer answers[] = {
      {abi::device_attribute::max_threads_per_block, device.threads_per_block},
      {max_block_x, most_block[0]},
      {max_block_y, most_block[1]},
      {max_block_z, most_block[2]},
      {max_grid_x, most_grid[0]},
      {max_grid_y, most_grid[1]},
      {max_grid_z, most_grid[2]},
      {shared_per_block, device.shared_bytes_per_block},
      {constant_bytes, most_constant_bytes},
      {abi::device_attribute::warp_size, entry_points::warp_size},
      {registers_per_block, device.registers_per_multiprocessor},
      {registers_per_multiprocessor, device.registers_per_multiprocessor},
      {multiprocessors, device.multiprocessors},
      {l2_bytes, (device.compute_capability >= 90 ? 50 : 40) << 20},  // H100, A100
      {threads_per_multiprocessor, device.threads_per_multiprocessor},
      {unified_addressing, 1},
      {major, device.compute_capability / 10},
      {minor, device.compute_capability % 10},
      {shared_per_multiprocessor, device.shared_bytes_per_multiprocessor},
      {shared_per_block_optin, device.shared_bytes_per_block_optin},
      {blocks_per_multiprocessor, device.blocks_per_multiprocessor},
      {reserved_shared_per_block, 1 << 10},
      {pools_supported, 1},
  };
  const auto* const found = std::ranges::find(answers, attribute, &answer::to);
  if (found == std::end(answers)) return std::nullopt;
  return static_cast<int>(found->value);
}

}  // namespace

int driver_version(int* version) { return machine_calls().driver_version(version); }
int runtime_version(int* version) { return machine_calls().runtime_version(version); }
int device_count(int* count) { return machine_calls().device_count(count); }
int get_device(int* ordinal) { return machine_calls().get_device(ordinal); }
int set_device(int ordinal) {
  static_cast<void>(machine_calls());
  return rehearsal::leave(rehearsal::set_device(ordinal));
}

int get_device_properties(abi::device_properties* properties, int ordinal) {
  cuda::device_properties simulated{};
  const int code = machine_calls().get_properties(&simulated, ordinal);
  if (code != cuda::success) return code;
  const device_model& device = current_emulator_settings().model;
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "emulated GPU %d.%d",
                device.compute_capability / 10, device.compute_capability % 10);
  properties->uuid[0] = static_cast<unsigned char>(ordinal + 1);
  properties->total_bytes = simulated.total_bytes;
  properties->shared_bytes_per_block = device.shared_bytes_per_block;
  properties->registers_per_block = static_cast<int>(device.registers_per_multiprocessor);
  properties->warp_size = warp_size;
  properties->max_threads_per_block = static_cast<int>(device.threads_per_block);
  std::memcpy(properties->max_block, most_block, sizeof most_block);
  std::memcpy(properties->max_grid, most_grid, sizeof most_grid);
  properties->constant_bytes = most_constant_bytes;
  properties->major = device.compute_capability / 10;
  properties->minor = device.compute_capability % 10;
  properties->multiprocessors = device.multiprocessors;
  return cuda::success;
}

int get_device_attribute(int* value, int attribute, int ordinal) {
  static_cast<void>(machine_calls());
  if (!exists(ordinal)) return rehearsal::leave(cuda::invalid_device);
  if (attribute < 1 || attribute >= abi::past_device_attributes) {
    return rehearsal::leave(cuda::invalid_value);
  }
  const auto asked = static_cast<abi::device_attribute>(attribute);
  if (asked == abi::device_attribute::pools_supported) {
    cuda::device_properties simulated{};
    const int code = machine_calls().get_properties(&simulated, ordinal);
    *value = simulated.supports_pools;
    return code;
  }
  const std::optional<int> known = attribute_of(current_emulator_settings().model, asked);
  if (!known) {
    std::fprintf(stderr, "skerry: emulated GPU: device attribute %d is not known\n", attribute);
    return rehearsal::leave(cuda::not_supported);
  }
  *value = *known;
  return cuda::success;
}

int device_synchronize() { return machine_calls().device_synchronize(); }
int can_access_peer(int* can, int reader, int owner) {
  return machine_calls().can_access_peer(can, reader, owner);
}
int enable_peer_access(int owner, unsigned flags) {
  if (flags != 0) return rehearsal::leave(cuda::invalid_value);
  return machine_calls().enable_peer_access(owner);
}

int get_last_error() { return machine_calls().get_last_error(); }
int peek_at_last_error() {
  static_cast<void>(machine_calls());
  return rehearsal::last_error_here();
}
const char* get_error_name(int code) { return machine_calls().error_name(code); }
const char* get_error_string(int code) { return machine_calls().error_string(code); }

}  // namespace skerry::emulation::entry_points
