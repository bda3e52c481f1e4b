// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// New arrays joined from others: copies into views of the result, by the copy kernel, which takes
// any layout. All functions throw DeviceMismatchError, DtypeError, AxisError, ShapeError and
// OutOfMemoryError before anything is enqueued.

/// Joins along an existing axis; if `axis` is empty, flattens all arrays in C order. dtypes
/// promote.
[[nodiscard]] NdArray concat(std::span<const NdArray> arrays, std::optional<std::int64_t> axis);
/// Joins along a new axis at position `axis` of the result.
[[nodiscard]] NdArray stack(std::span<const NdArray> arrays, std::int64_t axis);
/// Iterates over views along an axis, created one by one: a list of thousands would not fit in the
/// caches.
class Unstacked {
 public:
  Unstacked(const NdArray& x, std::int64_t axis);
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] NdArray next();

 private:
  const NdArray& x_;
  Layout layout_;
  std::int64_t stride_;
  std::int64_t count_;
};

// For functions that join arrays of one device as a step, under their own name.

/// Throws ShapeError unless shapes are equal, except along `axis` if it is not negative.
void check_shapes(std::span<const NdArray> arrays, int axis);
/// Joins arrays with checked shapes, converting them to `type`.
[[nodiscard]] NdArray join(std::span<const NdArray> arrays, int axis, Dtype type);

}  // namespace skerry
