// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/layout.hpp"
#include "core/ndarray.hpp"
#include "core/view.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

enum class AdvancedKind : std::uint8_t {
  indices,  ///< an array of an integer dtype
  mask,     ///< a bool array with axes; it indexes as many axes of x
  boolean,  ///< a bool: a new axis of one element or none
};
/// An advanced part of a key.
struct AdvancedItem {
  std::size_t position;  ///< among the parts of the key
  const NdArray* array;  ///< null for a bool
  AdvancedKind kind = AdvancedKind::indices;
  bool boolean = false;
};
/// A key as parsed. The caller owns what it refers to, and has checked that all arrays are on the
/// device of the indexed array and of an integer or bool dtype.
struct IndexKey {
  std::span<const IndexItem> items;        ///< one per part; unset for advanced parts
  std::span<const AdvancedItem> advanced;  ///< in the order of their positions
  IndexCounts counts;                      ///< of the basic items
};

// Advanced indexing by NumPy's rules, for keys with at least one advanced part. Index arrays, masks
// (as nonzero would return them), bools and ints broadcast together; their axes replace the indexed
// axes if those are adjacent, otherwise they come first. An extent of a mask is that of x's axis,
// or 0. Both functions throw IndexError; for an out-of-bounds index on a CUDA device, at a later
// synchronization.

/// Returns a new array.
[[nodiscard]] NdArray get_item(const NdArray& x, const IndexKey& key);

/// `x[key] = value`: value broadcasts, is promoted to the dtype of x, and may share its memory. If
/// an index occurs twice, the last value is kept on a CPU device, and any of them on a CUDA device.
/// Throws DeviceMismatchError, ReadOnlyError, DtypeError, OverflowError, ShapeError before anything
/// is written.
void set_item(const NdArray& x, const IndexKey& key, const Operand& value);

/// `x[i, j] = value`, for the element at `offset` bytes in the memory of an array on a CPU device.
void set_element(const NdArray& x, std::int64_t offset, const Scalar& value);

}  // namespace skerry
