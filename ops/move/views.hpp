// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Views wherever the layout allows it.

/// `copy`: empty: only if needed; true: always; false: value_error if one would be needed.
[[nodiscard]] ndarray reshape(const ndarray& x, std::span<const std::int64_t> shape,
                              std::optional<bool> copy);
[[nodiscard]] ndarray permute_dims(const ndarray& x, std::span<const std::int64_t> axes);
/// The axes of an array in an order that has some of them at its end, for permute_dims; and back.
struct axes_at_end {
  std::vector<std::int64_t> there;
  std::vector<std::int64_t> back;

  axes_at_end(int rank, std::span<const std::int64_t> moved);
};
/// The axes from the one with the longest steps in memory to that with the shortest; as they are
/// where elements repeat.
[[nodiscard]] std::vector<std::int64_t> axes_in_memory(const ndarray& x);
[[nodiscard]] ndarray expand_dims(const ndarray& x, std::span<const std::int64_t> axes);
[[nodiscard]] ndarray squeeze(const ndarray& x, std::span<const std::int64_t> axes);
/// Empty optional: all axes.
[[nodiscard]] ndarray flip(const ndarray& x, std::optional<std::span<const std::int64_t>> axes);
/// Read-only where an axis was stretched.
[[nodiscard]] ndarray broadcast_to(const ndarray& x, const dims& shape);
/// All on one device, else device_mismatch_error.
[[nodiscard]] std::vector<ndarray> broadcast_arrays(std::span<const ndarray> arrays);
/// Elements [start, start + length) of an axis.
[[nodiscard]] ndarray slice_of(const ndarray& x, int axis, std::int64_t start, std::int64_t length);
/// `.T` (2-D only) and `.mT` (at least 2-D). Throw shape_error.
[[nodiscard]] ndarray transpose(const ndarray& x);
[[nodiscard]] ndarray matrix_transpose(const ndarray& x);

/// What `make` makes of the array, in the same order of axes in memory, so that runs stay runs: it
/// gets the array with its axes in that order, and where each of them is then.
template <class Make>
[[nodiscard]] ndarray made_in_order(const ndarray& x, const Make& make) {
  const std::vector<std::int64_t> axes = axes_in_memory(x);
  if (std::is_sorted(axes.begin(), axes.end())) return make(x, axes);
  const axes_at_end order(x.rank(), axes);
  return permute_dims(make(permute_dims(x, order.there), order.back), order.back);
}

}  // namespace skerry
