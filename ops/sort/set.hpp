// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// What is wanted beside the values.
struct UniqueParts {
  bool indices = false;
  bool inverse = false;
  bool counts = false;
};

/// What was not wanted is an array without memory.
struct UniqueResult {
  NdArray values;   ///< 1-D, ascending (complex: by real part, then imaginary), NaNs last
  NdArray indices;  ///< int64: where each first occurs in the C order of x
  NdArray inverse;  ///< int64, of the shape of x: values[inverse] is x
  NdArray counts;   ///< int64
};

/// The distinct elements of x. -0 equals +0, and every NaN is distinct. Waits for the device, as
/// the shapes depend on the data.
[[nodiscard]] UniqueResult unique(const NdArray& x, UniqueParts requested_parts);

/// Whether each element of x1 (with `invert`: none) equals one of x2. bool, of the shape of x1.
/// Throws DeviceMismatchError, DtypeError.
[[nodiscard]] NdArray isin(const Operand& x1, const Operand& x2, bool invert);

}  // namespace skerry
