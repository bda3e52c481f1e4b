// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/dims.hpp"
#include "core/layout.hpp"

namespace skerry {

/// Checks a user's shape and returns its number of bytes. Throws ShapeError for a negative
/// dimension, more than 64 axes, or a shape so large that the bytes or the product of the non-zero
/// dimensions overflow int64.
std::int64_t check_shape(std::span<const std::int64_t> shape, std::int64_t itemsize);

/// Returns the common shape. Throws ShapeError, whose text lists all shapes.
[[nodiscard]] Dims broadcast_shapes(std::span<const Dims* const> shapes);
/// The same for two shapes, faster; empty if they do not broadcast.
[[nodiscard]] std::optional<Dims> broadcast_two(const Dims& a, const Dims& b);
/// Returns `layout` broadcast to `shape`: new and expanded axes get stride 0. Throws ShapeError.
[[nodiscard]] Layout broadcast_to(const Layout& layout, const Dims& shape);

/// Normalizes a possibly negative axis. Throws AxisError.
[[nodiscard]] int normalize_axis(std::int64_t axis, int rank);
/// The same for several axes; throws ValueError for duplicates.
[[nodiscard]] Dims normalize_axes(std::span<const std::int64_t> axes, int rank);

// These return the layout of a view.
[[nodiscard]] Layout permute_dims(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout expand_dims(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout squeeze(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout flip(const Layout& layout, std::span<const std::int64_t> axes);
/// Returns `shape` with a -1, if any, replaced so that it has `size` elements; throws ShapeError if
/// that is impossible.
[[nodiscard]] Dims resolve_reshape(std::int64_t size, std::span<const std::int64_t> shape);
/// Returns the layout with a new shape, if possible without a copy.
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
/// Totals over the items of a basic index.
struct IndexCounts {
  std::int64_t consumed = 0;     ///< axes consumed by integers and slices
  std::int64_t result_axes = 0;  ///< axes of the result from slices and None
  std::int64_t ellipses = 0;

  void add(IndexKind kind) noexcept {
    consumed += kind == IndexKind::integer || kind == IndexKind::slice ? 1 : 0;
    result_axes += kind == IndexKind::slice || kind == IndexKind::new_axis ? 1 : 0;
    ellipses += kind == IndexKind::ellipsis ? 1 : 0;
  }
};
/// Basic indexing (integers, slices, `...`, None) with Python's rules. Throws IndexError for an
/// index out of bounds, too many indices or two ellipses, ValueError for a zero step, and
/// ShapeError for too many axes.
[[nodiscard]] Layout index_view(const Layout& layout, std::span<const IndexItem> items);
/// The same with items that have already been counted.
[[nodiscard]] Layout index_view(const Layout& layout, std::span<const IndexItem> items,
                                const IndexCounts& counts);

}  // namespace skerry
