// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// Every window of `lengths[i]` elements along `axes[i]`, as axes at the end. Windows share
/// elements: read-only. An axis given several times has windows of windows. Throws ValueError for
/// a length that is negative or beyond the axis.
[[nodiscard]] NdArray sliding_windows(const NdArray& x, std::span<const std::int64_t> lengths,
                                      std::span<const std::int64_t> axes);

}  // namespace skerry
