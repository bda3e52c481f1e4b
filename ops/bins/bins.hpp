// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// How often each of the numbers 0, 1 … occurs in x, which is 1-D, as int64; with weights of its
/// shape their sums, as float64. As many as the greatest needs, but `least_bins` at least. Reads
/// the greatest number from the device. Throws device_mismatch_error, dtype_error, shape_error,
/// value_error for negative numbers.
[[nodiscard]] ndarray bincount(const ndarray& x, const ndarray* weights, std::int64_t least_bins);

/// The same for numbers that are known: those below 0 and from `bins` on are left out.
[[nodiscard]] ndarray count_numbers(const char* op, const ndarray& x, const ndarray* weights,
                                    std::int64_t bins);

/// How many items of x are in each bin, as int64; an item at the last edge is in the last bin. The
/// edges are of its dtype, a real floating one, and never decrease. `uniform`: they are evenly
/// spaced from `first` to `last`. Throws device_mismatch_error, dtype_error, value_error.
[[nodiscard]] ndarray histogram(const ndarray& x, const ndarray& edges, bool uniform, double first,
                                double last);

}  // namespace skerry
