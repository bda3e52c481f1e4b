// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Fresh arrays made of the elements of others: copies into views of the result, which the kernel
// for copying takes in any layout. All throw device_mismatch_error, dtype_error, axis_error,
// shape_error and out_of_memory_error before anything is enqueued.

/// Along an existing axis; all of them flattened in C order where `axis` is empty. dtypes promote.
[[nodiscard]] ndarray concat(std::span<const ndarray> arrays, std::optional<std::int64_t> axis);
/// Along a new axis, at position `axis` of the result.
[[nodiscard]] ndarray stack(std::span<const ndarray> arrays, std::int64_t axis);
/// Views along an axis.
[[nodiscard]] std::vector<ndarray> unstack(const ndarray& x, std::int64_t axis);

/// `repetitions` belong to the last axes, or `x` gets axes in front. Throws value_error for a
/// negative one.
[[nodiscard]] ndarray tile(const ndarray& x, std::span<const std::int64_t> repetitions);
/// Each element `repeats` times, side by side; of the flattened array where `axis` is empty.
[[nodiscard]] ndarray repeat(const ndarray& x, std::int64_t repeats,
                             std::optional<std::int64_t> axis);
/// Element `i` moves to `i + shift` around the axis; around the flattened array where `axes` is
/// empty. Shifts and axes pair up, one of either goes with all of the other; shifts of an axis
/// that is named twice add up.
[[nodiscard]] ndarray roll(const ndarray& x, std::span<const std::int64_t> shifts,
                           std::optional<std::span<const std::int64_t>> axes);
/// `n`-th differences along an axis, of the three arrays one after the other (either of the outer
/// ones may be null).
[[nodiscard]] ndarray diff(const ndarray& x, std::int64_t axis, std::int64_t n,
                           const ndarray* prepend, const ndarray* append);

}  // namespace skerry
