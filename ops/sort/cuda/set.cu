// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/unit.hpp"
#include "ops/sort/cuda/isin.cuh"
#include "ops/sort/cuda/unique.cuh"

namespace skerry::native {
namespace {

template <class T>
void fill(SetKernels& table) {
  constexpr int row = static_cast<int>(dtype_of<T>);
  table.unique[row].set_native<unique<T>>();
  table.isin[row].set_native<isin<T>>();
}

}  // namespace

SKERRY_KERNEL_UNIT(set, SetKernels)

}  // namespace skerry::native
