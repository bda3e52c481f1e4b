// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Selection by masks. The size of the result depends on the mask's values, so these synchronize
// with a CUDA device.

/// Returns the elements of `x` where `mask` (bool, same shape, same device) is true, in C order.
[[nodiscard]] NdArray compress(const NdArray& x, const NdArray& mask);
/// Returns the coordinates of the true elements in C order: an int64 array per axis of the mask.
[[nodiscard]] std::vector<NdArray> true_indices(const NdArray& mask);

}  // namespace skerry
