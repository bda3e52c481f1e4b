// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

class PendingValue;

/// An argument of an operation: an array, or a scalar without a dtype (exactly one is set), and the
/// parameter's name for errors.
struct Operand {
  const NdArray* array = nullptr;
  const Scalar* value = nullptr;
  const char* name = "x";
  /// Set if `array` is the result of an operation that skerry.fuse has recorded but not run. Then
  /// `array` has a dtype, a device and a layout, but no data.
  const PendingValue* pending = nullptr;
};

}  // namespace skerry
