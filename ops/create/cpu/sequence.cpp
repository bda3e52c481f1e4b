// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/create/cpu/sequence.hpp"

#include "enabled_dtypes.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class T>
void fill(SequenceKernels& table) {
  if constexpr (ops::numeric<T>)
    table.kernel[static_cast<int>(dtype_of<T>)].set_host<run_sequence<T>>();
}

}  // namespace

void fill_sequence(SequenceKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
