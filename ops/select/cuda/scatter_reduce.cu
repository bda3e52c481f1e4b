// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/cuda/fold_by_index.cuh"
#include "ops/kernel/unit.hpp"
#include "ops/select/scatter_ops.hpp"

namespace skerry::native {
namespace {

using kernels::can_scatter;

/// Indices as keys; one that is out of bounds is reported, and noted on the device.
struct check_indices {
  const char* index;
  std::int64_t target_size;
  std::uint32_t* keys;
  unsigned* is_outside;
  std::int64_t* found;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const auto given = load<std::int64_t>(index + i * 8, is_aligned);
    const std::int64_t place = given < 0 ? given + target_size : given;
    const bool inside = static_cast<std::uint64_t>(place) < static_cast<std::uint64_t>(target_size);
    keys[i] = inside ? static_cast<std::uint32_t>(place) : 0;
    if (inside) return;
    atomicExch(is_outside, 1u);
    const std::int64_t shown = given != 0 ? given : -1;
    atomicMax(reinterpret_cast<unsigned long long*>(found), static_cast<unsigned long long>(shown));
  }
};

/// Differences are those of sums.
template <ScatterOp Op>
inline constexpr ScatterOp folded = Op == ScatterOp::subtract ? ScatterOp::add : Op;

template <ScatterOp Op, class T>
struct ScatterFold {
  using value = ops::computed_t<T>;

  char* target;
  const char* values;
  std::int64_t value_step;
  const unsigned* is_outside;
  bool is_aligned;

  __device__ SKERRY_INLINE value load(std::int64_t i) const {
    return static_cast<value>(native::load<T>(values + i * value_step, is_aligned));
  }
  __device__ static SKERRY_INLINE value combine(value a, value b) {
    return kernels::combine<folded<Op>, value>(a, b);
  }
  __device__ SKERRY_INLINE void apply(std::int64_t i, value x) const {
    if (*is_outside != 0) return;
    char* const to = target + i * static_cast<std::int64_t>(sizeof(T));
    const value before = static_cast<value>(native::load<T>(to, is_aligned));
    native::store(to, static_cast<T>(kernels::combine<Op, value>(before, x)), is_aligned);
  }
};

template <ScatterOp Op, class T>
int scatter_reduce(const void* params, LaunchContext* context) {
  const auto& p = *static_cast<const ScatterReduceParams*>(params);
  auto* const keys = scratch<std::uint32_t>(context, 2 * p.size);
  auto* const is_outside = scratch<unsigned>(context, 1);
  if (keys == nullptr || is_outside == nullptr) return launched(cudaErrorMemoryAllocation);
  cudaError_t status = cudaMemsetAsync(is_outside, 0, sizeof(unsigned), stream_of(context));
  if (status != cudaSuccess) return launched(status);
  const check_indices check{
      .index = reinterpret_cast<const char*>(p.index),
      .target_size = p.target_size,
      .keys = keys,
      .is_outside = is_outside,
      .found = p.found,
      .is_aligned = suits<std::int64_t>(reinterpret_cast<std::intptr_t>(p.index))};
  status = cub::DeviceFor::Bulk(p.size, check, stream_of(context));
  if (status != cudaSuccess) return launched(status);
  const ScatterFold<Op, T> fold{
      .target = p.target,
      .values = p.values,
      .value_step = p.value_step,
      .is_outside = is_outside,
      .is_aligned = suits_whole<T>(reinterpret_cast<std::intptr_t>(p.target)) &&
                    suits_whole<T>(reinterpret_cast<std::intptr_t>(p.values))};
  return launched(
      fold_by_index(fold, keys, p.size, static_cast<std::uint32_t>(p.target_size), context));
}

template <class T>
void fill(scatter_reduce_kernels& table) {
  kernels::for_each_scatter_op([&]<ScatterOp Op>() {
    if constexpr (can_scatter<Op, T>) {
      table.loop[static_cast<int>(Op)][static_cast<int>(dtype_of<T>)].native =
          &scatter_reduce<Op, T>;
    }
  });
}

}  // namespace

SKERRY_KERNEL_UNIT(scatter_reduce)

}  // namespace skerry::native
