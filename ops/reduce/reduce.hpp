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

/// Reduces over `axes`: all axes if the optional is empty, none if the span is. `correction`
/// applies to var and std. Throws AxisError, DtypeError, ValueError.
[[nodiscard]] NdArray reduce(reduction_id op, const NdArray& x,
                             std::optional<std::span<const std::int64_t>> axes,
                             std::optional<Dtype> type, bool keepdims, double correction = 0);

/// Reduces x, without dtype=, during a recording. If the reduction is over rows that fit in a
/// cache, it is recorded itself. Otherwise, a pending x is streamed into the reduction without
/// being stored, and the result is computed at once. `is_held`: x has other references than the
/// caller's. Returns nullopt if the caller should materialize x and reduce it eagerly.
[[nodiscard]] std::optional<PendingArray> reduce_recorded(
    Recording& recording, reduction_id op, const Operand& x, bool is_held,
    std::optional<std::span<const std::int64_t>> axes, bool keepdims, double correction);

/// Returns the dtype to which x is cast before a reduction with dtype=`type`: the element dtype
/// itself if the accumulator, which wraps integers modulo 2^64, gives the same result.
[[nodiscard]] Dtype loaded_dtype(reduction_id op, Dtype element_dtype, Dtype type) noexcept;

}  // namespace skerry
