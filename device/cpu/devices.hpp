// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "core/device.hpp"
#include "device/backend.hpp"
#include "device/registry.hpp"

namespace skerry::cpu {

namespace detail {

/// 0 before it was read.
extern std::atomic<int> known_count;
void require_slowly(Device where);

}  // namespace detail

/// From SKERRY_CPU_DEVICES.
[[nodiscard]] int count_devices() noexcept;

/// See skerry::require.
inline void require(Device where) {
  const int n = detail::known_count.load(std::memory_order_relaxed);
  if (where.index < 0 || where.index >= n) [[unlikely]]
    detail::require_slowly(where);
}

[[nodiscard]] DeviceInfo describe(Device where);
[[nodiscard]] int ordinal_of(Device where);

extern const Backend backend_in_use;

}  // namespace skerry::cpu
