// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/item_size.hpp"
#include "ops/select/cpu/compress.hpp"
#include "ops/select/cpu/gather.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <int Size>
void fill_size(IndexKernels& table) {
  constexpr int size_index = size_class(Size);
  table.gather[size_index].set_host<run_gather<Size>>();
  table.scatter[size_index].set_host<run_scatter<Size>>();
  table.compress[size_index].set_host<run_compress<Size>>();
}

}  // namespace

void fill_index(IndexKernels& table) {
  fill_size<1>(table);
  fill_size<2>(table);
  fill_size<4>(table);
  fill_size<8>(table);
  fill_size<16>(table);
  table.offsets.set_host<run_offsets>();
  table.count.set_host<run_count>();
  table.nonzero.set_host<run_nonzero>();
  table.repeat_starts.set_host<run_spread>();
  table.repeated_indices.set_host<run_owners>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
