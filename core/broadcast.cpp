// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"

namespace skerry {
namespace {

/// Returns the extent of the axis `from_end` steps before the last; 1 if the shape has no such
/// axis.
std::int64_t extent_from_end(const Dims& shape, int from_end) {
  return from_end < shape.rank() ? shape[shape.rank() - 1 - from_end] : 1;
}

[[noreturn]] void reject(std::span<const Dims* const> shapes, int from_end, std::int64_t n,
                         std::int64_t other) {
  std::string text = "shapes ";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += i + 1 == shapes.size() ? " and " : ", ";
    text += to_string(*shapes[i]);
  }
  throw ShapeError(text + " cannot be broadcast: axis -" + std::to_string(from_end + 1) +
                   " has sizes " + std::to_string(n) + " and " + std::to_string(other) +
                   "; sizes must be equal or 1");
}

}  // namespace

Dims broadcast_shapes(std::span<const Dims* const> shapes) {
  int rank = 0;
  for (const Dims* shape : shapes) rank = std::max(rank, shape->rank());
  Dims result(rank, 1);
  for (int from_end = 0; from_end < rank; ++from_end) {
    std::int64_t& common = result[rank - 1 - from_end];
    for (const Dims* shape : shapes) {
      const std::int64_t n = extent_from_end(*shape, from_end);
      if (n == 1 || n == common) continue;
      if (common != 1) reject(shapes, from_end, common, n);
      common = n;
    }
  }
  return result;
}

std::optional<Dims> broadcast_two(const Dims& a, const Dims& b) {
  if (a == b) return a;
  const Dims& longer = a.rank() >= b.rank() ? a : b;
  const Dims& shorter = a.rank() >= b.rank() ? b : a;
  Dims result = longer;
  const int lead = longer.rank() - shorter.rank();
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    const std::int64_t n = shorter[axis];
    std::int64_t& common = result[lead + axis];
    if (n == 1 || n == common) continue;
    if (common != 1) return std::nullopt;
    common = n;
  }
  return result;
}

Layout broadcast_to(const Layout& layout, const Dims& shape) {
  // A broadcast view needs no memory, so its size may overflow. Check it for the widest dtype, so
  // that the shape is valid for every dtype.
  constexpr std::int64_t max_itemsize = 16;
  check_shape(shape.span(), max_itemsize);
  const int lead = shape.rank() - layout.rank();
  const auto prefix = [&] {
    return "shape " + to_string(layout.shape) + " does not broadcast to " + to_string(shape) + ": ";
  };
  if (lead < 0) {
    throw ShapeError(prefix() + "it has " + std::to_string(layout.rank()) + " axes, more than " +
                     std::to_string(shape.rank()));
  }
  Layout result{shape, Dims(shape.rank()), layout.offset};
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const std::int64_t n = layout.shape[axis];
    const std::int64_t target_extent = shape[lead + axis];
    if (n == target_extent) {
      result.strides[lead + axis] = layout.strides[axis];
    } else if (n != 1) {
      throw ShapeError(prefix() + "axis -" + std::to_string(layout.rank() - axis) + " has sizes " +
                       std::to_string(n) + " and " + std::to_string(target_extent) +
                       "; the first must be equal or 1");
    }
  }
  return result;
}

}  // namespace skerry
