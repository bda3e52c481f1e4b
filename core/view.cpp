// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/view.hpp"

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/layout.hpp"

namespace skerry {
namespace {

/// Returns `axes` as a bit set; throws ValueError for a repeated axis.
std::uint64_t axis_set(std::span<const std::int64_t> axes, int rank) {
  std::uint64_t axis_bits = 0;
  for (const std::int64_t axis : axes) {
    const std::uint64_t bit = std::uint64_t{1} << normalize_axis(axis, rank);
    if ((axis_bits & bit) != 0) {
      throw ValueError("axis " + std::to_string(axis) +
                       " is given more than once; name every axis once");
    }
    axis_bits |= bit;
  }
  return axis_bits;
}

bool contains(std::uint64_t set, int axis) { return (set >> axis & 1) != 0; }

/// The axes of a non-empty layout, in order, with neighbors merged if one stride describes both: a
/// new axis can be inside a chunk, but never span two.
struct Chunks {
  int count = 0;
  std::int64_t extents[max_rank];
  std::int64_t strides[max_rank];

  explicit Chunks(const Layout& layout) {
    for (int axis = 0; axis < layout.rank(); ++axis) {
      const std::int64_t n = layout.shape[axis];
      const std::int64_t stride = layout.strides[axis];
      if (n == 1) continue;
      if (count > 0 && checked_multiply(n, stride) == strides[count - 1]) {
        extents[count - 1] *= n;
        strides[count - 1] = stride;
      } else {
        extents[count] = n;
        strides[count++] = stride;
      }
    }
  }
};

}  // namespace

int normalize_axis(std::int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  std::string text = "axis " + std::to_string(axis) + " is out of bounds for array of " +
                     std::to_string(rank) + (rank == 1 ? " axis" : " axes");
  if (rank > 0) text += "; use " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
  throw AxisError(text);
}

Dims normalize_axes(std::span<const std::int64_t> axes, int rank) {
  axis_set(axes, rank);
  Dims result(axes);
  for (std::int64_t& axis : result) {
    if (axis < 0) axis += rank;
  }
  return result;
}

Layout permute_dims(const Layout& layout, std::span<const std::int64_t> axes) {
  const Dims order = normalize_axes(axes, layout.rank());
  if (order.rank() != layout.rank()) {
    throw ValueError(std::to_string(order.rank()) + " axes for an array of rank " +
                     std::to_string(layout.rank()) + "; name every axis once");
  }
  Layout result{Dims(layout.rank()), Dims(layout.rank()), layout.offset};
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const int source = static_cast<int>(order[axis]);
    result.shape[axis] = layout.shape[source];
    result.strides[axis] = layout.strides[source];
  }
  return result;
}

Layout expand_dims(const Layout& layout, std::span<const std::int64_t> axes) {
  if (axes.size() > static_cast<std::size_t>(max_rank - layout.rank())) {
    throw ShapeError("too many axes: " + std::to_string(axes.size()) + " new ones and " +
                     std::to_string(layout.rank()) + "; at most " + std::to_string(max_rank) +
                     " are possible");
  }
  const int rank = layout.rank() + static_cast<int>(axes.size());
  const std::uint64_t added = axis_set(axes, rank);
  Layout result{Dims(rank, 1), Dims(rank), layout.offset};
  for (int axis = 0, source = 0; axis < rank; ++axis) {
    if (contains(added, axis)) continue;
    result.shape[axis] = layout.shape[source];
    result.strides[axis] = layout.strides[source++];
  }
  return result;
}

Layout squeeze(const Layout& layout, std::span<const std::int64_t> axes) {
  const std::uint64_t dropped = axis_set(axes, layout.rank());
  Layout result{Dims(layout.rank() - static_cast<int>(axes.size())), {}, layout.offset};
  result.strides.assign(result.rank(), 0);
  for (int axis = 0, target = 0; axis < layout.rank(); ++axis) {
    if (!contains(dropped, axis)) {
      result.shape[target] = layout.shape[axis];
      result.strides[target++] = layout.strides[axis];
    } else if (layout.shape[axis] != 1) {
      throw ShapeError("axis " + std::to_string(axis) + " has size " +
                       std::to_string(layout.shape[axis]) + ", not 1: shape " +
                       to_string(layout.shape));
    }
  }
  return result;
}

Layout flip(const Layout& layout, std::span<const std::int64_t> axes) {
  const std::uint64_t flipped = axis_set(axes, layout.rank());
  Layout result = layout;
  if (layout.size() == 0) return result;  // an empty array has no last element to start from
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (!contains(flipped, axis) || layout.shape[axis] < 2) continue;
    result.offset += (layout.shape[axis] - 1) * layout.strides[axis];
    result.strides[axis] = -layout.strides[axis];
  }
  return result;
}

Dims resolve_reshape(std::int64_t size, std::span<const std::int64_t> shape) {
  if (shape.size() > static_cast<std::size_t>(max_rank)) check_shape(shape, 1);
  const Dims requested_shape(shape);
  Dims result = requested_shape;
  std::int64_t* unknown = nullptr;
  for (std::int64_t& n : result) {
    if (n >= 0) continue;
    if (n != -1) check_shape(shape, 1);
    if (unknown != nullptr) {
      throw ShapeError("more than one unknown dimension: shape " + to_string(requested_shape) +
                       "; use -1 once");
    }
    unknown = &n;
    n = 1;
  }
  check_shape(result.span(), 1);
  const std::int64_t known_size = Layout{result, {}, 0}.size();
  if (unknown != nullptr && known_size != 0 && size % known_size == 0) {
    *unknown = size / known_size;
  } else if (unknown != nullptr || known_size != size) {
    std::string remedy = ", which has " + std::to_string(known_size);
    if (unknown != nullptr) {
      remedy = known_size == 0 ? ": -1 is ambiguous; give every dimension"
                               : ": not a multiple of " + std::to_string(known_size);
    }
    throw ShapeError(std::to_string(size) + " elements cannot be reshaped to " +
                     to_string(requested_shape) + remedy);
  }
  return result;
}

std::optional<Layout> reshape_view(const Layout& layout, const Dims& shape, std::int64_t itemsize) {
  if (shape == layout.shape) return layout;
  Layout result = c_layout(shape, itemsize);
  result.offset = layout.offset;
  if (is_c_contiguous(layout, itemsize)) return result;
  const Chunks old(layout);
  int chunk = old.count;
  std::int64_t left = 1;  // elements of the chunk not yet assigned to an axis
  std::int64_t stride = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const std::int64_t n = shape[axis];
    if (n == 1) continue;
    if (left == 1) {
      left = old.extents[--chunk];
      stride = old.strides[chunk];
    }
    if (left % n != 0) return std::nullopt;
    result.strides[axis] = stride;
    left /= n;
    if (left > 1) stride *= n;
  }
  return result;
}

}  // namespace skerry
