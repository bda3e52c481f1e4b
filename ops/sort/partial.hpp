// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns the items of the given ranks in the sorted rows along the last axis; NaN sorts last. The
/// last axis of the result runs over the ranks: at most max_ranks, ascending and distinct. Throws
/// DtypeError, ValueError.
[[nodiscard]] NdArray order_statistics(const NdArray& x, std::span<const std::int64_t> ranks);

/// Partially sorts the items, or their indices (int64): those at the ranks are where sorting would
/// put them, no item before them is greater, and none after them is less. Negative ranks count from
/// the end. Throws DtypeError, AxisError, ValueError.
[[nodiscard]] NdArray partition(const NdArray& x, std::span<const std::int64_t> ranks,
                                std::int64_t axis, bool indices);

struct BestItems {
  NdArray values;
  NdArray indices;  ///< int64
};

/// Returns the `count` largest or smallest items along an axis, sorted; equal items keep the order
/// of the input. NaN is the greatest. Throws DtypeError, AxisError, ValueError.
[[nodiscard]] BestItems topk(const NdArray& x, std::int64_t count, std::int64_t axis, bool largest);

}  // namespace skerry
