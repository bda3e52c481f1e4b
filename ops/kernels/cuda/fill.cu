// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernels/cuda/registration.hpp"

/// The module's entry point: adds the CUDA kernels to a skerry::kernel_table.
extern "C" __attribute__((visibility("default"))) void skerry_cuda_fill_kernels(void* table) {
  auto& kernels = *static_cast<skerry::kernel_table*>(table);
#define SKERRY_FILL(name) skerry::native::fill_##name(kernels);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  skerry::native::fill_moves(kernels);
}
