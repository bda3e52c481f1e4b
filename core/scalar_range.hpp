// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalar.hpp"

namespace skerry {

/// Returns 1 for an int above all finite values of `type`, -1 for one below them, else 0. For a
/// floating dtype, ints that would round to infinity are outside.
[[nodiscard]] int side_of_range(const Scalar& value, Dtype type);
[[nodiscard]] inline int out_of_range_side(const Scalar& value, Dtype type) {
  if (value.kind != ScalarKind::integer) return 0;
  const bool fits_all =
      value.integer >= 0 && value.integer < 128 && !value.is_unsigned && !value.out_of_range;
  return fits_all ? 0 : side_of_range(value, type);
}
/// Returns the largest (side 1) or smallest (side -1) finite value of `type`.
[[nodiscard]] Scalar last_value(Dtype type, int side);

}  // namespace skerry
