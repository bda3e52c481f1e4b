// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/native/compiled_for.hpp"

#define SKERRY_TEXT_OF(...) #__VA_ARGS__
#define SKERRY_TEXT(...) SKERRY_TEXT_OF(__VA_ARGS__)

const char* const skerry::cuda::compiled_by_nvcc = SKERRY_TEXT(__CUDA_ARCH_LIST__);
