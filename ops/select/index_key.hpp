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
  mask,     ///< an array of bool with axes, in place of as many axes of the array
  boolean,  ///< a bool: a new axis of one element, or of none
};
/// A part of a key that is not basic.
struct AdvancedItem {
  std::size_t position;  ///< among the parts of the key
  const NdArray* array;  ///< null for a bool
  AdvancedKind kind = AdvancedKind::indices;
  bool boolean = false;
};
/// A key as its reader has it, who owns what this refers to, and has checked that all arrays are on
/// the device of the array that is indexed, and of an integer dtype or bool.
struct IndexKey {
  std::span<const IndexItem> items;        ///< one for each part; not set for advanced ones
  std::span<const AdvancedItem> advanced;  ///< in the order of their positions
  IndexCounts counts;                      ///< of the basic items
};

// Keys with at least one advanced part, by NumPy's rules: index arrays, masks (as the arrays that
// nonzero makes of them), bools and ints broadcast together; their axes are where they are if they
// are side by side, else in front. A size of a mask is that of the array's axis, or 0. Throw
// IndexError (out of bounds at a later wait on a CUDA device).

/// A fresh array.
[[nodiscard]] NdArray get_item(const NdArray& x, const IndexKey& key);

/// `x[key] = value`: value broadcasts and promotes to x, and may share its memory. Where an index
/// comes twice, the last value stays on a CPU device, and any of them on a CUDA device. Throws
/// DeviceMismatchError, ReadOnlyError, DtypeError, OverflowError, ShapeError before anything
/// changed.
void set_item(const NdArray& x, const IndexKey& key, const Operand& value);

/// `x[i, j] = value` of the element `offset` bytes into the memory of an array on a CPU device.
void set_element(const NdArray& x, std::int64_t offset, const Scalar& value);

}  // namespace skerry
