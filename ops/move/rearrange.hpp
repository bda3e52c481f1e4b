// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

// Fresh arrays of the elements of one array: copies into views of the result. All throw AxisError,
// ShapeError and OutOfMemoryError before anything is enqueued. Axes of results of repeat() and
// roll() are in the order of those of `x`.

/// `repetitions` belong to the last axes, or `x` gets axes in front. Throws ValueError for a
/// negative one.
[[nodiscard]] NdArray tile(const NdArray& x, std::span<const std::int64_t> repetitions);
/// Each element `repeats` times, side by side; of the flattened array where `axis` is empty.
[[nodiscard]] NdArray repeat(const NdArray& x, std::int64_t repeats,
                             std::optional<std::int64_t> axis);
/// Element `i` moves to `i + shift` around the axis; around the flattened array where `axes` is
/// empty. Shifts and axes pair up, one of either goes with all of the other; shifts of an axis
/// that is named twice add up.
[[nodiscard]] NdArray roll(const NdArray& x, std::span<const std::int64_t> shifts,
                           std::optional<std::span<const std::int64_t>> axes);

}  // namespace skerry
