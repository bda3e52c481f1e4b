// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "enabled_dtypes.hpp"
#include "ops/linear/cpu/lapack.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

void fill(linalg_kernels& table, dtype type) {
  for (int i = 0; i < linalg_routine_count; ++i) {
    table.loop[i][static_cast<int>(type)].host =
        blas::routine_of(static_cast<linalg_routine>(i), type);
  }
}

}  // namespace

void fill_linalg(linalg_kernels& table) {
#define SKERRY_FILL(name) fill(table, dtype::name);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
