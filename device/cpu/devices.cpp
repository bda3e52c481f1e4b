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

namespace {}  // namespace

int count_devices() noexcept {
  int known = detail::known_count.load(std::memory_order_relaxed);
  if (known != 0) return known;
  known = count_from_environment("SKERRY_CPU_DEVICES", 1, 1);
  detail::known_count.store(known);
  return known;
}

void detail::require_slowly(Device where) {
  const int n = count_devices();
  if (where.index >= 0 && where.index < n) return;
  throw DeviceUnavailableError(to_string(where) + " does not exist: there " +
                                   (n == 1 ? "is " : "are ") + std::to_string(n) + " logical CPU " +
                                   (n == 1 ? "device" : "devices") +
                                   "; set SKERRY_CPU_DEVICES to have more",
                               UnavailableReason::out_of_range);
}

DeviceInfo describe(Device where) {
  cpu::require(where);
  DeviceInfo info;
  info.where = where;
  info.name = processor_name();
  info.total_bytes = total_memory();
  info.free_bytes = free_memory();
  return info;
}

int ordinal_of(Device where) {
  cpu::require(where);
  return 0;
}

constexpr Backend backend_in_use{
    .name = "cpu",
    .can = {.form = KernelForm::host, .host_memory = true, .dlpack_code = 1},
    .devices = {.count = count_devices, .describe = describe, .ordinal = ordinal_of},
    // Its memory is what device/memory.cpp allocates without looking here.
    .memory = {},
    .streams = {},
    .transfers = {},
    .deferred = {},
    .interchange = {},
    .launch = launch_at_once,
    .fill_kernels = nullptr,
};

}  // namespace skerry::cpu
