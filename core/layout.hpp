// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/dims.hpp"

namespace skerry {

/// Where the elements of an array lie inside its storage: shape, byte strides, byte offset of
/// element [0, …, 0]. Invariants, kept by the functions below and those of core/view.hpp: no
/// dimension is negative, at most 64 axes, and shape, strides and extent fit int64.
struct Layout {
  Dims shape;
  Dims strides;             ///< bytes; may be negative or zero
  std::int64_t offset = 0;  ///< bytes

  [[nodiscard]] int rank() const noexcept { return shape.rank(); }
  /// Number of elements.
  [[nodiscard]] std::int64_t size() const noexcept {
    std::int64_t product = 1;
    for (const std::int64_t n : shape) product *= n;
    return product;
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// `(2, 3)`, `(5,)`, `()`: a shape as Python prints it.
[[nodiscard]] std::string to_string(const Dims& shape);

/// Row-major layout of a checked shape.
[[nodiscard]] Layout c_layout(const Dims& shape, std::int64_t itemsize);
/// Dense layout with the axis order of `prototype` (most slowly varying stays so); C order for
/// broadcast or ambiguous ones.
[[nodiscard]] Layout dense_layout_like(const Layout& prototype, std::int64_t itemsize);

/// C-contiguous in NumPy's relaxed sense: axes of size 1 don't count, an array without elements is
/// contiguous.
[[nodiscard]] bool is_c_contiguous(const Layout& layout, std::int64_t itemsize) noexcept;
[[nodiscard]] bool is_f_contiguous(const Layout& layout, std::int64_t itemsize) noexcept;
/// True if two index tuples may address the same byte (a broadcast view, say). Conservative: never
/// misses one.
[[nodiscard]] bool overlaps_itself(const Layout& layout, std::int64_t itemsize) noexcept;

/// Byte range [first, second) that the elements occupy, relative to the storage's start; empty if
/// size is 0.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> extent(const Layout& layout,
                                                           std::int64_t itemsize) noexcept;

}  // namespace skerry
