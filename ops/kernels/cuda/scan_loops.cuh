// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cuda/access.cuh"
#include "ops/kernels/cuda/launch.cuh"
#include "ops/kernels/cuda/offset.hpp"
#include "ops/kernels/scan.hpp"
#include "ops/kernels/stand_in_type.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>

namespace skerry {
namespace native {

/// Integers are scanned by the kernel of the unsigned one of their size; `sign` says what to
/// extend.
template <class Op, class T>
struct load_scanned {
  std::uint64_t sign;

  SKERRY_HD SKERRY_INLINE ops::scanned_t<Op, T> operator()(ops::stored_t<T> x) const {
    if constexpr (ops::integral<T>) {
      return ops::extended(x, sign);
    } else {
      return Op::reduction::load(ops::value_of<T>(x));
    }
  }
};

template <class Op>
struct combine_scanned {
  template <class A>
  SKERRY_HD SKERRY_INLINE A operator()(A a, A b) const {
    return Op::reduction::combine(a, b);
  }
};

/// Scans one share of one column after what came before it, or finds its total.
template <class Op, class T>
struct scan_loop {
  using A = ops::scanned_t<Op, T>;

  const char* input;
  char* output;
  axis_offsets from;
  axis_offsets to;
  std::int64_t input_step;
  std::int64_t output_step;
  std::int64_t length;
  std::int64_t share;  ///< elements of one thread
  fast_divider<std::uint64_t> others;
  A* totals;      ///< by part and column; null if there is one part
  bool is_first;  ///< the pass that finds totals
  bool has_initial;
  load_scanned<Op, T> element;
  bool is_aligned;

  __device__ SKERRY_INLINE void operator()(std::int64_t thread) const {
    const auto [part, column] = others.divide(thread);
    const std::int64_t begin = part * share;
    const std::int64_t end = begin + share < length ? begin + share : length;
    const char* x = input + from.offset(column) + begin * input_step;
    char* out = output + to.offset(column) + begin * output_step;
    if (is_first) {
      totals[thread] = total(x, end - begin);
      return;
    }
    if (has_initial && part == 0) {
      *reinterpret_cast<A*>(out - output_step) = Op::reduction::template identity<A>();
    }
    if (begin < end) write(x, out, end - begin, part > 0 ? totals + thread : nullptr);
  }

 private:
  __device__ SKERRY_INLINE A at(const char* x) const { return element(load<T>(x, is_aligned)); }
  __device__ SKERRY_INLINE A total(const char* x, std::int64_t n) const {
    A a = Op::reduction::template identity<A>();
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t j = 0; j < n; ++j) a = Op::reduction::combine(a, at(x + j * input_step));
    return a;
  }
  /// `before` is null where nothing is: the first element is then itself, -0 and all.
  __device__ SKERRY_INLINE void write(const char* x, char* out, std::int64_t n,
                                      const A* before) const {
    A a = at(x);
    if (before != nullptr) a = Op::reduction::combine(*before, a);
    *reinterpret_cast<A*>(out) = a;
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t j = 1; j < n; ++j) {
      a = Op::reduction::combine(a, at(x + j * input_step));
      *reinterpret_cast<A*>(out + j * output_step) = a;
    }
  }
};

/// totals[p] = totals[0] op ... op totals[p - 1], of each column.
template <class Op, class A>
struct scan_totals {
  A* totals;
  std::int64_t parts;
  std::int64_t columns;

  __device__ SKERRY_INLINE void operator()(std::int64_t column) const {
    A before = Op::reduction::template identity<A>();
    SKERRY_DO_NOT_UNROLL
    for (std::int64_t p = 0; p < parts; ++p) {
      A& at = totals[p * columns + column];
      const A next = p == 0 ? at : Op::reduction::combine(before, at);
      at = before;
      before = next;
    }
  }
};

/// Parts of a column of `length` elements: enough threads where there are few columns, but totals
/// that one thread scans in no time.
[[nodiscard]] inline std::int64_t scan_parts(std::int64_t columns, std::int64_t length) {
  constexpr std::int64_t wanted_threads = std::int64_t{1} << 17;
  constexpr std::int64_t min_share = 64;
  constexpr std::int64_t most_parts = 1024;
  const std::int64_t wanted = (wanted_threads + columns - 1) / columns;
  const std::int64_t most = length / min_share < most_parts ? length / min_share : most_parts;
  const std::int64_t parts = wanted < most ? wanted : most;
  return parts > 1 ? parts : 1;
}

template <class Op, class T>
[[nodiscard]] bool scan_is_aligned(const scan_params& params) {
  bool aligned = suits_whole<T>(reinterpret_cast<std::intptr_t>(params.input)) &&
                 (params.length < 2 || suits_whole<T>(params.input_step));
  for (int axis = 0; axis < params.rank; ++axis) {
    aligned = aligned && suits_whole<T>(params.input_strides[axis]);
  }
  return aligned;
}

template <class Op, class T>
cudaError_t scan_by_loops(const scan_params& params, load_scanned<Op, T> element,
                          launch_context* context) {
  using A = ops::scanned_t<Op, T>;
  const std::int64_t wanted = scan_parts(params.others, params.length);
  const std::int64_t share = params.length > 0 ? (params.length + wanted - 1) / wanted : 1;
  const std::int64_t parts = params.length > 0 ? (params.length + share - 1) / share : 1;
  const std::int64_t threads = parts * params.others;
  A* totals = nullptr;
  if (parts > 1) {
    totals =
        static_cast<A*>(context->workspace(context, static_cast<std::size_t>(threads) * sizeof(A)));
    if (totals == nullptr) return cudaErrorMemoryAllocation;
  }
  scan_loop<Op, T> loop{
      .input = params.input,
      .output = params.output,
      .from = axis_offsets(params.rank, params.shape, params.input_strides),
      .to = axis_offsets(params.rank, params.shape, params.output_strides),
      .input_step = params.input_step,
      .output_step = params.output_step,
      .length = params.length,
      .share = share,
      .others = fast_divider<std::uint64_t>(static_cast<std::uint64_t>(params.others)),
      .totals = totals,
      .is_first = parts > 1,
      .has_initial = params.has_initial,
      .element = element,
      .is_aligned = scan_is_aligned<Op, T>(params)};
  cudaStream_t stream = stream_of(context);
  if (parts > 1) {
    cudaError_t status = cub::DeviceFor::Bulk(threads, loop, stream);
    if (status != cudaSuccess) return status;
    const scan_totals<Op, A> between{.totals = totals, .parts = parts, .columns = params.others};
    status = cub::DeviceFor::Bulk(params.others, between, stream);
    if (status != cudaSuccess) return status;
    loop.is_first = false;
  }
  return cub::DeviceFor::Bulk(threads, loop, stream);
}

}  // namespace native
}  // namespace skerry
