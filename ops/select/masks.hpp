// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// What a mask chooses. The size of the result is in the values of the mask, so on a CUDA device
// these wait for it.

/// The elements of `x` where `mask` (bool, of the same shape) is true, in C order. Both are on one
/// device.
[[nodiscard]] NdArray compress(const NdArray& x, const NdArray& mask);
/// The coordinates of the true elements in C order: an int64 array for each axis of the mask.
[[nodiscard]] std::vector<NdArray> true_indices(const NdArray& mask);

}  // namespace skerry
