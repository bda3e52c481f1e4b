// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// Returns, for each value of x2, the number of items of the sorted 1-D array x1 that are less than
/// it (`right`: or equal to it); NaN is the greatest, as in sort. With a sorter (null: none),
/// x1[sorter] is the sorted array. The result is int64 with the shape of x2, which may be a scalar.
/// Throws DeviceMismatchError, DtypeError, ShapeError, and IndexError for an out-of-bounds sorter.
[[nodiscard]] NdArray searchsorted(const NdArray& x1, const Operand& x2, bool right,
                                   const NdArray* sorter);

}  // namespace skerry
