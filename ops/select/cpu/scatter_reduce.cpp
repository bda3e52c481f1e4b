// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/unit.hpp"
#include "ops/select/scatter_ops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Returns an out-of-bounds index, or 0.
int64 find_outside(const ScatterReduceParams& p) {
  int64 invalid_index = 0;
  cpu::parallel_for(p.size, tuning::checked_grain_size, [&](int64 begin, int64 end) {
    int64 low = 0;
    int64 high = 0;
    for (int64 i = begin; i < end; ++i) {
      low = minimum(low, p.index[i]);
      high = maximum(high, p.index[i]);
    }
    if (high >= p.target_size) {
      __atomic_store_n(&invalid_index, high, __ATOMIC_RELAXED);
    } else if (low < -p.target_size) {
      __atomic_store_n(&invalid_index, low, __ATOMIC_RELAXED);
    }
  });
  return invalid_index;
}

/// Applies values in order on one thread: bit-identical to a loop.
template <ScatterOp Op, class T>
void scatter_reduce(const ScatterReduceParams& p) {
  using C = ops::computed_t<T>;
  if (p.target_size == 0) {
    *p.invalid_index = p.index[0] != 0 ? p.index[0] : -1;
    return;
  }
  if (const int64 outside = find_outside(p); outside != 0) {
    __atomic_store_n(p.invalid_index.get(), outside, __ATOMIC_RELAXED);
    return;
  }
  const ScatterReduceParams params_copy = p;  // local copy: stores cannot alias it
  for (int64 i = 0; i < params_copy.size; ++i) {
    const int64 index = params_copy.index[i];
    const int64 position = index + (index < 0 ? params_copy.target_size : 0);
    char* const destination = params_copy.target + position * int64(sizeof(T));
    const C value = static_cast<C>(load<T>(params_copy.values + i * params_copy.value_step));
    store(destination, static_cast<T>(combine<Op, C>(static_cast<C>(load<T>(destination)), value)));
  }
}

template <class T>
void fill(ScatterReduceKernels& table) {
  for_each_scatter_op([&]<ScatterOp Op>() {
    if constexpr (can_scatter<Op, T>) {
      table.kernel[static_cast<int>(Op)][static_cast<int>(dtype_of<T>)]
          .set_host<scatter_reduce<Op, T>>();
    }
  });
}

}  // namespace

SKERRY_KERNEL_UNIT(scatter_reduce, ScatterReduceKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
