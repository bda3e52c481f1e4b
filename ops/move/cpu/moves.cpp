// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/cpu/moves.hpp"
#include "core/item_size.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <int Size>
void fill_size(MovesKernels& table) {
  Kernel<Plan>& copy = table.copy[size_class(Size)];
  copy.set_host<run_copy<Size>>();
  copy.set_body(copy_loop<Size, false>.body, copy_loop<Size, false>.accepts);
  fill_loop<where_of_size<Size>>(table.where_kernel[size_class(Size)]);
  table.interleave[size_class(Size)].set_host<run_interleave<Size>>();
}

}  // namespace

void fill_moves(MovesKernels& table) {
  fill_size<1>(table);
  fill_size<2>(table);
  fill_size<4>(table);
  fill_size<8>(table);
  fill_size<16>(table);
  table.band.set_host<run_band>();
  table.rotate.set_host<run_rotate>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
