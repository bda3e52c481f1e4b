// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel.hpp"

#include <cuda_runtime.h>

#include <cstdint>

// Selection by a mask, compiled once, in ops/select/cuda/index.cu: by the size of items, and of
// indices.

namespace skerry::native {

/// Writes the items whose byte of the mask is not 0, in turn, and to `number` how many there are.
/// T: an unsigned integer of the items' size, or TwoWords.
template <class T>
cudaError_t select_items(const char* mask, const char* input, T* output, std::int64_t* number,
                         std::int64_t size, LaunchContext* context);

/// Writes where the bytes of the mask are not 0.
cudaError_t select_indices(const char* mask, std::int64_t* output, std::int64_t* number,
                           std::int64_t size, LaunchContext* context);

}  // namespace skerry::native
