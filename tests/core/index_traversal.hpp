// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/layout.hpp"

namespace skerry::testing_traversal {

/// Returns the byte offset of an element by the definition of strides.
inline std::int64_t offset_of(const Layout& layout, const std::vector<std::int64_t>& index) {
  std::int64_t offset = layout.offset;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    offset += index[static_cast<std::size_t>(axis)] * layout.strides[axis];
  }
  return offset;
}

/// Calls `visit` with every index of `shape`, last axis fastest.
template <class F>
void for_each_index(const Dims& shape, F&& visit) {
  for (const std::int64_t n : shape) {
    if (n == 0) return;
  }
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()), 0);
  for (;;) {
    visit(static_cast<const std::vector<std::int64_t>&>(index));
    int axis = shape.rank() - 1;
    for (; axis >= 0; --axis) {
      std::int64_t& position = index[static_cast<std::size_t>(axis)];
      if (++position < shape[axis]) break;
      position = 0;
    }
    if (axis < 0) return;
  }
}

/// Returns the byte offsets of all elements, last axis fastest.
inline std::vector<std::int64_t> offsets_of(const Layout& layout) {
  std::vector<std::int64_t> result;
  for_each_index(layout.shape,
                 [&](const auto& index) { result.push_back(offset_of(layout, index)); });
  return result;
}

using random_source = std::mt19937;

inline std::int64_t between(random_source& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline Dims random_shape(random_source& random, int rank, std::int64_t low, std::int64_t high) {
  Dims shape(rank);
  for (std::int64_t& n : shape) n = between(random, low, high);
  return shape;
}

/// Returns a view of `shape` such as users create: permuted axes, steps of either sign, gaps, an
/// offset, and (with `repeats`) broadcast axes.
inline Layout random_layout(random_source& random, const Dims& shape, std::int64_t itemsize,
                            bool repeats) {
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  if (between(random, 0, 1) != 0) std::shuffle(order.begin(), order.end(), random);
  Layout result{shape, Dims(shape.rank()), between(random, 0, 3) * itemsize};
  std::int64_t stride = itemsize;
  for (std::size_t i = order.size(); i-- > 0;) {
    const int axis = order[i];
    const std::int64_t step = between(random, 0, 3) == 0 ? between(random, 2, 3) : 1;
    result.strides[axis] = stride * step;
    stride *= step * std::max<std::int64_t>(shape[axis], 1) + (between(random, 0, 5) == 0 ? 1 : 0);
    if (repeats && between(random, 0, 4) == 0) result.strides[axis] = 0;
    if (between(random, 0, 4) != 0 || shape[axis] == 0) continue;
    result.offset += (shape[axis] - 1) * result.strides[axis];
    result.strides[axis] = -result.strides[axis];
  }
  return result;
}

}  // namespace skerry::testing_traversal
