// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "core/device.hpp"
#include "device/backend.hpp"
#include "device/registry.hpp"

namespace skerry::cpu {

namespace detail {

/// The value of SKERRY_CPU_DEVICES; 0 until count_devices() has read it.
extern std::atomic<int> known_count;
void require_slowly(Device device);

}  // namespace detail

/// Returns the value of SKERRY_CPU_DEVICES, 1 by default.
[[nodiscard]] int count_devices() noexcept;

/// See skerry::require.
inline void require(Device device) {
  const int n = detail::known_count.load(std::memory_order_relaxed);
  if (device.index < 0 || device.index >= n) [[unlikely]]
    detail::require_slowly(device);
}

[[nodiscard]] DeviceInfo describe(Device device);
[[nodiscard]] int ordinal_of(Device device);

extern const Backend backend_in_use;

}  // namespace skerry::cpu
