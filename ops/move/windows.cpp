// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/windows.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"

namespace skerry {

NdArray sliding_windows(const NdArray& x, std::span<const std::int64_t> lengths,
                        std::span<const std::int64_t> axes) {
  const int more = static_cast<int>(axes.size());
  if (lengths.size() != axes.size()) {
    throw ValueError(std::to_string(lengths.size()) + " lengths for " +
                     std::to_string(axes.size()) + " axes");
  }
  if (x.rank() + more > max_rank) {
    throw ValueError("more than " + std::to_string(max_rank) + " axes");
  }
  Layout layout{.shape = Dims(x.rank() + more), .strides = Dims(x.rank() + more)};
  layout.offset = x.layout().offset;
  for (int axis = 0; axis < x.rank(); ++axis) {
    layout.shape[axis] = x.shape()[axis];
    layout.strides[axis] = x.layout().strides[axis];
  }
  for (int i = 0; i < more; ++i) {
    const std::int64_t length = lengths[static_cast<std::size_t>(i)];
    const int axis = normalize_axis(axes[static_cast<std::size_t>(i)], x.rank());
    if (length < 0 || length > layout.shape[axis]) {
      throw ValueError("invalid window length: " + std::to_string(length) + " along axis " +
                       std::to_string(axis) + " of " + describe(x));
    }
    layout.shape[axis] -= length - 1;
    layout.shape[x.rank() + i] = length;
    layout.strides[x.rank() + i] = layout.strides[axis];
  }
  return x.view(std::move(layout)).read_only_view();
}

NdArray strided_view(const NdArray& x, const Dims& shape, std::span<const std::int64_t> strides) {
  if (static_cast<int>(strides.size()) != shape.rank()) {
    throw ValueError(std::to_string(strides.size()) + " strides for " +
                     std::to_string(shape.rank()) + " axes");
  }
  Layout layout{.shape = shape, .strides = Dims(shape.rank())};
  layout.offset = x.layout().offset;
  std::int64_t first = layout.offset;
  std::int64_t last = first + x.itemsize();
  bool is_empty = false;
  bool is_outside = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
    layout.strides[axis] = stride;
    is_empty = is_empty || shape[axis] == 0;
    if (shape[axis] < 2) continue;
    if (stride % x.itemsize() != 0) {
      throw ValueError("a stride must be a multiple of the item size, " +
                       std::to_string(x.itemsize()) + ": " + std::to_string(stride));
    }
    std::int64_t& end = stride < 0 ? first : last;
    std::int64_t reach = 0;
    is_outside = is_outside || __builtin_mul_overflow(stride, shape[axis] - 1, &reach) ||
                 __builtin_add_overflow(end, reach, &end);
  }
  is_outside = is_outside || first < 0 || last > static_cast<std::int64_t>(x.memory()->nbytes());
  if (is_outside && !is_empty) {
    throw ValueError("elements of shape " + to_string(shape) +
                     " with these strides lie outside of the memory of " + describe(x));
  }
  return x.view(std::move(layout));
}

}  // namespace skerry
