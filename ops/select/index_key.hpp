// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/layout.hpp"
#include "core/ndarray.hpp"
#include "core/view.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

enum class KeyKind : std::uint8_t {
  basic,    ///< an int, a slice, `...` or None
  indices,  ///< an array of an integer dtype
  mask,     ///< an array of bool with axes, in place of as many axes of the array
  boolean,  ///< a bool: a new axis of one element, or of none
};
/// One part of an index.
struct KeyItem {
  KeyKind kind = KeyKind::basic;
  IndexItem basic{.kind = IndexKind::ellipsis};
  NdArray array{};
  bool boolean = false;
};

// Keys with at least one part that is not basic, by NumPy's rules: index arrays, masks (as the
// arrays that nonzero makes of them), bools and ints broadcast together; their axes are where they
// are if they are side by side, else in front. A size of a mask is that of the array's axis, or 0.
// Throw DeviceMismatchError, IndexError (out of bounds at a later wait on a CUDA device).

/// A fresh array.
[[nodiscard]] NdArray get_item(const char* op, const NdArray& x, std::span<const KeyItem> key);

/// `x[key] = value`: value broadcasts and promotes to x, and may share its memory. Where an index
/// comes twice, the last value stays on a CPU device, and any of them on a CUDA device. Throws
/// ReadOnlyError, DtypeError, OverflowError, ShapeError before anything changed.
void set_item(const char* op, const NdArray& x, std::span<const KeyItem> key, const Operand& value);

/// `x[i, j] = value` of the element `offset` bytes into the memory of an array on a CPU device.
void set_element(const char* op, const NdArray& x, std::int64_t offset, const Scalar& value);

}  // namespace skerry
