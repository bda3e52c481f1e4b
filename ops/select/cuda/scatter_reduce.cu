// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/cuda/fold_by_index.cuh"
#include "ops/kernel/unit.hpp"
#include "ops/select/scatter_ops.hpp"

namespace skerry::native {
namespace {

using kernels::can_scatter;

/// Converts indices to keys; reports an out-of-bounds index to the host and sets a flag on the
/// device.
struct check_indices {
  const char* index;
  std::int64_t target_size;
  std::uint32_t* keys;
  unsigned* is_outside;
  std::int64_t* invalid_index;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const auto raw_index = load<std::int64_t>(index + i * 8, is_aligned);
    const std::int64_t position = raw_index < 0 ? raw_index + target_size : raw_index;
    const bool inside =
        static_cast<std::uint64_t>(position) < static_cast<std::uint64_t>(target_size);
    keys[i] = inside ? static_cast<std::uint32_t>(position) : 0;
    if (inside) return;
    atomicExch(is_outside, 1u);
    const std::int64_t shown = raw_index != 0 ? raw_index : -1;
    atomicMax(reinterpret_cast<unsigned long long*>(invalid_index),
              static_cast<unsigned long long>(shown));
  }
};

/// Operation that combines the values of one element: values to subtract are first added up.
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
    char* const destination = target + i * static_cast<std::int64_t>(sizeof(T));
    const value old_value = static_cast<value>(native::load<T>(destination, is_aligned));
    native::store(destination, static_cast<T>(kernels::combine<Op, value>(old_value, x)),
                  is_aligned);
  }
};

template <ScatterOp Op, class T>
int scatter_reduce(const ScatterReduceParams& p, LaunchContext* context) {
  auto* const keys = scratch<std::uint32_t>(context, 2 * p.size);
  auto* const is_outside = scratch<unsigned>(context, 1);
  if (keys == nullptr || is_outside == nullptr) return end_launch(cudaErrorMemoryAllocation);
  cudaError_t status = cudaMemsetAsync(is_outside, 0, sizeof(unsigned), stream_of(context));
  if (status != cudaSuccess) return end_launch(status);
  const check_indices check{
      .index = reinterpret_cast<const char*>(p.index.get()),
      .target_size = p.target_size,
      .keys = keys,
      .is_outside = is_outside,
      .invalid_index = p.invalid_index,
      .is_aligned = is_aligned_for<std::int64_t>(reinterpret_cast<std::intptr_t>(p.index.get()))};
  status = cub::DeviceFor::Bulk(p.size, check, stream_of(context));
  if (status != cudaSuccess) return end_launch(status);
  const ScatterFold<Op, T> fold{
      .target = p.target,
      .values = p.values,
      .value_step = p.value_step,
      .is_outside = is_outside,
      .is_aligned = is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(p.target.get())) &&
                    is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(p.values.get()))};
  return end_launch(
      fold_by_index(fold, keys, p.size, static_cast<std::uint32_t>(p.target_size), context));
}

template <class T>
void fill(ScatterReduceKernels& table) {
  kernels::for_each_scatter_op([&]<ScatterOp Op>() {
    if constexpr (can_scatter<Op, T>) {
      table.kernel[static_cast<int>(Op)][static_cast<int>(dtype_of<T>)]
          .set_native<scatter_reduce<Op, T>>();
    }
  });
}

}  // namespace

SKERRY_KERNEL_UNIT(scatter_reduce, ScatterReduceKernels)

}  // namespace skerry::native
