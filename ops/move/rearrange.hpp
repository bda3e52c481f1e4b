// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

// New arrays of rearranged elements: copies into views of the result. All functions throw
// AxisError, ShapeError and OutOfMemoryError before anything is enqueued. The results of repeat()
// and roll() have the axis order of `x` in memory.

/// Repeats `x` along its last axes, or along new leading axes. Throws ValueError for a negative
/// repetition.
[[nodiscard]] NdArray tile(const NdArray& x, std::span<const std::int64_t> repetitions);
/// Repeats each element `repeats` times in a row, in the flattened array if `axis` is empty.
[[nodiscard]] NdArray repeat(const NdArray& x, std::int64_t repeats,
                             std::optional<std::int64_t> axis);
/// Moves element `i` to `i + shift` modulo the extent; if `axes` is empty, rolls the flattened
/// array. Shifts and axes pair up, or a single one of either combines with all of the other. Shifts
/// of an axis that is given twice add up.
[[nodiscard]] NdArray roll(const NdArray& x, std::span<const std::int64_t> shifts,
                           std::optional<std::span<const std::int64_t>> axes);

}  // namespace skerry
