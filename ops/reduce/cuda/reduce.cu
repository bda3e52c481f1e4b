// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/unit.hpp"
#include "ops/reduce/cuda/reduce.cuh"

namespace skerry::native {
namespace {

template <class Reduction, class T>
void fill_reduction(Kernel<ReduceParams>& entry) {
  if constexpr (ops::reduces<Reduction, T>) entry.template set_native<reduce<Reduction, T>>();
}

template <class T, class... Reductions>
void fill_reductions(ReduceKernels& table, ops::type_list<Reductions...>) {
  int row = 0;
  (fill_reduction<Reductions, T>(table.kernel[row++][static_cast<int>(dtype_of<T>)]), ...);
}

template <class T>
void fill(ReduceKernels& table) {
  fill_reductions<T>(table, ops::reductions{});
}

}  // namespace

SKERRY_KERNEL_UNIT(reduce, ReduceKernels)

}  // namespace skerry::native
