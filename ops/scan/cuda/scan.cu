// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/unit.hpp"
#include "ops/scan/cuda/scan.cuh"

namespace skerry::native {
namespace {

template <class Op, class T>
void fill_scan(Kernel<ScanParams>& kernel) {
  if constexpr (ops::scans_over<Op, T>) kernel.set_native<scan<Op, T>>();
}

template <class T, class... Ops>
void fill_all(ScanKernels& table, ops::type_list<Ops...>) {
  int row = 0;
  (fill_scan<Ops, T>(table.kernel[row++][static_cast<int>(dtype_of<T>)]), ...);
}

template <class T>
void fill(ScanKernels& table) {
  fill_all<T>(table, ops::scans{});
}

}  // namespace

SKERRY_KERNEL_UNIT(scan, ScanKernels)

}  // namespace skerry::native
