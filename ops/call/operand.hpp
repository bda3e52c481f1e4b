// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

class PendingValue;

/// An argument of an operation: an array or a Python scalar (exactly one is set), with the name
/// that the standard gives the parameter.
struct Operand {
  const NdArray* array = nullptr;
  const Scalar* value = nullptr;
  const char* name = "x";
  /// In a recorded operation, the value of an array that is still pending; `array` is its header.
  const PendingValue* pending = nullptr;
};

}  // namespace skerry
