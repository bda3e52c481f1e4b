// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/dims.hpp"
#include "core/layout.hpp"

namespace skerry {

/// Checks a shape from outside. Throws ShapeError (negative, more than 64 axes, or so large that
/// the bytes or the product of the non-zero dimensions overflow int64). Returns the number of
/// bytes.
std::int64_t check_shape(std::span<const std::int64_t> shape, std::int64_t itemsize);

/// The common shape. Throws ShapeError that names all shapes.
[[nodiscard]] Dims broadcast_shapes(std::span<const Dims* const> shapes);
/// The fast form for two: empty if they do not broadcast.
[[nodiscard]] std::optional<Dims> broadcast_two(const Dims& a, const Dims& b);
/// `layout` seen with `shape` (which it must broadcast to; throws ShapeError): new axes and
/// stretched ones get stride 0.
[[nodiscard]] Layout broadcast_to(const Layout& layout, const Dims& shape);

/// Normalises a possibly negative axis. Throws AxisError.
[[nodiscard]] int normalize_axis(std::int64_t axis, int rank);
/// The same for several; duplicates are a ValueError.
[[nodiscard]] Dims normalize_axes(std::span<const std::int64_t> axes, int rank);

// Views. All pure; all throw before anything changed.
[[nodiscard]] Layout permute_dims(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout expand_dims(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout squeeze(const Layout& layout, std::span<const std::int64_t> axes);
[[nodiscard]] Layout flip(const Layout& layout, std::span<const std::int64_t> axes);
/// Resolves one -1 in `shape` against `size`; throws ShapeError if the sizes differ.
[[nodiscard]] Dims resolve_reshape(std::int64_t size, std::span<const std::int64_t> shape);
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
/// What items of a basic index add up to.
struct IndexCounts {
  std::int64_t consumed = 0;     ///< axes that integers and slices take
  std::int64_t result_axes = 0;  ///< axes of the result that slices and None make
  std::int64_t ellipses = 0;

  void add(IndexKind kind) noexcept {
    consumed += kind == IndexKind::integer || kind == IndexKind::slice ? 1 : 0;
    result_axes += kind == IndexKind::slice || kind == IndexKind::new_axis ? 1 : 0;
    ellipses += kind == IndexKind::ellipsis ? 1 : 0;
  }
};
/// Basic indexing (integers, slices, `...`, None) with Python's rules. Throws IndexError: out of
/// bounds, too many indices, two ellipses; ValueError for a zero step.
[[nodiscard]] Layout index_view(const Layout& layout, std::span<const IndexItem> items);
/// The same where the items have been counted.
[[nodiscard]] Layout index_view(const Layout& layout, std::span<const IndexItem> items,
                                const IndexCounts& counts);

}  // namespace skerry
