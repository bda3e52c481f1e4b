// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/views.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

NdArray swap_last_two(const NdArray& x) {
  Layout swapped = x.layout();
  const int last = x.rank() - 1;
  std::swap(swapped.shape[last], swapped.shape[last - 1]);
  std::swap(swapped.strides[last], swapped.strides[last - 1]);
  return x.view(std::move(swapped));
}

bool stretches(const NdArray& x, const Dims& shape) {
  const int lead = shape.rank() - x.rank();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != (axis < lead ? 1 : x.shape()[axis - lead])) return true;
  }
  return false;
}

NdArray stretched(const NdArray& x, const Dims& shape) {
  const NdArray view = x.view(broadcast_to(x.layout(), shape));
  return stretches(x, shape) ? view.read_only_view() : view;
}

}  // namespace

NdArray reshape(const NdArray& x, std::span<const std::int64_t> shape, std::optional<bool> copy) {
  const Dims new_shape = resolve_reshape(x.size(), shape);
  check_shape(new_shape.span(), x.itemsize());
  if (copy != true) {
    if (std::optional<Layout> view = reshape_view(x.layout(), new_shape, x.itemsize())) {
      return x.view(std::move(*view));
    }
    if (copy == false) {
      throw ValueError(describe(x) + " cannot be reshaped to " + to_string(new_shape) +
                       " without a copy; omit copy, or pass copy=True");
    }
  }
  const NdArray dense = copy_c_order(x);
  return dense.view(c_layout(new_shape, x.itemsize()));
}

NdArray permute_dims(const NdArray& x, std::span<const std::int64_t> axes) {
  return x.view(permute_dims(x.layout(), axes));
}

AxesAtEnd::AxesAtEnd(int rank, std::span<const std::int64_t> moved)
    : back(static_cast<std::size_t>(rank)) {
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(moved.begin(), moved.end(), axis) == moved.end()) forward.push_back(axis);
  }
  forward.insert(forward.end(), moved.begin(), moved.end());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    back[static_cast<std::size_t>(forward[i])] = static_cast<std::int64_t>(i);
  }
}

std::vector<std::int64_t> axes_in_memory(const NdArray& x) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (x.is_c_contiguous()) return axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.strides()[axis] == 0 && x.shape()[axis] > 1) return axes;
  }
  const auto step = [&](std::int64_t axis) {
    return std::abs(x.strides()[static_cast<int>(axis)]);
  };
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::int64_t a, std::int64_t b) { return step(a) > step(b); });
  return axes;
}

NdArray expand_dims(const NdArray& x, std::span<const std::int64_t> axes) {
  return x.view(expand_dims(x.layout(), axes));
}

NdArray squeeze(const NdArray& x, std::span<const std::int64_t> axes) {
  return x.view(squeeze(x.layout(), axes));
}

NdArray flip(const NdArray& x, std::optional<std::span<const std::int64_t>> axes) {
  if (axes) return x.view(flip(x.layout(), *axes));
  Dims all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  return x.view(flip(x.layout(), all.span()));
}

NdArray broadcast_to(const NdArray& x, const Dims& shape) { return stretched(x, shape); }

std::vector<NdArray> broadcast_arrays(std::span<const NdArray> arrays) {
  if (!arrays.empty()) common_device(arrays);
  std::vector<const Dims*> shapes;
  shapes.reserve(arrays.size());
  for (const NdArray& x : arrays) shapes.push_back(&x.shape());
  const Dims shape = broadcast_shapes(shapes);
  std::vector<NdArray> result;
  result.reserve(arrays.size());
  for (const NdArray& x : arrays) result.push_back(stretched(x, shape));
  return result;
}

NdArray slice_of(const NdArray& x, int axis, std::int64_t start, std::int64_t length) {
  Layout layout = x.layout();
  layout.shape[axis] = length;
  if (layout.size() > 0) layout.offset += start * layout.strides[axis];
  return x.view(std::move(layout));
}

NdArray transpose(const NdArray& x) {
  if (x.rank() != 2) {
    throw ShapeError("needs two axes: " + describe(x) + "; use x.transpose(), permute_dims or mT");
  }
  return swap_last_two(x);
}

NdArray matrix_transpose(const NdArray& x) {
  if (x.rank() < 2) {
    throw ShapeError("needs at least two axes: " + describe(x) + "; add one with expand_dims");
  }
  return swap_last_two(x);
}

}  // namespace skerry
