// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/cpu/sort.hpp"
#include "ops/kernel/unit.hpp"
#include "ops/sort/cpu/search.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class T>
void fill([[maybe_unused]] SortKernels& table) {
  if constexpr (!ops::complex_floating<T>) {
    table.values[static_cast<int>(dtype_of<T>)].set_host<run_sort<T, false>>();
    table.indices[static_cast<int>(dtype_of<T>)].set_host<run_sort<T, true>>();
    table.search[static_cast<int>(dtype_of<T>)].set_host<run_search<T>>();
  }
}

}  // namespace

SKERRY_KERNEL_UNIT(sort, SortKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
