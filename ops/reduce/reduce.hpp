// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"
#include "ops/reduce/reduction_table.hpp"

namespace skerry {

struct Operand;
struct PendingArray;
class Recording;

/// Reduces over `axes` (empty optional: all of them; an empty span: none). `correction` is for
/// those that have one. Throws AxisError, DtypeError, ValueError.
[[nodiscard]] NdArray reduce(reduction_id op, const NdArray& x,
                             std::optional<std::span<const std::int64_t>> axes,
                             std::optional<Dtype> type, bool keepdims, double correction = 0);

/// The same without dtype= while `recording` records: over rows of x that fit a cache the reduction
/// is recorded, too. Else, of an array that is pending, its elements are made for it and not
/// stored, and the result has its value; `is_held`: x, by others than who asks. Nothing where it
/// had better be computed as ever.
[[nodiscard]] std::optional<PendingArray> reduce_recorded(
    Recording& recording, reduction_id op, const Operand& x, bool is_held,
    std::optional<std::span<const std::int64_t>> axes, bool keepdims, double correction);

/// What x is cast to before it is reduced (by a reduction that takes dtype=) to `type`: nothing
/// where the accumulator, which holds integers modulo 2^64, gives the same.
[[nodiscard]] Dtype loaded_dtype(reduction_id op, Dtype element_dtype, Dtype type) noexcept;

}  // namespace skerry
