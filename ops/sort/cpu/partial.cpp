// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/cpu/partial.hpp"

#include "ops/kernel/unit.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Integers of both signs share the code for their bits.
template <class T, void (*Run)(const PartialParams&, bool)>
void run_rows(const PartialParams& p) {
  Run(p, ops::signed_integral<T>);
}

template <class T>
void fill([[maybe_unused]] PartialKernels& table) {
  if constexpr (!ops::complex_floating<T>) {
    constexpr int row = static_cast<int>(dtype_of<T>);
    using item = row_item_t<T>;
    table.statistics[row].set_host<run_rows<T, write_statistics<item>>>();
    table.partition[row].set_host<run_rows<T, partition_rows<item>>>();
    table.topk[row].set_host<run_rows<T, find_best<item>>>();
  }
}

}  // namespace

SKERRY_KERNEL_UNIT(partial, PartialKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
