// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/reduce/kernels.hpp"

#include <cstdint>

namespace skerry::native {

/// Target number of resident blocks of 256 threads. With this many registers (64 and 80 for large
/// accumulators) nothing is spilled, and the grids of RowSplit and LoopSplit end in full waves.
template <class A, int Registers>
inline constexpr int resident_blocks = 65536 / 256 /
                                       (sizeof(A) > 16  ? 80
                                        : sizeof(A) > 8 ? 64
                                                        : Registers);

/// Writes the result of output number `index`, of type R, from accumulator A.
template <class Reduction, class A, class R>
struct write_result {
  char* output;
  AxisOffsets offsets;
  ops::Reduced reduced;
  bool is_aligned;

  SKERRY_HD SKERRY_INLINE void operator()(std::int64_t index, A a) const {
    store<R>(output + offsets.offset(index), ops::finish_as<Reduction, R>(a, reduced), is_aligned);
  }
};

template <class Reduction, class A, class R>
write_result<Reduction, A, R> writer(const ReduceParams& params) {
  bool is_aligned = is_aligned_for_whole<R>(reinterpret_cast<std::intptr_t>(params.output.get()));
  for (int axis = 0; axis < params.retained_rank; ++axis) {
    is_aligned = is_aligned && is_aligned_for_whole<R>(params.output_strides[axis]);
  }
  return {
      .output = params.output,
      .offsets = AxisOffsets(params.retained_rank, params.retained_shape, params.output_strides),
      .reduced = {params.reduced_size, params.correction},
      .is_aligned = is_aligned};
}

/// True if all addresses of the input are multiples of T's alignment.
template <class T>
[[nodiscard]] bool is_input_aligned(const ReduceParams& params) {
  bool aligned = is_aligned_for<T>(reinterpret_cast<std::intptr_t>(params.input.get()));
  for (int axis = 0; axis < params.retained_rank; ++axis) {
    aligned = aligned && is_aligned_for<T>(params.retained_strides[axis]);
  }
  for (int axis = 0; axis < params.reduced_rank; ++axis) {
    aligned = aligned && is_aligned_for<T>(params.reduced_strides[axis]);
  }
  return aligned;
}

}  // namespace skerry::native
