// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "kernel_units.hpp"
#include "ops/table/table.hpp"

namespace skerry::native {
#define SKERRY_DECLARE(family, unit) void fill_##unit(decltype(KernelTable::family)& table);
SKERRY_FOR_EACH_UNIT(SKERRY_DECLARE)
#undef SKERRY_DECLARE
}  // namespace skerry::native

/// Entry point of the CUDA module: sets the `native` members of the table to its kernels.
extern "C" __attribute__((visibility("default"))) void skerry_cuda_fill_kernels(
    skerry::KernelTable& table) {
#define SKERRY_FILL(family, unit) skerry::native::fill_##unit(table.family);
  SKERRY_FOR_EACH_UNIT(SKERRY_FILL)
#undef SKERRY_FILL
}
