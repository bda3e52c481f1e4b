// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "core/device.hpp"
#include "device/backend.hpp"
#include "device/registry.hpp"

namespace skerry::cpu {

namespace detail {

/// 0 before it was read; -1 if the variable is no count, so that every use says so.
extern std::atomic<int> known_count;
void require_slowly(device where);

}  // namespace detail

/// From SKERRY_CPU_DEVICES. Throws value_error if that is no count.
[[nodiscard]] int count_devices();

/// See skerry::require.
inline void require(device where) {
  const int n = detail::known_count.load(std::memory_order_relaxed);
  if (where.index < 0 || where.index >= n) [[unlikely]]
    detail::require_slowly(where);
}

[[nodiscard]] device_info describe(device where);
[[nodiscard]] int ordinal_of(device where);

extern const backend backend_in_use;

}  // namespace skerry::cpu
