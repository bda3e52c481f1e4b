// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/layout.hpp"

#include <cstdlib>

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"

namespace skerry {
namespace {

/// The axes of more than one element, sorted by |stride|, stable.
struct SortedAxes {
  int count = 0;
  int axes[max_rank];

  explicit SortedAxes(const Layout& layout) noexcept {
    for (int axis = 0; axis < layout.rank(); ++axis) {
      if (layout.shape[axis] < 2) continue;
      const std::int64_t stride = std::abs(layout.strides[axis]);
      int position = count++;
      for (; position > 0 && std::abs(layout.strides[axes[position - 1]]) > stride; --position) {
        axes[position] = axes[position - 1];
      }
      axes[position] = axis;
    }
  }
};

bool has_no_elements(const Layout& layout) noexcept {
  return std::find(layout.shape.begin(), layout.shape.end(), 0) != layout.shape.end();
}

}  // namespace

std::string to_string(const Dims& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::int64_t check_shape(std::span<const std::int64_t> shape, std::int64_t itemsize) {
  if (shape.size() > static_cast<std::size_t>(max_rank)) {
    throw ShapeError("too many axes: " + std::to_string(shape.size()) + "; at most " +
                     std::to_string(max_rank) + " are possible");
  }
  std::optional<std::int64_t> nbytes = itemsize;  // ignoring zero dimensions
  bool empty = false;
  for (const std::int64_t n : shape) {
    if (n < 0) {
      throw ShapeError("shape must not have a negative size: " + to_string(Dims(shape)));
    }
    if (n == 0) empty = true;
    if (n > 0 && nbytes) nbytes = checked_multiply(*nbytes, n);
  }
  if (!nbytes) {
    throw ShapeError("shape is too large: " + to_string(Dims(shape)) + " of " +
                     std::to_string(itemsize) + "-byte elements; at most 2^63 - 1 bytes " +
                     "are possible, zero dimensions not counted");
  }
  return empty ? 0 : *nbytes;
}

Layout c_layout(const Dims& shape, std::int64_t itemsize) {
  Layout result{shape, Dims(shape.rank()), 0};
  std::int64_t stride = itemsize;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    result.strides[axis] = stride;
    if (shape[axis] > 1) stride *= shape[axis];
  }
  return result;
}

Layout dense_layout_like(const Layout& prototype, std::int64_t itemsize) {
  const SortedAxes order(prototype);
  bool ambiguous = has_no_elements(prototype);
  std::int64_t previous = 0;
  for (int i = 0; i < order.count; ++i) {
    const std::int64_t stride = std::abs(prototype.strides[order.axes[i]]);
    ambiguous = ambiguous || stride == previous;  // the first stride is ambiguous if 0 (broadcast)
    previous = stride;
  }
  Layout result = c_layout(prototype.shape, itemsize);
  if (ambiguous) return result;
  std::int64_t stride = itemsize;
  for (int i = 0; i < order.count; ++i) {
    result.strides[order.axes[i]] = stride;
    stride *= prototype.shape[order.axes[i]];
  }
  return result;
}

bool is_c_contiguous(const Layout& layout, std::int64_t itemsize) noexcept {
  std::int64_t expected = itemsize;
  for (int axis = layout.rank() - 1; axis >= 0; --axis) {
    const std::int64_t n = layout.shape[axis];
    if (n == 1) continue;
    if (layout.strides[axis] != expected) return has_no_elements(layout);
    expected *= n;
  }
  return true;
}

bool is_f_contiguous(const Layout& layout, std::int64_t itemsize) noexcept {
  std::int64_t expected = itemsize;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const std::int64_t n = layout.shape[axis];
    if (n == 1) continue;
    if (layout.strides[axis] != expected) return has_no_elements(layout);
    expected *= n;
  }
  return true;
}

bool overlaps_itself(const Layout& layout, std::int64_t itemsize) noexcept {
  if (has_no_elements(layout)) return false;
  const SortedAxes order(layout);
  std::int64_t occupied = itemsize;  // bytes spanned by the axes so far
  for (int i = 0; i < order.count; ++i) {
    const int axis = order.axes[i];
    const std::int64_t stride = std::abs(layout.strides[axis]);
    if (stride < occupied) return true;
    occupied += (layout.shape[axis] - 1) * stride;
  }
  return false;
}

std::pair<std::int64_t, std::int64_t> extent(const Layout& layout, std::int64_t itemsize) noexcept {
  std::int64_t first = layout.offset;
  std::int64_t last = layout.offset;
  if (has_no_elements(layout)) return {first, last};
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const std::int64_t reach = (layout.shape[axis] - 1) * layout.strides[axis];
    (reach < 0 ? first : last) += reach;
  }
  return {first, last + itemsize};
}

}  // namespace skerry
