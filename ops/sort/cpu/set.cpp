// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/unit.hpp"
#include "ops/sort/cpu/isin.hpp"
#include "ops/sort/cpu/unique.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class T>
void fill(SetKernels& table) {
  table.unique[static_cast<int>(dtype_of<T>)].set_host<run_unique<T>>();
  table.isin[static_cast<int>(dtype_of<T>)].set_host<run_isin<row_item_t<T>>>();
}

}  // namespace

SKERRY_KERNEL_UNIT(set, SetKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
