// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// A fresh array in C order whose elements are sorted along the axis, stably; NaN last in either
/// order. Throws dtype_error for complex dtypes, axis_error.
[[nodiscard]] ndarray sort(const ndarray& x, std::int64_t axis, bool descending);
/// The places, as int64, that sort x along the axis.
[[nodiscard]] ndarray argsort(const ndarray& x, std::int64_t axis, bool descending);
/// The same by several keys of one device, of which the last one counts most. Throws shape_error
/// unless their shapes are equal.
[[nodiscard]] ndarray lexsort(std::span<const ndarray> keys, std::int64_t axis);

}  // namespace skerry
