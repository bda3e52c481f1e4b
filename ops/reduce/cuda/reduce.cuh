// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/reduce/cuda/columns.cuh"
#include "ops/reduce/cuda/loop_split.hpp"
#include "ops/reduce/cuda/moments.cuh"
#include "ops/reduce/cuda/rows.cuh"
#include "ops/reduce/cuda/write.cuh"
#include "ops/reduce/kernels.hpp"

#include <cstdint>

// A reduction takes one of three paths, chosen by its layout. All of them split the work in the
// same way in every run and on every GPU, and use no atomics, so results are the same everywhere.
//   rows     the elements of each output are contiguous: see rows.cuh.
//   columns  the outputs are contiguous, several to a load: see columns.cuh.
//   loops    any other layout: each thread folds a share of one output's elements, in as many
//   passes as needed. Adjacent threads take adjacent elements.
// CUB's reductions accept any layout through an iterator, but inline its index arithmetic some
// fifty times (40 to 80 s per kernel in ptxas 13.0, and 1 KiB of spilled registers), and their
// order depends on the number of multiprocessors.

namespace skerry::native {

/// The elements to reduce, in the input array.
template <class Reduction, class T>
struct ArrayElements {
  using accumulator = ops::accumulator_t<Reduction, T>;

  const char* input;
  AxisOffsets retained_offsets;
  AxisOffsets reduced;
  bool is_aligned;

  SKERRY_HD SKERRY_INLINE std::int64_t first(std::int64_t k) const {
    return retained_offsets.offset(k);
  }
  /// True if an output's elements are `step()` bytes apart.
  SKERRY_HD SKERRY_INLINE bool are_evenly_spaced() const { return reduced.rank <= 1; }
  SKERRY_HD SKERRY_INLINE std::int64_t step() const { return reduced.strides[0]; }
  SKERRY_HD SKERRY_INLINE std::int64_t distance(std::int64_t j) const { return reduced.offset(j); }
  SKERRY_HD SKERRY_INLINE accumulator element_at(std::int64_t offset, std::int64_t index) const {
    return ops::load_at<Reduction>(load<T>(input + offset, is_aligned), index);
  }
  /// Loads the elements at `offset`, offset + step, ... as one accumulator.
  SKERRY_HD SKERRY_INLINE accumulator group_at(std::int64_t offset, std::int64_t step) const {
    T items[Reduction::group];
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < Reduction::group; ++i)
      items[i] = load<T>(input + offset + i * step, is_aligned);
    return Reduction::load_group(items);
  }
};

/// The partial results of an earlier pass.
template <class A>
struct PartialElements {
  using accumulator = A;

  const A* partials;
  std::int64_t retained_stride;
  std::int64_t part_stride;

  SKERRY_HD SKERRY_INLINE std::int64_t first(std::int64_t k) const { return k * retained_stride; }
  SKERRY_HD SKERRY_INLINE static constexpr bool are_evenly_spaced() { return true; }
  SKERRY_HD SKERRY_INLINE std::int64_t step() const { return part_stride; }
  SKERRY_HD SKERRY_INLINE std::int64_t distance(std::int64_t j) const { return j * part_stride; }
  SKERRY_HD SKERRY_INLINE A element_at(std::int64_t offset, std::int64_t) const {
    return partials[offset];
  }
};

/// One pass; see LoopSplit.
template <class Reduction, class Elements, class R>
struct ReduceLoop {
  using A = typename Elements::accumulator;

  Elements elements;
  LoopSplit split;
  A* partials;  ///< by thread; null in the last pass, which writes results
  write_result<Reduction, A, R> write;

  __device__ SKERRY_INLINE void operator()(std::int64_t thread) const {
    const LoopSplit::Share share = split.share_of(thread);
    const std::int64_t first = elements.first(share.output_index);
    const A a = elements.are_evenly_spaced() ? fold_evenly_spaced(first, share.part_index)
                                             : fold_any(first, share.part_index);
    if (partials == nullptr) {
      write(share.output_index, a);
    } else {
      partials[thread] = a;
    }
  }

 private:
  /// Keeps four loads in flight: those of a group, or of four independent accumulators.
  __device__ SKERRY_INLINE A fold_evenly_spaced(std::int64_t first, std::int64_t part_index) const {
    if constexpr (takes_groups<Reduction> && requires { elements.group_at(0, 0); }) {
      return fold_groups(first, part_index);
    } else {
      return fold_side_by_side(first, part_index);
    }
  }

  __device__ SKERRY_INLINE A fold_groups(std::int64_t first, std::int64_t part_index) const {
    constexpr int group = Reduction::group;
    const std::int64_t parts = split.parts;
    const std::int64_t step = parts * elements.step();
    std::int64_t offset = first + part_index * elements.step();
    A a = Reduction::template identity<A>();
    std::int64_t j = part_index;
    SKERRY_DO_NOT_UNROLL
    for (; j + (group - 1) * parts < split.length; j += group * parts, offset += group * step) {
      a = Reduction::combine(a, elements.group_at(offset, step));
    }
    SKERRY_DO_NOT_UNROLL
    for (; j < split.length; j += parts, offset += step) {
      a = Reduction::combine(a, elements.element_at(offset, j));
    }
    return a;
  }

  __device__ SKERRY_INLINE A fold_side_by_side(std::int64_t first, std::int64_t part_index) const {
    const std::int64_t parts = split.parts;
    const std::int64_t step = parts * elements.step();
    std::int64_t offset = first + part_index * elements.step();
    A a0 = Reduction::template identity<A>();
    A a1 = a0;
    A a2 = a0;
    A a3 = a0;
    std::int64_t j = part_index;
    SKERRY_DO_NOT_UNROLL
    for (; j + 3 * parts < split.length; j += 4 * parts, offset += 4 * step) {
      a0 = Reduction::combine(a0, elements.element_at(offset, j));
      a1 = Reduction::combine(a1, elements.element_at(offset + step, j + parts));
      a2 = Reduction::combine(a2, elements.element_at(offset + 2 * step, j + 2 * parts));
      a3 = Reduction::combine(a3, elements.element_at(offset + 3 * step, j + 3 * parts));
    }
    SKERRY_DO_NOT_UNROLL
    for (; j < split.length; j += parts, offset += step)
      a0 = Reduction::combine(a0, elements.element_at(offset, j));
    return Reduction::combine(Reduction::combine(a0, a1), Reduction::combine(a2, a3));
  }

  __device__ SKERRY_INLINE A fold_any(std::int64_t first, std::int64_t part_index) const {
    A a = Reduction::template identity<A>();
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t j = part_index; j < split.length; j += split.parts) {
      a = Reduction::combine(a, elements.element_at(first + elements.distance(j), j));
    }
    return a;
  }
};

template <class Loop>
__global__ void __launch_bounds__(RowSplit::threads, resident_blocks<typename Loop::A, 40>)
    fold_shares(const Loop loop, std::int64_t threads) {
  const std::int64_t thread =
      static_cast<std::int64_t>(blockIdx.x) * RowSplit::threads + threadIdx.x;
  if (thread < threads) loop(thread);
}

template <class Reduction, class R, class Elements>
cudaError_t loop_pass(const ReduceParams& params, const Elements& elements, const LoopSplit& split,
                      typename Elements::accumulator* partials, LaunchContext* context) {
  const ReduceLoop<Reduction, Elements, R> loop{
      .elements = elements,
      .split = split,
      .partials = split.parts > 1 ? partials : nullptr,
      .write = writer<Reduction, typename Elements::accumulator, R>(params)};
  const std::int64_t blocks = RowSplit::divided_up(split.threads(), RowSplit::threads);
  fold_shares<<<static_cast<unsigned>(blocks), RowSplit::threads, 0, stream_of(context)>>>(
      loop, split.threads());
  return cudaGetLastError();
}

/// Handles every layout, and reductions over no elements: one pass of length 0 returns the
/// identity.
template <class Reduction, class T>
cudaError_t reduce_by_loops(const ReduceParams& params, LaunchContext* context) {
  using A = ops::accumulator_t<Reduction, T>;
  using R = ops::reduced_t<Reduction, T>;
  const bool by_rows = prefers_rows(params);
  LoopSplit split(params.retained_size, params.reduced_size, by_rows);
  A* partials[2] = {nullptr, nullptr};
  if (split.parts > 1) {
    // Each pass leaves fewer partial results than the previous one, so two buffers alternate.
    const std::int64_t first = split.threads();
    const std::int64_t second = LoopSplit(params.retained_size, split.parts, by_rows).threads();
    partials[0] = static_cast<A*>(
        context->workspace(context, static_cast<std::size_t>(first + second) * sizeof(A)));
    if (partials[0] == nullptr) return cudaErrorMemoryAllocation;
    partials[1] = partials[0] + first;
  }
  const ArrayElements<Reduction, T> elements{
      .input = params.input,
      .retained_offsets =
          AxisOffsets(params.retained_rank, params.retained_shape, params.retained_strides),
      .reduced = AxisOffsets(params.reduced_rank, params.reduced_shape, params.reduced_strides),
      .is_aligned = is_input_aligned<whole<T>>(params)};
  cudaError_t status = loop_pass<Reduction, R>(params, elements, split, partials[0], context);
  for (int source = 0; split.parts > 1 && status == cudaSuccess; source ^= 1) {
    const PartialElements<A> left{.partials = partials[source],
                                  .retained_stride = split.retained_stride(),
                                  .part_stride = split.part_stride()};
    split = LoopSplit(params.retained_size, split.parts, by_rows);
    status = loop_pass<Reduction, R>(params, left, split, partials[source ^ 1], context);
  }
  return status;
}

template <class Reduction, class T>
cudaError_t reduce_by_layout(const ReduceParams& params, LaunchContext* context) {
  if (params.retained_size == 0) return cudaSuccess;
  if (params.reduced_size > 0 && has_contiguous_rows(params, sizeof(T)) &&
      is_input_aligned<T>(params)) {
    return reduce_rows<Reduction, T>(params, context);
  }
  if constexpr (ArrayColumns<Reduction, T>::width > 1) {
    if (ArrayColumns<Reduction, T>::suit(params)) {
      return reduce_columns<Reduction, T>(params, context);
    }
  }
  return reduce_by_loops<Reduction, T>(params, context);
}

/// The native kernel of Reduction over T.
template <class Reduction, class T>
int reduce(const ReduceParams& params, LaunchContext* context) {
  return end_launch(reduce_by_layout<native_reduction_t<Reduction, T>, T>(params, context));
}

}  // namespace skerry::native
