// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry::python {

/// Interpolates linearly at `positions` between points with coordinates `xp` and values `fp`, real
/// and of equal size >= 1. Returns float64; outside the points the value of the first or last one.
[[nodiscard]] NdArray interpolated(const NdArray& positions, const NdArray& xp, const NdArray& fp);

}  // namespace skerry::python
