// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// How often each of the numbers 0, 1 … occurs in x, which is 1-D, as int64; with weights of its
/// shape their sums, as float64. As many as the greatest needs, but `min_bins` at least. Reads
/// the greatest number from the device. Throws DeviceMismatchError, DtypeError, ShapeError,
/// ValueError for negative numbers.
[[nodiscard]] NdArray bincount(const NdArray& x, const NdArray* weights, std::int64_t min_bins);

/// The same for numbers that are known: those below 0 and from `bins` on are left out.
[[nodiscard]] NdArray count_numbers(const NdArray& x, const NdArray* weights, std::int64_t bins);

/// How many items of x are in each bin, as int64; an item at the last edge is in the last bin. The
/// edges are of its dtype, a real floating one, and never decrease. `uniform`: they are evenly
/// spaced from `first` to `last`. Throws DeviceMismatchError, DtypeError, ValueError.
[[nodiscard]] NdArray histogram(const NdArray& x, const NdArray& edges, bool uniform, double first,
                                double last);

}  // namespace skerry
