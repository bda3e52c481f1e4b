// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "enabled_dtypes.hpp"
#include "ops/kernel/cuda/loops.cuh"
#include "ops/kernel/unit.hpp"
#include "ops/move/cuda/functions.hpp"
#include "ops/move/kernels.hpp"

namespace skerry::native {
namespace {

/// True for casts that have a kernel: not complex to real, nor a dtype to itself, which is a copy.
template <class To, class From>
concept castable = !ops::same_v<To, From> && (ops::complex_floating<To> || ops::same_v<To, bool> ||
                                              !ops::complex_floating<From>);

template <class From, class To>
void fill_cast(Kernel<Plan>& entry) {
  if constexpr (castable<To, From>) entry.set_native<elementwise<ops::cast_to<To>, To, From>>();
}

template <class T>
void fill(CastKernels& table) {
  constexpr int source_index = static_cast<int>(dtype_of<T>);
#define SKERRY_FILL_CAST(name) \
  fill_cast<T, type_of<Dtype::name>>(table.kernel[source_index][static_cast<int>(Dtype::name)]);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL_CAST)
#undef SKERRY_FILL_CAST
}

}  // namespace

SKERRY_KERNEL_UNIT(cast, CastKernels)

}  // namespace skerry::native
