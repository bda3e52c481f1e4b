// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// For each value of x2, how many items of the sorted 1-D array x1 are less than it, or with
/// `right` not greater; NaN is the greatest, as for sort. With a sorter (null: none), x1[sorter] is
/// what is sorted. int64, of the shape of x2, which may be a scalar. Throws DeviceMismatchError,
/// DtypeError, ShapeError, IndexError for a sorter with an index out of bounds.
[[nodiscard]] NdArray searchsorted(const NdArray& x1, const Operand& x2, bool right,
                                   const NdArray* sorter);

}  // namespace skerry
