// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns a read-only view of every window of `lengths[i]` elements along `axes[i]`, with window
/// axes at the end. An axis given several times yields windows of windows. Throws ValueError for a
/// length that is negative or exceeds the axis.
[[nodiscard]] NdArray sliding_windows(const NdArray& x, std::span<const std::int64_t> lengths,
                                      std::span<const std::int64_t> axes);

}  // namespace skerry
