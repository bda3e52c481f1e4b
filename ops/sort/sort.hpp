// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns a new C-order array with the elements sorted along the axis: stable, NaN last in either
/// order. Throws DtypeError for complex dtypes, AxisError.
[[nodiscard]] NdArray sort(const NdArray& x, std::int64_t axis, bool descending);
/// Returns the int64 indices that sort x along the axis.
[[nodiscard]] NdArray argsort(const NdArray& x, std::int64_t axis, bool descending);

}  // namespace skerry
