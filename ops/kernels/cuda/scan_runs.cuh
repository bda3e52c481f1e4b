// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cuda/scan_loops.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <cstdint>
#include <new>
#if CCCL_VERSION >= 3003000
#include <cub/device/device_segmented_scan.cuh>
#endif
#if CCCL_VERSION >= 3005000
#include <cuda/execution>
#include <cuda/memory_resource>
#endif

namespace skerry {
namespace native {

/// Whether runs begin at multiples of T's alignment, given that the first does.
template <class T>
[[nodiscard]] bool runs_are_aligned(const scan_params& params) {
  for (int axis = 0; axis < params.rank; ++axis) {
    if (!suits<T>(params.input_strides[axis])) return false;
  }
  return true;
}

template <class Op, class A>
struct initial_loop {
  char* output;
  axis_offsets to;

  __device__ SKERRY_INLINE void operator()(std::int64_t run) const {
    *reinterpret_cast<A*>(output + to.offset(run)) = Op::reduction::template identity<A>();
  }
};

template <class Op, class T>
cudaError_t write_initial(const scan_params& params, launch_context* context) {
  using A = ops::scanned_t<Op, T>;
  const initial_loop<Op, A> loop{
      .output = params.output - params.output_step,
      .to = axis_offsets(params.rank, params.shape, params.output_strides)};
  return cub::DeviceFor::Bulk(params.others, loop, stream_of(context));
}

// ---- flat

#if CCCL_VERSION >= 3005000
/// The launch's scratch memory, for algorithms that take an environment.
class workspace_resource {
 public:
  explicit workspace_resource(launch_context* context) : context_(context) {}

  void* allocate_sync(std::size_t nbytes, std::size_t = 0) {
    // CUB would take a null pointer for a question about the size.
    void* scratch = context_->workspace(context_, nbytes > 0 ? nbytes : 1);
    if (scratch == nullptr) throw std::bad_alloc();
    return scratch;
  }
  void deallocate_sync(void*, std::size_t, std::size_t = 0) noexcept {}
  void* allocate(::cuda::stream_ref, std::size_t nbytes, std::size_t = 0) {
    return allocate_sync(nbytes);
  }
  void deallocate(::cuda::stream_ref, void*, std::size_t, std::size_t = 0) noexcept {}
  bool operator==(const workspace_resource& other) const { return context_ == other.context_; }
  bool operator!=(const workspace_resource& other) const { return context_ != other.context_; }

 private:
  launch_context* context_;
};
#endif

/// Integers are the same in any order; for sums of floats DeviceScan can be told to keep to one.
template <class Op, class T>
inline constexpr bool has_flat_scan =
    ops::integral<ops::scanned_t<Op, T>> ||
    (ops::real_floating<T> && ops::same_v<typename Op::reduction, ops::sum>) ||
    CCCL_VERSION < 3003000;

template <class Op, class T>
auto scanned_input(const scan_params& params, load_scanned<Op, T> element) {
  const auto* input = reinterpret_cast<const ops::stored_t<T>*>(params.input);
  if constexpr (ops::same_v<T, ops::scanned_t<Op, T>>) {
    return input;
  } else {
    return thrust::make_transform_iterator(input, element);
  }
}

template <class Op, class T>
cudaError_t scan_flat(const scan_params& params, load_scanned<Op, T> element,
                      launch_context* context) {
  using A = ops::scanned_t<Op, T>;
  A* output = reinterpret_cast<A*>(params.output);
  const auto input = scanned_input(params, element);
#if CCCL_VERSION >= 3005000
  if constexpr (ops::real_floating<A> && ops::same_v<typename Op::reduction, ops::sum>) {
    const auto environment = ::cuda::std::execution::env{
        ::cuda::stream_ref{stream_of(context)},
        ::cuda::std::execution::prop{::cuda::mr::get_memory_resource, workspace_resource(context)},
        ::cuda::execution::require(::cuda::execution::determinism::run_to_run)};
    // CUB would take the default stream, or memory of its own, in silence.
    static_assert(::cuda::std::is_invocable_v<decltype(::cuda::get_stream), decltype(environment)>);
    static_assert(
        ::cuda::std::is_same_v<
            ::cuda::std::remove_cvref_t<decltype(::cuda::mr::get_memory_resource(environment))>,
            workspace_resource>);
    return cub::DeviceScan::InclusiveScan(input, output, ::cuda::std::plus<A>{}, params.length,
                                          environment);
  } else
#endif
  {
    return with_workspace(context, [&](void* scratch, std::size_t& nbytes) {
      return cub::DeviceScan::InclusiveScan(scratch, nbytes, input, output, combine_scanned<Op>{},
                                            params.length, stream_of(context));
    });
  }
}

// ---- runs

#if CCCL_VERSION >= 3003000

/// Segment number s is chunk s % chunks of run s / chunks.
struct chunk_begin {
  fast_divider<std::uint64_t> chunks;
  std::int64_t chunk;
  std::int64_t length;
  axis_offsets runs;
  std::int64_t itemsize;
  bool is_end;

  SKERRY_HD SKERRY_INLINE std::int64_t operator()(std::int64_t segment) const {
    const auto [run, index] = chunks.divide(segment);
    std::int64_t at = (index + (is_end ? 1 : 0)) * chunk;
    if (at > length) at = length;
    return runs.offset(run) / itemsize + at;
  }
};

/// totals[s] = what comes before chunk s in its run; then the results after it.
template <class Op, class A>
struct chunk_totals {
  A* output;
  chunk_begin end;
  A* totals;
  std::int64_t chunks;

  __device__ SKERRY_INLINE void operator()(std::int64_t run) const {
    A before = Op::reduction::template identity<A>();
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t c = 0; c < chunks; ++c) {
      const A total = output[end(run * chunks + c) - 1];
      totals[run * chunks + c] = before;
      before = c == 0 ? total : Op::reduction::combine(before, total);
    }
  }
};

template <class Op, class A>
struct add_totals {
  char* output;
  axis_offsets runs;
  fast_divider<std::uint64_t> length;
  fast_divider<std::uint64_t> chunk;
  std::int64_t chunks;
  const A* totals;

  __device__ SKERRY_INLINE void operator()(std::int64_t index) const {
    const auto [run, place] = length.divide(index);
    const std::int64_t c = chunk.divide(place).quotient;
    if (c == 0) return;
    A& at = reinterpret_cast<A*>(output + runs.offset(run))[place];
    at = Op::reduction::combine(totals[run * chunks + c], at);
  }
};

/// How runs are cut into chunks, a block of threads each: the number of blocks is what matters
/// where runs are few, and one thread adds up a run's totals.
struct run_split {
  std::int64_t chunk;
  std::int64_t chunks;

  run_split(std::int64_t runs, std::int64_t length) {
    constexpr std::int64_t wanted_blocks = 512;
    constexpr std::int64_t min_chunk = 16384;
    const std::int64_t wanted = (wanted_blocks + runs - 1) / runs;
    const std::int64_t most = length / min_chunk;
    const std::int64_t parts = wanted < most ? wanted : most;
    chunk = parts > 1 ? (length + parts - 1) / parts : length;
    chunks = (length + chunk - 1) / chunk;
  }
};

template <class Op, class T>
cudaError_t scan_runs(const scan_params& params, load_scanned<Op, T> element,
                      launch_context* context) {
  using A = ops::scanned_t<Op, T>;
  const run_split split(params.others, params.length);
  const std::int64_t segments = params.others * split.chunks;
  const auto offsets = [&](const std::int64_t* strides, std::int64_t itemsize, bool is_end) {
    return chunk_begin{
        .chunks = fast_divider<std::uint64_t>(static_cast<std::uint64_t>(split.chunks)),
        .chunk = split.chunk,
        .length = params.length,
        .runs = axis_offsets(params.rank, params.shape, strides),
        .itemsize = itemsize,
        .is_end = is_end};
  };
  const auto iterator = [](const chunk_begin& from) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), from);
  };
  A* output = reinterpret_cast<A*>(params.output);
  const auto input = scanned_input(params, element);
  const auto begin = iterator(offsets(params.input_strides, sizeof(T), false));
  const auto end = iterator(offsets(params.input_strides, sizeof(T), true));
  const auto out_begin = iterator(offsets(params.output_strides, sizeof(A), false));
  cudaStream_t stream = stream_of(context);
  cudaError_t status = with_workspace(context, [&](void* scratch, std::size_t& nbytes) {
    return cub::DeviceSegmentedScan::InclusiveSegmentedScan(scratch, nbytes, input, output, begin,
                                                            end, out_begin, segments,
                                                            combine_scanned<Op>{}, stream);
  });
  if (split.chunks == 1 || status != cudaSuccess) return status;
  auto* totals =
      static_cast<A*>(context->workspace(context, static_cast<std::size_t>(segments) * sizeof(A)));
  if (totals == nullptr) return cudaErrorMemoryAllocation;
  const chunk_totals<Op, A> between{.output = output,
                                    .end = offsets(params.output_strides, sizeof(A), true),
                                    .totals = totals,
                                    .chunks = split.chunks};
  status = cub::DeviceFor::Bulk(params.others, between, stream);
  if (status != cudaSuccess) return status;
  const add_totals<Op, A> last{
      .output = params.output,
      .runs = axis_offsets(params.rank, params.shape, params.output_strides),
      .length = fast_divider<std::uint64_t>(static_cast<std::uint64_t>(params.length)),
      .chunk = fast_divider<std::uint64_t>(static_cast<std::uint64_t>(split.chunk)),
      .chunks = split.chunks,
      .totals = totals};
  return cub::DeviceFor::Bulk(params.others * params.length, last, stream);
}

#endif

}  // namespace native
}  // namespace skerry
