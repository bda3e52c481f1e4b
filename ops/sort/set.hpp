// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// What is wanted beside the values.
struct unique_parts {
  bool indices = false;
  bool inverse = false;
  bool counts = false;
};

/// What was not wanted is an array without memory.
struct unique_result {
  ndarray values;   ///< 1-D, ascending (complex: by real part, then imaginary), NaNs last
  ndarray indices;  ///< int64: where each first occurs in the C order of x
  ndarray inverse;  ///< int64, of the shape of x: values[inverse] is x
  ndarray counts;   ///< int64
};

/// The distinct elements of x. -0 equals +0, and every NaN is distinct. Waits for the device, as
/// the shapes depend on the data.
[[nodiscard]] unique_result unique(const char* op, const ndarray& x, unique_parts wanted);

/// Whether each element of x1 (with `invert`: none) equals one of x2. bool, of the shape of x1.
/// Throws device_mismatch_error, dtype_error.
[[nodiscard]] ndarray isin(const operand& x1, const operand& x2, bool invert);

}  // namespace skerry
