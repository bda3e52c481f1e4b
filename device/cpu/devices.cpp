// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/devices.hpp"

#include <new>

#include "core/errors.hpp"
#include "device/cpu/info.hpp"
#include "device/environment.hpp"

namespace skerry::cpu {

namespace detail {

constinit std::atomic<int> known_count{0};

}  // namespace detail

int count_devices() noexcept {
  int count = detail::known_count.load(std::memory_order_relaxed);
  if (count != 0) return count;
  count = count_from_environment("SKERRY_CPU_DEVICES", 1, 1);
  detail::known_count.store(count);
  return count;
}

void detail::require_slowly(Device device) {
  const int n = count_devices();
  if (device.index >= 0 && device.index < n) return;
  throw DeviceUnavailableError(to_string(device) + " does not exist: there " +
                                   (n == 1 ? "is " : "are ") + std::to_string(n) + " logical CPU " +
                                   (n == 1 ? "device" : "devices") +
                                   "; set SKERRY_CPU_DEVICES to have more",
                               UnavailableReason::out_of_range);
}

DeviceInfo describe(Device device) {
  cpu::require(device);
  DeviceInfo info;
  info.device = device;
  info.name = processor_name();
  info.total_bytes = total_memory();
  info.free_bytes = free_memory();
  return info;
}

int ordinal_of(Device device) {
  cpu::require(device);
  return 0;
}

constexpr Backend backend_in_use{
    .name = "cpu",
    .can = {.kernel_form = KernelForm::host, .host_memory = true, .dlpack_code = 1},
    .devices = {.count = count_devices, .describe = describe, .ordinal = ordinal_of},
    // Empty: device/memory.cpp calls the CPU's functions directly.
    .memory = {},
    .streams = {},
    .transfers = {},
    .deferred = {},
    .interchange = {},
    .launch = launch_at_once,
    .fill_kernels = nullptr,
    .begin_capture = nullptr,
};

}  // namespace skerry::cpu
