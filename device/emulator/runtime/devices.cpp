// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Queries of devices, versions and errors.

#include <cstring>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/runtime/device_attributes.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

bool exists(int ordinal) noexcept {
  return ordinal >= 0 && ordinal < current_emulator_settings().devices;
}

}  // namespace

int driver_version(int* version) { return driver_api().driver_version(version); }
int runtime_version(int* version) { return driver_api().runtime_version(version); }
int device_count(int* count) { return driver_api().device_count(count); }
int get_device(int* ordinal) { return driver_api().get_device(ordinal); }
int set_device(int ordinal) {
  static_cast<void>(driver_api());
  return rehearsal::return_code(rehearsal::set_device(ordinal));
}

int get_device_properties(abi::DeviceProperties* properties, int ordinal) {
  cuda::DeviceProperties simulated{};
  const int code = driver_api().get_properties(&simulated, ordinal);
  if (code != cuda::success) return code;
  const DeviceModel& device = current_emulator_settings().model;
  *properties = {};
  write_device_name(properties->name);
  write_device_uuid(properties->uuid, ordinal);
  properties->total_bytes = simulated.total_bytes;
  properties->shared_bytes_per_block = device.shared_bytes_per_block;
  properties->registers_per_block = static_cast<int>(device.registers_per_multiprocessor);
  properties->warp_size = threads_of_a_warp;
  properties->max_threads_per_block = static_cast<int>(device.threads_per_block);
  std::memcpy(properties->max_block, max_block_size, sizeof max_block_size);
  std::memcpy(properties->max_grid, max_grid_size, sizeof max_grid_size);
  properties->constant_bytes = max_constant_bytes;
  properties->major = device.compute_capability / 10;
  properties->minor = device.compute_capability % 10;
  properties->multiprocessors = device.multiprocessors;
  properties->threads_per_multiprocessor = static_cast<int>(device.threads_per_multiprocessor);
  properties->supports_pools = simulated.supports_pools;
  for (int* const ability : {&properties->maps_host_memory, &properties->concurrent_kernels,
                             &properties->unified_addressing, &properties->managed_memory,
                             &properties->cooperative_launch}) {
    *ability = 1;
  }
  return cuda::success;
}

int get_device_attribute(int* value, int attribute, int ordinal) {
  static_cast<void>(driver_api());
  if (!exists(ordinal)) return rehearsal::return_code(cuda::invalid_device);
  if (attribute < 1 || attribute >= abi::past_device_attributes) {
    return rehearsal::return_code(cuda::invalid_value);
  }
  const auto device_attribute = static_cast<abi::DeviceAttribute>(attribute);
  if (device_attribute == abi::DeviceAttribute::pools_supported) {
    cuda::DeviceProperties simulated{};
    const int code = driver_api().get_properties(&simulated, ordinal);
    *value = simulated.supports_pools;
    return code;
  }
  *value = attribute_of(current_emulator_settings().model, device_attribute, ordinal);
  return cuda::success;
}

int device_synchronize() { return driver_api().device_synchronize(); }
int can_access_peer(int* can, int reader, int owner) {
  return driver_api().can_access_peer(can, reader, owner);
}
int enable_peer_access(int owner, unsigned flags) {
  if (flags != 0) return rehearsal::return_code(cuda::invalid_value);
  return driver_api().enable_peer_access(owner);
}

int get_last_error() { return driver_api().get_last_error(); }
int peek_at_last_error() {
  static_cast<void>(driver_api());
  return rehearsal::last_error_here();
}
const char* get_error_name(int code) { return driver_api().error_name(code); }
const char* get_error_string(int code) { return driver_api().error_string(code); }

int get_driver_entry_point(const char* symbol, void** function, unsigned version,
                           unsigned long long flags, int* driver_status) {
  static_cast<void>(driver_api());
  int symbol_status = 0;
  static_cast<void>(
      driver::get_proc_address(symbol, function, static_cast<int>(version), flags, &symbol_status));
  if (driver_status != nullptr) *driver_status = symbol_status;
  return cuda::success;
}

}  // namespace skerry::emulation::entry_points
