// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// The items of ranks in the rows along the last axis, as if they were sorted: NaN is last. The
/// last axis of the result is that of the ranks, up to max_ranks, which are ascending and
/// distinct. Throws DtypeError, ValueError.
[[nodiscard]] NdArray order_statistics(const NdArray& x, std::span<const std::int64_t> ranks);

/// The items, or their indices (int64), such that those of the ranks are where sorting puts them,
/// those before are not greater, and those after not less. Negative ranks count from the end.
/// Throws DtypeError, AxisError, ValueError.
[[nodiscard]] NdArray partition(const NdArray& x, std::span<const std::int64_t> ranks,
                                std::int64_t axis, bool indices);

struct BestItems {
  NdArray values;
  NdArray indices;  ///< int64
};

/// The `count` greatest items along an axis, or least ones: sorted, equal ones in the order of the
/// input. NaN is the greatest. Throws DtypeError, AxisError, ValueError.
[[nodiscard]] BestItems topk(const NdArray& x, std::int64_t count, std::int64_t axis, bool largest);

}  // namespace skerry
