// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/dims.hpp"

namespace skerry {

/// Where the elements of an array lie inside its storage: shape, byte strides, byte offset of
/// element [0, …, 0]. Invariants, kept by the functions below: no dimension is negative, at most 64
/// axes, and shape, strides and extent fit int64.
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

/// Checks a shape from outside. Throws ShapeError (negative, more than 64 axes, or so large that
/// the bytes or the product of the non-zero dimensions overflow int64), prefixed with `op: `.
/// Returns the number of bytes.
std::int64_t check_shape(const char* op, std::span<const std::int64_t> shape,
                         std::int64_t itemsize);

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

/// The common shape. Throws ShapeError that names `op` and all shapes.
[[nodiscard]] Dims broadcast_shapes(const char* op, std::span<const Dims* const> shapes);
/// The fast form for two: empty if they do not broadcast.
[[nodiscard]] std::optional<Dims> broadcast_two(const Dims& a, const Dims& b);
/// `layout` seen with `shape` (which it must broadcast to; throws ShapeError): new axes and
/// stretched ones get stride 0.
[[nodiscard]] Layout broadcast_to(const char* op, const Layout& layout, const Dims& shape);

/// Normalises a possibly negative axis. Throws AxisError.
[[nodiscard]] int normalize_axis(const char* op, std::int64_t axis, int rank);
/// The same for several; duplicates are a ValueError.
[[nodiscard]] Dims normalize_axes(const char* op, std::span<const std::int64_t> axes, int rank);

// Views. All pure; all throw before anything changed.
[[nodiscard]] Layout permute_dims(const char* op, const Layout& layout,
                                  std::span<const std::int64_t> axes);
[[nodiscard]] Layout expand_dims(const char* op, const Layout& layout,
                                 std::span<const std::int64_t> axes);
[[nodiscard]] Layout squeeze(const char* op, const Layout& layout,
                             std::span<const std::int64_t> axes);
[[nodiscard]] Layout flip(const char* op, const Layout& layout, std::span<const std::int64_t> axes);
/// Resolves one -1 in `shape` against `size`; throws ShapeError if the sizes differ.
[[nodiscard]] Dims resolve_reshape(const char* op, std::int64_t size,
                                   std::span<const std::int64_t> shape);
/// The layout with a new shape, if that needs no copy.
[[nodiscard]] std::optional<Layout> reshape_view(const Layout& layout, const Dims& shape,
                                                 std::int64_t itemsize);

enum class IndexKind : std::uint8_t { integer, slice, ellipsis, new_axis };
/// One part of a basic index.
struct IndexItem {
  IndexKind kind;
  std::int64_t start = 0;  ///< the integer, or the slice's start
  std::int64_t stop = 0;
  std::int64_t step = 1;
  bool has_start = false;
  bool has_stop = false;
};
/// Basic indexing (integers, slices, `...`, None) with Python's rules. Throws IndexError: out of
/// bounds, too many indices, two ellipses; ValueError for a zero step.
[[nodiscard]] Layout index_view(const char* op, const Layout& layout,
                                std::span<const IndexItem> items);

}  // namespace skerry
