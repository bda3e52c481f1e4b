// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns elements [first, first + count) of the full convolution of two vectors of one numeric
/// dtype. Takes time proportional to count times taps. Stored-only dtypes are accumulated in
/// float32 and rounded once. Throws DeviceMismatchError, DtypeError, ShapeError, ValueError.
[[nodiscard]] NdArray convolve(const NdArray& x, const NdArray& taps, std::int64_t first,
                               std::int64_t count);

}  // namespace skerry
