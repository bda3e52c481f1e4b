// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/unit.hpp"
#include "ops/sort/cuda/sort.cuh"

namespace skerry::native {
namespace {

template <class T>
void fill([[maybe_unused]] SortKernels& table) {
  if constexpr (!ops::complex_floating<T>) {
    constexpr int row = static_cast<int>(dtype_of<T>);
    table.values[row].set_native<run_sort<T, false>>();
    table.indices[row].set_native<run_sort<T, true>>();
    table.search[row].set_native<search<T>>();
  }
}

}  // namespace

SKERRY_KERNEL_UNIT(sort, SortKernels)

}  // namespace skerry::native
