// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// What to compute in addition to the values.
struct UniqueParts {
  bool indices = false;
  bool inverse = false;
  bool counts = false;
};

/// Members that were not requested are empty arrays.
struct UniqueResult {
  NdArray values;   ///< 1-D, ascending (complex: by real part, then imaginary), NaNs last
  NdArray indices;  ///< int64: first occurrence of each in the C order of x
  NdArray inverse;  ///< int64, with the shape of x: values[inverse] is x
  NdArray counts;   ///< int64
};

/// Returns the distinct elements of x. -0 equals +0, and every NaN is distinct. Synchronizes with
/// the device, as the shapes depend on the data.
[[nodiscard]] UniqueResult unique(const NdArray& x, UniqueParts requested_parts);

/// True for each element of x1 that equals an element of x2 (with `invert`: that equals none). The
/// result is bool with the shape of x1. Throws DeviceMismatchError, DtypeError.
[[nodiscard]] NdArray isin(const Operand& x1, const Operand& x2, bool invert);

}  // namespace skerry
