// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/dims.hpp"

namespace skerry {

/// The positions of an array's elements in its storage: shape, byte strides, byte offset of element
/// [0, …, 0]. Invariants, kept by the functions below and those of core/view.hpp: no dimension is
/// negative, at most 64 axes, and shape, strides and extent fit int64.
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

/// Formats a shape as Python does: `(2, 3)`, `(5,)`, `()`.
[[nodiscard]] std::string to_string(const Dims& shape);

/// Returns the row-major layout of a checked shape.
[[nodiscard]] Layout c_layout(const Dims& shape, std::int64_t itemsize);
/// Returns a dense layout with the axis order of `prototype`; C order if that is ambiguous or
/// broadcast.
[[nodiscard]] Layout dense_layout_like(const Layout& prototype, std::int64_t itemsize);

/// True if C-contiguous in NumPy's relaxed sense: axes of size 1 are ignored, an array without
/// elements is contiguous.
[[nodiscard]] bool is_c_contiguous(const Layout& layout, std::int64_t itemsize) noexcept;
[[nodiscard]] bool is_f_contiguous(const Layout& layout, std::int64_t itemsize) noexcept;
/// True if two index tuples may address the same byte, as in a broadcast view. Conservative: no
/// false negatives.
[[nodiscard]] bool overlaps_itself(const Layout& layout, std::int64_t itemsize) noexcept;

/// Returns the byte range [first, second) of the elements, relative to the storage's start; empty
/// if size is 0.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> extent(const Layout& layout,
                                                           std::int64_t itemsize) noexcept;

}  // namespace skerry
