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

// These return views if the layout permits.

/// `copy`: if empty, copies only if needed; if true, always; if false, throws ValueError if a copy
/// is needed.
[[nodiscard]] NdArray reshape(const NdArray& x, std::span<const std::int64_t> shape,
                              std::optional<bool> copy);
[[nodiscard]] NdArray permute_dims(const NdArray& x, std::span<const std::int64_t> axes);
/// A permutation that moves some axes to the end, for permute_dims, and its inverse.
struct AxesAtEnd {
  std::vector<std::int64_t> forward;
  std::vector<std::int64_t> back;

  AxesAtEnd(int rank, std::span<const std::int64_t> moved);
};
/// Returns the axes by decreasing stride, or in their order if elements repeat.
[[nodiscard]] std::vector<std::int64_t> axes_in_memory(const NdArray& x);
[[nodiscard]] NdArray expand_dims(const NdArray& x, std::span<const std::int64_t> axes);
[[nodiscard]] NdArray squeeze(const NdArray& x, std::span<const std::int64_t> axes);
/// An empty optional means all axes.
[[nodiscard]] NdArray flip(const NdArray& x, std::optional<std::span<const std::int64_t>> axes);
/// The result is read-only if an axis was stretched.
[[nodiscard]] NdArray broadcast_to(const NdArray& x, const Dims& shape);
/// Throws DeviceMismatchError unless all arrays are on one device.
[[nodiscard]] std::vector<NdArray> broadcast_arrays(std::span<const NdArray> arrays);
/// Returns elements [start, start + length) of an axis.
[[nodiscard]] NdArray slice_of(const NdArray& x, int axis, std::int64_t start, std::int64_t length);
/// `.T` (2-D only) and `.mT` (at least 2-D). Throw ShapeError.
[[nodiscard]] NdArray transpose(const NdArray& x);
[[nodiscard]] NdArray matrix_transpose(const NdArray& x);

/// Applies `make` to the array with its axes in memory order, so that runs remain runs, and
/// permutes the result back. `make` also receives the new position of each axis.
template <class Make>
[[nodiscard]] NdArray apply_in_order(const NdArray& x, const Make& make) {
  const std::vector<std::int64_t> axes = axes_in_memory(x);
  if (std::is_sorted(axes.begin(), axes.end())) return make(x, axes);
  const AxesAtEnd order(x.rank(), axes);
  return permute_dims(make(permute_dims(x, order.forward), order.back), order.back);
}

}  // namespace skerry
