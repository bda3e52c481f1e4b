// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// Elements `first` to `first + count` of the convolution of two vectors of one numeric dtype,
/// which has as many as both together but one. Takes time in proportion to count times taps.
/// float16 is added up in float32 and rounded once. Throws DeviceMismatchError, DtypeError,
/// ShapeError, ValueError.
[[nodiscard]] NdArray convolve(const NdArray& x, const NdArray& taps, std::int64_t first,
                               std::int64_t count);

}  // namespace skerry
