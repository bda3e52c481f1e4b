// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// A fresh array in C order whose elements are sorted along the axis, stably; NaN last in either
/// order. Throws DtypeError for complex dtypes, AxisError.
[[nodiscard]] NdArray sort(const NdArray& x, std::int64_t axis, bool descending);
/// The indices, as int64, that sort x along the axis.
[[nodiscard]] NdArray argsort(const NdArray& x, std::int64_t axis, bool descending);

}  // namespace skerry
