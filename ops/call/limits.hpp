// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Whether native forms run on `device` or are rehearsed there: then a kernel without one is not
/// used, and what is best for them is done.
[[nodiscard]] inline bool keeps_native_limits(Device device) noexcept {
  return capabilities_of(device).native_limits;
}

/// The limits that operands of kernels with these parameters keep to on `device`.
template <class Params>
[[nodiscard]] NativeLimits limits_of(Device device) noexcept {
  return keeps_native_limits(device) ? Params::native_limits : NativeLimits{};
}

/// Throws NotImplementedError for more `items` (in words) than kernels with these parameters number
/// on `device`.
template <class Params>
void require_count(Device device, std::int64_t count, const char* items) {
  const std::int64_t max_count = limits_of<Params>(device).max_count;
  if (count <= max_count) return;
  throw NotImplementedError(std::to_string(count) + " " + items + " on " + to_string(device) +
                            ", which takes up to " + std::to_string(max_count) +
                            "; take parts of them");
}

}  // namespace skerry
