// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel.hpp"

#include <cuda_runtime.h>

#include <cstdint>

// Selection of items or indices by a mask. Compiled only once, in
// ops/select/cuda/index.cu.

namespace skerry::native {

/// Writes the items at which the mask's byte is not 0, in order, and their count to `number`.
/// T: an unsigned integer of the items' size, or TwoWords.
template <class T>
cudaError_t select_items(const char* mask, const char* input, T* output, std::int64_t* number,
                         std::int64_t size, LaunchContext* context);

/// Writes the indices at which the mask's byte is not 0, and their count to `number`.
cudaError_t select_indices(const char* mask, std::int64_t* output, std::int64_t* number,
                           std::int64_t size, LaunchContext* context);

}  // namespace skerry::native
