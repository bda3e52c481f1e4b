// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/views.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

ndarray swap_last_two(const ndarray& x) {
  layout swapped = x.layout();
  const int last = x.rank() - 1;
  std::swap(swapped.shape[last], swapped.shape[last - 1]);
  std::swap(swapped.strides[last], swapped.strides[last - 1]);
  return x.view(std::move(swapped));
}

bool stretches(const ndarray& x, const dims& shape) {
  const int lead = shape.rank() - x.rank();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != (axis < lead ? 1 : x.shape()[axis - lead])) return true;
  }
  return false;
}

ndarray stretched(const char* op, const ndarray& x, const dims& shape) {
  const ndarray view = x.view(broadcast_to(op, x.layout(), shape));
  return stretches(x, shape) ? view.read_only_view() : view;
}

}  // namespace

ndarray reshape(const ndarray& x, std::span<const std::int64_t> shape, std::optional<bool> copy) {
  const dims wanted = resolve_reshape("reshape", x.size(), shape);
  check_shape("reshape", wanted.span(), x.itemsize());
  if (copy != true) {
    if (std::optional<layout> view = reshape_view(x.layout(), wanted, x.itemsize())) {
      return x.view(std::move(*view));
    }
    if (copy == false) {
      throw value_error("reshape: " + describe(x) + " can't be seen as " + to_string(wanted) +
                        " without a copy; leave copy out, or pass copy=True");
    }
  }
  const ndarray dense = copy_c_order(x);
  return dense.view(c_layout(wanted, x.itemsize()));
}

ndarray permute_dims(const ndarray& x, std::span<const std::int64_t> axes) {
  return x.view(permute_dims("permute_dims", x.layout(), axes));
}

axes_at_end::axes_at_end(int rank, std::span<const std::int64_t> moved)
    : back(static_cast<std::size_t>(rank)) {
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(moved.begin(), moved.end(), axis) == moved.end()) there.push_back(axis);
  }
  there.insert(there.end(), moved.begin(), moved.end());
  for (std::size_t i = 0; i < there.size(); ++i) {
    back[static_cast<std::size_t>(there[i])] = static_cast<std::int64_t>(i);
  }
}

std::vector<std::int64_t> axes_in_memory(const ndarray& x) {
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

ndarray expand_dims(const ndarray& x, std::span<const std::int64_t> axes) {
  return x.view(expand_dims("expand_dims", x.layout(), axes));
}

ndarray squeeze(const ndarray& x, std::span<const std::int64_t> axes) {
  return x.view(squeeze("squeeze", x.layout(), axes));
}

ndarray flip(const ndarray& x, std::optional<std::span<const std::int64_t>> axes) {
  if (axes) return x.view(flip("flip", x.layout(), *axes));
  dims all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  return x.view(flip("flip", x.layout(), all.span()));
}

ndarray broadcast_to(const ndarray& x, const dims& shape) {
  return stretched("broadcast_to", x, shape);
}

std::vector<ndarray> broadcast_arrays(std::span<const ndarray> arrays) {
  constexpr const char* op = "broadcast_arrays";
  if (!arrays.empty()) common_device(op, arrays);
  std::vector<const dims*> shapes;
  shapes.reserve(arrays.size());
  for (const ndarray& x : arrays) shapes.push_back(&x.shape());
  const dims shape = broadcast_shapes(op, shapes);
  std::vector<ndarray> result;
  result.reserve(arrays.size());
  for (const ndarray& x : arrays) result.push_back(stretched(op, x, shape));
  return result;
}

ndarray slice_of(const ndarray& x, int axis, std::int64_t start, std::int64_t length) {
  layout place = x.layout();
  place.shape[axis] = length;
  if (place.size() > 0) place.offset += start * place.strides[axis];
  return x.view(std::move(place));
}

ndarray transpose(const ndarray& x) {
  if (x.rank() != 2) {
    throw shape_error("T: needs two axes: " + describe(x) + "; use permute_dims or mT");
  }
  return swap_last_two(x);
}

ndarray matrix_transpose(const ndarray& x) {
  if (x.rank() < 2) {
    throw shape_error("matrix_transpose: needs at least two axes: " + describe(x) +
                      "; add one with expand_dims");
  }
  return swap_last_two(x);
}

}  // namespace skerry
