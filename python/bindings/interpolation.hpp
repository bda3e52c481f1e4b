// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry::python {

/// The values at `positions` on the lines between points, whose places are `xp` and values `fp`,
/// real and of one size from 1 on; as float64. Beyond the points it is the value of the first or
/// the last one.
[[nodiscard]] NdArray interpolated(const NdArray& positions, const NdArray& xp, const NdArray& fp);

}  // namespace skerry::python
