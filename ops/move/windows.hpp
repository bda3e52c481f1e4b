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

/// Returns a view with another shape and strides in bytes, from the first element of x on. Throws
/// ValueError unless its elements are aligned and lie in the storage of x.
[[nodiscard]] NdArray strided_view(const NdArray& x, const Dims& shape,
                                   std::span<const std::int64_t> strides);

}  // namespace skerry
