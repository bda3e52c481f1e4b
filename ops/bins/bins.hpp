// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns how often each of 0, 1, ... occurs in the 1-D array x, as int64, or, with weights of the
/// same shape, the sum of its weights, as float64. The result has as many bins as the greatest
/// number needs, but at least `min_bins`. Synchronizes to read the greatest number. Throws
/// DeviceMismatchError, DtypeError, ShapeError, and ValueError for negative numbers.
[[nodiscard]] NdArray bincount(const NdArray& x, const NdArray* weights, std::int64_t min_bins);

/// Like bincount() for a known number of bins: ignores numbers below 0 and from `bins` on.
[[nodiscard]] NdArray count_numbers(const NdArray& x, const NdArray* weights, std::int64_t bins);

/// Counts the items of x in each bin, as int64; an item at the last edge is in the last bin. The
/// edges have x's dtype, which is real floating, and are in ascending order. If
/// `uniform`, they are evenly spaced from `first` to `last`; otherwise these two are ignored.
/// Throws DeviceMismatchError, DtypeError, ValueError.
[[nodiscard]] NdArray histogram(const NdArray& x, const NdArray& edges, bool uniform, double first,
                                double last);

}  // namespace skerry
