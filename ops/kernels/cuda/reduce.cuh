// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cuda/access.cuh"
#include "ops/kernels/cuda/launch.cuh"
#include "ops/kernels/cuda/offset.hpp"
#include "ops/kernels/cuda/reduce_flip.cuh"
#include "ops/kernels/cuda/reduce_moments.cuh"
#include "ops/kernels/reduce.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#else
#include <thrust/iterator/tabulate_output_iterator.h>
#endif

#include <cstdint>

// A reduction goes one of three ways, chosen by its layout. All of them split the work the same way
// in every run and use no atomic operation, so results do not depend on the run.
//   flat   one output, contiguous input: cub::DeviceReduce.
//   rows   all rows lie one behind the other: cub::DeviceSegmentedReduce.
//   loops  any other layout: every thread folds a share of one output's elements, in as many passes
//          as it takes; with cub::DeviceFor::Bulk. Threads side by side take neighbouring elements.
// Reductions that take several elements at a time go by loops, but for rows that one thread would
// fold alone.
// CUB's reductions would take any layout through an iterator, but inline its index arithmetic some
// fifty times: 40 to 80 s a kernel in ptxas 13.0, and 1 KiB of spilled registers.

namespace skerry {
namespace native {

template <class Reduction, class T>
struct load_element {
  flip<Reduction, T> bits;
  SKERRY_HD SKERRY_INLINE ops::accumulator_t<Reduction, T> operator()(ops::stored_t<T> x) const {
    return bits.in(ops::value_of<T>(x), 0);
  }
};

/// Element number `index`, for reductions that tell where elements are.
template <class Reduction, class T>
struct load_indexed {
  const T* input;
  flip<Reduction, T> bits;
  SKERRY_HD SKERRY_INLINE ops::accumulator_t<Reduction, T> operator()(std::int64_t index) const {
    return bits.in(input[index], index);
  }
};

/// The elements of a plain array as accumulators.
template <class Reduction, class T>
auto loaded_input(const reduce_params& params, flip<Reduction, T> bits) {
  const auto* input = reinterpret_cast<const ops::stored_t<T>*>(params.input);
  if constexpr (ops::takes_index<Reduction>) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                           load_indexed<Reduction, T>{input, bits});
  } else {
    return thrust::make_transform_iterator(input, load_element<Reduction, T>{bits});
  }
}

template <class Reduction, class A>
struct combine {
  SKERRY_HD SKERRY_INLINE A operator()(A a, A b) const { return Reduction::combine(a, b); }
};

/// Writes the result of output number `index`. Offsets: axis_offsets, or even_offsets where the
/// outputs are known to be evenly spaced.
template <class Reduction, class T, class Offsets>
struct write_result {
  using accumulator = ops::accumulator_t<Reduction, T>;
  using result = decltype(flip<Reduction, T>{}.out(accumulator{}, ops::reduced{}));

  char* output;
  Offsets offsets;
  flip<Reduction, T> bits;
  ops::reduced of;
  std::int64_t first_index;  ///< what the index of output 1's first element is counted from
  bool is_aligned;

  template <class Index>
  SKERRY_HD SKERRY_INLINE void operator()(Index index, accumulator a) const {
    if constexpr (ops::takes_index<Reduction>) {
      a.index -= static_cast<std::int64_t>(index) * first_index;
    }
    store<result>(output + offsets.offset(index), bits.out(a, of), is_aligned);
  }
};

struct even_offsets {
  std::int64_t stride;

  SKERRY_HD SKERRY_INLINE std::int64_t offset(std::int64_t index) const { return index * stride; }
};

template <class Reduction, class T, class Offsets>
write_result<Reduction, T, Offsets> writer(const reduce_params& params, flip<Reduction, T> bits,
                                           const Offsets& offsets, std::int64_t first_index) {
  using writer = write_result<Reduction, T, Offsets>;
  using result = typename writer::result;
  bool is_aligned = suits_whole<result>(reinterpret_cast<std::intptr_t>(params.output));
  for (int axis = 0; axis < params.kept_rank; ++axis) {
    is_aligned = is_aligned && suits_whole<result>(params.output_strides[axis]);
  }
  return writer{.output = params.output,
                .offsets = offsets,
                .bits = bits,
                .of = {params.reduced_size, params.correction, params.is_other},
                .first_index = first_index,
                .is_aligned = is_aligned};
}

/// Of a layout with at most one kept axis.
template <class Reduction, class T>
auto even_output(const reduce_params& params, flip<Reduction, T> bits) {
  const auto write = writer<Reduction, T>(
      params, bits, even_offsets{params.kept_rank == 0 ? 0 : params.output_strides[0]},
      params.reduced_size);
#if __has_include(<cuda/iterator>)
  return ::cuda::tabulate_output_iterator{write, std::int64_t{0}};
#else
  return thrust::make_tabulate_output_iterator(write);
#endif
}

/// Whether all addresses of the input are multiples of T's alignment.
template <class T>
[[nodiscard]] bool input_suits(const reduce_params& params) {
  bool aligned = suits<T>(reinterpret_cast<std::intptr_t>(params.input));
  for (int axis = 0; axis < params.kept_rank; ++axis) {
    aligned = aligned && suits<T>(params.kept_strides[axis]);
  }
  for (int axis = 0; axis < params.reduced_rank; ++axis) {
    aligned = aligned && suits<T>(params.reduced_strides[axis]);
  }
  return aligned;
}

// ---- flat

template <class Reduction, class T>
cudaError_t reduce_flat(const reduce_params& params, flip<Reduction, T> bits,
                        launch_context* context) {
  using A = ops::accumulator_t<Reduction, T>;
  // Of accumulators that are larger CUB has fewer items for a thread than one of its vectors holds,
  // and reads the whole vector, past the end of the array too (CCCL 3.0.1 and 3.5.0,
  // agent_reduce.cuh: VectorT and vec_size).
  static_assert(sizeof(A) <= 16);
  const auto output = even_output(params, bits);
  return with_workspace(context, [&](void* scratch, std::size_t& nbytes) {
    if constexpr (ops::takes_index<Reduction>) {
      return cub::DeviceReduce::Reduce(scratch, nbytes, loaded_input(params, bits), output,
                                       params.reduced_size, combine<Reduction, A>{},
                                       Reduction::template identity<A>(), stream_of(context));
    } else {
      return cub::DeviceReduce::TransformReduce(
          scratch, nbytes, reinterpret_cast<const ops::stored_t<T>*>(params.input), output,
          params.reduced_size, combine<Reduction, A>{}, load_element<Reduction, T>{bits},
          Reduction::template identity<A>(), stream_of(context));
    }
  });
}

// ---- rows

#if CCCL_VERSION < 3001000
/// Where segment number `index` begins; CUB has no segments of one size before 3.1.
struct segment_begin {
  std::int64_t length;
  SKERRY_HD std::int64_t operator()(std::int64_t index) const { return index * length; }
};
#endif

template <class Reduction, class T>
cudaError_t reduce_rows(const reduce_params& params, flip<Reduction, T> bits,
                        launch_context* context) {
  using A = ops::accumulator_t<Reduction, T>;
  const auto input = loaded_input(params, bits);
  const auto output = even_output(params, bits);
#if CCCL_VERSION < 3001000
  const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                     segment_begin{params.reduced_size});
#endif
  return with_workspace(context, [&](void* scratch, std::size_t& nbytes) {
    return cub::DeviceSegmentedReduce::Reduce(
        scratch, nbytes, input, output, params.kept_size,
#if CCCL_VERSION < 3001000
        begin, begin + 1,
#else
                                              static_cast<int>(params.reduced_size),
#endif
        combine<Reduction, A>{}, Reduction::template identity<A>(), stream_of(context));
  });
}

// ---- loops

/// The elements of the outputs, in the array.
template <class Reduction, class T>
struct array_elements {
  const char* input;
  axis_offsets kept;
  axis_offsets reduced;
  flip<Reduction, T> bits;
  bool is_aligned;

  SKERRY_HD SKERRY_INLINE std::int64_t first(std::int64_t k) const { return kept.offset(k); }
  /// Whether an output's elements are `step` apart.
  SKERRY_HD SKERRY_INLINE bool are_evenly_spaced() const { return reduced.rank <= 1; }
  SKERRY_HD SKERRY_INLINE std::int64_t step() const { return reduced.strides[0]; }
  SKERRY_HD SKERRY_INLINE std::int64_t distance(std::int64_t j) const { return reduced.offset(j); }
  SKERRY_HD SKERRY_INLINE ops::accumulator_t<Reduction, T> at(std::int64_t offset,
                                                              std::int64_t index) const {
    return bits.in(load<T>(input + offset, is_aligned), index);
  }
  /// Of the elements at `offset`, offset + step, ..., as one.
  SKERRY_HD SKERRY_INLINE ops::accumulator_t<Reduction, T> group_at(std::int64_t offset,
                                                                    std::int64_t step) const {
    T items[Reduction::group];
    SKERRY_UNROLL
    for (int i = 0; i < Reduction::group; ++i)
      items[i] = load<T>(input + offset + i * step, is_aligned);
    return Reduction::load_group(items);
  }
};

/// What an earlier pass left of them.
template <class A>
struct partial_elements {
  const A* partials;
  std::int64_t kept_stride;
  std::int64_t part_stride;

  SKERRY_HD SKERRY_INLINE std::int64_t first(std::int64_t k) const { return k * kept_stride; }
  SKERRY_HD SKERRY_INLINE static constexpr bool are_evenly_spaced() { return true; }
  SKERRY_HD SKERRY_INLINE std::int64_t step() const { return part_stride; }
  SKERRY_HD SKERRY_INLINE std::int64_t distance(std::int64_t j) const { return j * part_stride; }
  SKERRY_HD SKERRY_INLINE A at(std::int64_t offset, std::int64_t) const { return partials[offset]; }
};

/// One pass; see loop_split.
template <class Reduction, class T, class Elements>
struct reduce_loop {
  using A = ops::accumulator_t<Reduction, T>;

  Elements elements;
  loop_split split;
  A* partials;  ///< by thread; null in the last pass, which writes results
  write_result<Reduction, T, axis_offsets> write;

  __device__ SKERRY_INLINE void operator()(std::int64_t thread) const {
    const loop_split::share mine = split.of(thread);
    const std::int64_t first = elements.first(mine.kept);
    const A a = elements.are_evenly_spaced() ? fold_evenly_spaced(first, mine.part)
                                             : fold_any(first, mine.part);
    if (partials == nullptr) {
      write(mine.kept, a);
    } else {
      partials[thread] = a;
    }
  }

 private:
  /// Four loads are under way: of a group, or of four running results side by side.
  __device__ SKERRY_INLINE A fold_evenly_spaced(std::int64_t first, std::int64_t part) const {
    if constexpr (takes_groups<Reduction> && requires { elements.group_at(0, 0); }) {
      return fold_groups(first, part);
    } else {
      return fold_side_by_side(first, part);
    }
  }

  __device__ SKERRY_INLINE A fold_groups(std::int64_t first, std::int64_t part) const {
    constexpr int group = Reduction::group;
    const std::int64_t parts = split.parts;
    const std::int64_t step = parts * elements.step();
    std::int64_t at = first + part * elements.step();
    A a = Reduction::template identity<A>();
    std::int64_t j = part;
    SKERRY_DO_NOT_UNROLL
    for (; j + (group - 1) * parts < split.length; j += group * parts, at += group * step) {
      a = Reduction::combine(a, elements.group_at(at, step));
    }
    SKERRY_DO_NOT_UNROLL
    for (; j < split.length; j += parts, at += step) {
      a = Reduction::combine(a, elements.at(at, j));
    }
    return a;
  }

  __device__ SKERRY_INLINE A fold_side_by_side(std::int64_t first, std::int64_t part) const {
    const std::int64_t parts = split.parts;
    const std::int64_t step = parts * elements.step();
    std::int64_t at = first + part * elements.step();
    A a0 = Reduction::template identity<A>();
    A a1 = a0;
    A a2 = a0;
    A a3 = a0;
    std::int64_t j = part;
    SKERRY_DO_NOT_UNROLL
    for (; j + 3 * parts < split.length; j += 4 * parts, at += 4 * step) {
      a0 = Reduction::combine(a0, elements.at(at, j));
      a1 = Reduction::combine(a1, elements.at(at + step, j + parts));
      a2 = Reduction::combine(a2, elements.at(at + 2 * step, j + 2 * parts));
      a3 = Reduction::combine(a3, elements.at(at + 3 * step, j + 3 * parts));
    }
    SKERRY_DO_NOT_UNROLL
    for (; j < split.length; j += parts, at += step)
      a0 = Reduction::combine(a0, elements.at(at, j));
    return Reduction::combine(Reduction::combine(a0, a1), Reduction::combine(a2, a3));
  }

  __device__ SKERRY_INLINE A fold_any(std::int64_t first, std::int64_t part) const {
    A a = Reduction::template identity<A>();
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t j = part; j < split.length; j += split.parts) {
      a = Reduction::combine(a, elements.at(first + elements.distance(j), j));
    }
    return a;
  }
};

#if CCCL_VERSION >= 3005000
/// Of DeviceFor's two items a thread the second would wait for the whole loop of the first (and
/// double the code).
struct one_item_a_thread {
  SKERRY_HD constexpr cub::ForPolicy operator()(::cuda::compute_capability) const {
    return {.threads_per_block = 256, .items_per_thread = 1};
  }
};
#endif

template <class Loop>
cudaError_t run_loop(std::int64_t threads, const Loop& loop, cudaStream_t stream) {
#if CCCL_VERSION >= 3005000
  const ::cuda::std::execution::env environment{::cuda::stream_ref{stream},
                                                ::cuda::execution::tune(one_item_a_thread{})};
  // CUB would take the default stream in silence.
  static_assert(::cuda::std::is_invocable_v<decltype(::cuda::get_stream), decltype(environment)>);
  return cub::DeviceFor::Bulk(threads, loop, environment);
#else
  return cub::DeviceFor::Bulk(threads, loop, stream);
#endif
}

template <class Reduction, class T, class Elements>
cudaError_t loop_pass(const reduce_params& params, flip<Reduction, T> bits,
                      const Elements& elements, const loop_split& split,
                      ops::accumulator_t<Reduction, T>* partials, launch_context* context) {
  const reduce_loop<Reduction, T, Elements> loop{
      .elements = elements,
      .split = split,
      .partials = split.parts > 1 ? partials : nullptr,
      .write = writer<Reduction, T>(
          params, bits, axis_offsets(params.kept_rank, params.kept_shape, params.output_strides),
          0)};
  return run_loop(split.threads(), loop, stream_of(context));
}

/// Works for every layout, and for no elements at all (one pass of length 0: the identity).
template <class Reduction, class T>
cudaError_t reduce_by_loops(const reduce_params& params, flip<Reduction, T> bits,
                            launch_context* context) {
  using A = ops::accumulator_t<Reduction, T>;
  const bool by_rows = prefers_rows(params);
  loop_split split(params.kept_size, params.reduced_size, by_rows);
  A* partials[2] = {nullptr, nullptr};
  if (split.parts > 1) {
    // A pass leaves fewer partial results than the one before, so two buffers take turns.
    const std::int64_t first = split.threads();
    const std::int64_t second = loop_split(params.kept_size, split.parts, by_rows).threads();
    partials[0] = static_cast<A*>(
        context->workspace(context, static_cast<std::size_t>(first + second) * sizeof(A)));
    if (partials[0] == nullptr) return cudaErrorMemoryAllocation;
    partials[1] = partials[0] + first;
  }
  const array_elements<Reduction, T> elements{
      .input = params.input,
      .kept = axis_offsets(params.kept_rank, params.kept_shape, params.kept_strides),
      .reduced = axis_offsets(params.reduced_rank, params.reduced_shape, params.reduced_strides),
      .bits = bits,
      .is_aligned = input_suits<whole<T>>(params)};
  cudaError_t status = loop_pass<Reduction, T>(params, bits, elements, split, partials[0], context);
  for (int source = 0; split.parts > 1 && status == cudaSuccess; source ^= 1) {
    const partial_elements<A> left{.partials = partials[source],
                                   .kept_stride = split.kept_stride(),
                                   .part_stride = split.part_stride()};
    split = loop_split(params.kept_size, split.parts, by_rows);
    status = loop_pass<Reduction, T>(params, bits, left, split, partials[source ^ 1], context);
  }
  return status;
}

// ---- choice

template <class Reduction, class T>
cudaError_t reduce_by_layout(const reduce_params& params, flip<Reduction, T> bits,
                             launch_context* context) {
  if (params.kept_size == 0) return cudaSuccess;
  const bool is_plain =
      params.reduced_size > 0 && is_linear(params, sizeof(T)) && input_suits<T>(params);
  if constexpr (!takes_groups<Reduction>) {
    if (is_plain && params.kept_size == 1) return reduce_flat(params, bits, context);
  }
  // CUB counts the elements of a row in an int.
  constexpr std::int64_t longest_row =
      takes_groups<Reduction> ? loop_split::longest_alone : INT32_MAX;
  if (is_plain && params.reduced_size <= longest_row) return reduce_rows(params, bits, context);
  return reduce_by_loops(params, bits, context);
}

/// The native kernel of Reduction over T, with some bits inverted; its parameter is a
/// reduce_params.
template <class Reduction, class T, std::uint64_t Bits>
int reduce(const void* params, launch_context* context) {
  return launched(reduce_by_layout(*static_cast<const reduce_params*>(params),
                                   flip<Reduction, T>{Bits}, context));
}

}  // namespace native
}  // namespace skerry
