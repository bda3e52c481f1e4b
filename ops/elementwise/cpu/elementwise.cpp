// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/all.hpp"
#include "ops/elementwise/cpu/fast_forms.hpp"
#include "ops/elementwise/cpu/scalar_forms.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/unit.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class T>
void fill(ElementwiseKernels& table) {
  for_each_operation([&]<class Op, int Arity>(int number) {
    Kernel<Plan>& entry = table.kernel[number][static_cast<int>(dtype_of<T>)];
    if constexpr (ops::supports<Op, T, Arity>) fill_loop<whole_loop<Op, T, Arity>>(entry);
  });
}

}  // namespace

SKERRY_KERNEL_UNIT(elementwise, ElementwiseKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
