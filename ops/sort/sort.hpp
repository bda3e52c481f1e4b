// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// A fresh array in C order whose elements are sorted along the axis, stably; NaN last in either
/// order. Throws dtype_error for complex dtypes, axis_error.
[[nodiscard]] ndarray sort(const ndarray& x, std::int64_t axis, bool descending);
/// The indices, as int64, that sort x along the axis.
[[nodiscard]] ndarray argsort(const ndarray& x, std::int64_t axis, bool descending);

}  // namespace skerry
