// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// True if native forms run on `device`, or if it rehearses them. Front ends then use only kernels
/// that have a native form, and choose what suits native forms best.
[[nodiscard]] inline bool keeps_native_limits(Device device) noexcept {
  return capabilities_of(device).native_limits;
}

/// Returns the limits on operands of kernels with these parameters on `device`.
template <class Params>
[[nodiscard]] NativeLimits limits_of(Device device) noexcept {
  return keeps_native_limits(device) ? Params::native_limits : NativeLimits{};
}

/// Throws NotImplementedError if `count` exceeds what kernels with these parameters can index on
/// `device`. `items` is a plural noun for the message.
template <class Params>
void require_count(Device device, std::int64_t count, const char* items) {
  const std::int64_t max_count = limits_of<Params>(device).max_count;
  if (count <= max_count) return;
  throw NotImplementedError(std::to_string(count) + " " + items + " on " + to_string(device) +
                            " exceed its limit of " + std::to_string(max_count) +
                            "; process them in parts");
}

}  // namespace skerry
