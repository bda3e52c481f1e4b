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
// for copying takes in any layout. All throw DeviceMismatchError, DtypeError, AxisError,
// ShapeError and OutOfMemoryError before anything is enqueued.

/// Along an existing axis; all of them flattened in C order where `axis` is empty. dtypes promote.
[[nodiscard]] NdArray concat(std::span<const NdArray> arrays, std::optional<std::int64_t> axis);
/// Along a new axis, at position `axis` of the result.
[[nodiscard]] NdArray stack(std::span<const NdArray> arrays, std::int64_t axis);
/// Views along an axis, made one by one: a list of thousands would not fit the caches.
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

// For functions that join on the way, under their own name: arrays of one device.

/// Equal shapes, but for `axis` where that is not negative. Throws ShapeError.
void check_shapes(std::span<const NdArray> arrays, int axis);
/// Arrays whose shapes were checked, as elements of `type`.
[[nodiscard]] NdArray join(std::span<const NdArray> arrays, int axis, Dtype type);

}  // namespace skerry
