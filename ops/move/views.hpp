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

/// `copy`: empty: only if needed; true: always; false: ValueError if one would be needed.
[[nodiscard]] NdArray reshape(const NdArray& x, std::span<const std::int64_t> shape,
                              std::optional<bool> copy);
[[nodiscard]] NdArray permute_dims(const NdArray& x, std::span<const std::int64_t> axes);
/// The axes of an array in an order that has some of them at its end, for permute_dims; and back.
struct AxesAtEnd {
  std::vector<std::int64_t> forward;
  std::vector<std::int64_t> back;

  AxesAtEnd(int rank, std::span<const std::int64_t> moved);
};
/// The axes from the one with the longest steps in memory to that with the shortest; as they are
/// where elements repeat.
[[nodiscard]] std::vector<std::int64_t> axes_in_memory(const NdArray& x);
[[nodiscard]] NdArray expand_dims(const NdArray& x, std::span<const std::int64_t> axes);
[[nodiscard]] NdArray squeeze(const NdArray& x, std::span<const std::int64_t> axes);
/// Empty optional: all axes.
[[nodiscard]] NdArray flip(const NdArray& x, std::optional<std::span<const std::int64_t>> axes);
/// Read-only where an axis was stretched.
[[nodiscard]] NdArray broadcast_to(const NdArray& x, const Dims& shape);
/// All on one device, else DeviceMismatchError.
[[nodiscard]] std::vector<NdArray> broadcast_arrays(std::span<const NdArray> arrays);
/// Elements [start, start + length) of an axis.
[[nodiscard]] NdArray slice_of(const NdArray& x, int axis, std::int64_t start, std::int64_t length);
/// `.T` (2-D only) and `.mT` (at least 2-D). Throw ShapeError.
[[nodiscard]] NdArray transpose(const NdArray& x);
[[nodiscard]] NdArray matrix_transpose(const NdArray& x);

/// What `make` makes of the array, in the same order of axes in memory, so that runs stay runs: it
/// gets the array with its axes in that order, and where each of them is then.
template <class Make>
[[nodiscard]] NdArray apply_in_order(const NdArray& x, const Make& make) {
  const std::vector<std::int64_t> axes = axes_in_memory(x);
  if (std::is_sorted(axes.begin(), axes.end())) return make(x, axes);
  const AxesAtEnd order(x.rank(), axes);
  return permute_dims(make(permute_dims(x, order.forward), order.back), order.back);
}

}  // namespace skerry
