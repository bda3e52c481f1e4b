// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/reduce/cuda/column_split.hpp"
#include "ops/reduce/cuda/moments.cuh"
#include "ops/reduce/cuda/write.cuh"

#include <cub/util_type.cuh>

#include <cstdint>
#include <type_traits>

// Columns: adjacent outputs whose elements are rows of an array. A thread computes as many outputs
// as one load covers; ColumnSplit defines the order.

namespace skerry::native {

/// Adjacent items that are moved by one instruction.
template <class Item, int Width>
struct ColumnItems {
  Item items[Width];

  __device__ SKERRY_INLINE void read(const char* source) {
    if constexpr (nbytes > 16 || Width == 1) {
      *this = *reinterpret_cast<const ColumnItems*>(source);
    } else {
      static_assert(sizeof(words) == nbytes);
      const words whole = *reinterpret_cast<const words*>(source);
      __builtin_memcpy(items, &whole, sizeof items);
    }
  }
  __device__ SKERRY_INLINE void write(char* destination) const {
    static_assert(sizeof(words) == nbytes);
    words whole;
    __builtin_memcpy(&whole, items, sizeof items);
    *reinterpret_cast<words*>(destination) = whole;
  }

 private:
  static constexpr int nbytes = Width * static_cast<int>(sizeof(Item));

  using words = std::conditional_t<
      nbytes == 16, uint4,
      std::conditional_t<nbytes == 8, uint2,
                         std::conditional_t<nbytes == 4, std::uint32_t, std::uint16_t>>>;
};

/// Columns of an array.
template <class Reduction, class T>
struct ArrayColumns {
  using item = stored_t<T>;
  using accumulator = ops::accumulator_t<Reduction, T>;
  static constexpr int width = sizeof(item) > 4 ? static_cast<int>(16 / sizeof(item)) : 4;

  const char* input;
  AxisOffsets retained_offsets;
  std::int64_t step;

  SKERRY_HD SKERRY_INLINE const char* column(std::int64_t k) const {
    return input + retained_offsets.offset(k);
  }
  SKERRY_HD SKERRY_INLINE static accumulator loaded(item x, std::int64_t index) {
    return ops::load_at<Reduction>(value_of<T>(x), index);
  }

  /// True if all columns can be read `width` at a time.
  [[nodiscard]] static bool suit(const ReduceParams& params) {
    if (params.reduced_size == 0 || params.reduced_rank > 1 || params.retained_rank == 0 ||
        params.retained_strides[0] != sizeof(item) || params.retained_shape[0] % width != 0) {
      return false;
    }
    constexpr std::int64_t nbytes = width * sizeof(item);
    bool aligned = reinterpret_cast<std::intptr_t>(params.input.get()) % nbytes == 0 &&
                   (params.reduced_rank == 0 || params.reduced_strides[0] % nbytes == 0);
    for (int axis = 1; axis < params.retained_rank; ++axis) {
      aligned = aligned && params.retained_strides[axis] % nbytes == 0;
    }
    return aligned;
  }
};

/// The partial results of a first pass.
template <class A>
struct PartialColumns {
  using item = A;
  using accumulator = A;
  static constexpr int width = 1;

  const A* partials;
  std::int64_t step;  ///< in bytes

  SKERRY_HD SKERRY_INLINE const char* column(std::int64_t k) const {
    return reinterpret_cast<const char*>(partials + k);
  }
  SKERRY_HD SKERRY_INLINE static A loaded(A a, std::int64_t) { return a; }
};

/// One pass over columns.
template <class Reduction, class Columns, class R>
struct ColumnLoop {
  using A = typename Columns::accumulator;
  using item = typename Columns::item;
  static constexpr int width = Columns::width;
  static constexpr int loads = 4;  ///< in flight

  Columns columns;
  ColumnSplit split;
  A* partials;  ///< by part and output; null if each column is one part: write results
  write_result<Reduction, A, R> write;
  bool writes_whole;  ///< results of a thread are stored by one instruction

  __device__ SKERRY_INLINE void operator()() const {
    const auto [part_index, group] = split.wide.divide(blockIdx.x);
    const int row = static_cast<int>(threadIdx.x) / split.lanes;
    const int lane = static_cast<int>(threadIdx.x) & (split.lanes - 1);
    const std::int64_t column = group * split.lanes + lane;
    const bool is_there = column < split.columns;
    Accumulators a;
    SKERRY_UNROLL_FULLY
    for (int w = 0; w < width; ++w) a.values[w] = Reduction::template identity<A>();
    if (is_there) fold(a, columns.column(column * width), part_index, row);
    across_rows(a, row);
    if (!is_there || row > 0) return;
    if (partials == nullptr) {
      finish(column, a);
    } else {
      SKERRY_UNROLL_FULLY
      for (int w = 0; w < width; ++w) {
        partials[(part_index * split.columns + column) * width + w] = a.values[w];
      }
    }
  }

 private:
  struct Accumulators {
    A values[width];
  };

  __device__ SKERRY_INLINE void fold(Accumulators& a, const char* x, std::int64_t part_index,
                                     int row) const {
    const std::int64_t begin = part_index * split.part_length;
    const std::int64_t end =
        begin + split.part_length < split.length ? begin + split.part_length : split.length;
    const int rows = split.rows();
    const std::int64_t step = rows * columns.step;
    std::int64_t j = begin + row;
    x += j * columns.step;
    SKERRY_DO_NOT_UNROLL
    for (; j + (loads - 1) * rows < end; j += loads * rows, x += loads * step) {
      ColumnItems<item, width> read[loads];
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < loads; ++i) read[i].read(x + i * step);
      SKERRY_UNROLL_FULLY
      for (int w = 0; w < width; ++w) {
        a.values[w] = Reduction::combine(a.values[w], together(read, w, j, rows));
      }
    }
    SKERRY_DO_NOT_UNROLL
    for (; j < end; j += rows, x += step) {
      ColumnItems<item, width> read;
      read.read(x);
      SKERRY_UNROLL_FULLY
      for (int w = 0; w < width; ++w) {
        a.values[w] = Reduction::combine(a.values[w], columns.loaded(read.items[w], j));
      }
    }
  }

  /// Combines the loaded items of the thread's output w.
  __device__ SKERRY_INLINE A together(const ColumnItems<item, width> (&read)[loads], int w,
                                      std::int64_t j, int rows) const {
    if constexpr (takes_groups<Reduction> && !std::is_same_v<item, A>) {
      static_assert(Reduction::group == loads);
      const item group[loads] = {read[0].items[w], read[1].items[w], read[2].items[w],
                                 read[3].items[w]};
      return Reduction::load_group(group);
    } else {
      const auto loaded = [&](int i) { return columns.loaded(read[i].items[w], j + i * rows); };
      return Reduction::combine(Reduction::combine(loaded(0), loaded(1)),
                                Reduction::combine(loaded(2), loaded(3)));
    }
  }

  /// Combines rows half of them apart, then a quarter, and so on; row 0 gets the result.
  __device__ SKERRY_INLINE void across_rows(Accumulators& a, int row) const {
    __shared__ cub::Uninitialized<Accumulators> upper_accumulators[ColumnSplit::threads / 2];
    SKERRY_DO_NOT_UNROLL
    for (int half = split.rows() / 2; half > 0; half /= 2) {
      const int thread = static_cast<int>(threadIdx.x);
      if (row >= half && row < 2 * half)
        upper_accumulators[thread - half * split.lanes].Alias() = a;
      __syncthreads();
      if (row < half) {
        const Accumulators other = upper_accumulators[thread].Alias();
        SKERRY_UNROLL_FULLY
        for (int w = 0; w < width; ++w)
          a.values[w] = Reduction::combine(a.values[w], other.values[w]);
      }
      __syncthreads();
    }
  }

  __device__ SKERRY_INLINE void finish(std::int64_t column, const Accumulators& a) const {
    if constexpr (width > 1 && width * sizeof(R) <= 16) {
      if (writes_whole) {
        ColumnItems<R, width> results;
        SKERRY_UNROLL_FULLY
        for (int w = 0; w < width; ++w) {
          results.items[w] = ops::finish_as<Reduction, R>(a.values[w], write.reduced);
        }
        results.write(write.output + write.offsets.offset(column * width));
        return;
      }
    }
    SKERRY_UNROLL_FULLY
    for (int w = 0; w < width; ++w) write(column * width + w, a.values[w]);
  }
};

template <class Loop>
__global__ void __launch_bounds__(ColumnSplit::threads,
                                  (Loop::width * sizeof(typename Loop::A) > 32 ? 3 : 4))
    fold_columns(const Loop loop) {
  loop();
}

template <class Loop>
cudaError_t run_columns(const Loop& loop, cudaStream_t stream) {
  fold_columns<<<static_cast<unsigned>(loop.split.blocks()), ColumnSplit::threads, 0, stream>>>(
      loop);
  return cudaGetLastError();
}

/// True if the results of `width` adjacent outputs can be stored by one instruction.
template <class R>
[[nodiscard]] bool writes_whole(const ReduceParams& params, int width) {
  const std::int64_t nbytes = width * static_cast<std::int64_t>(sizeof(R));
  bool aligned = params.output_strides[0] == sizeof(R) &&
                 reinterpret_cast<std::intptr_t>(params.output.get()) % nbytes == 0;
  for (int axis = 1; axis < params.retained_rank; ++axis) {
    aligned = aligned && params.output_strides[axis] % nbytes == 0;
  }
  return aligned;
}

/// Requires ArrayColumns::suit(params).
template <class Reduction, class T>
cudaError_t reduce_columns(const ReduceParams& params, LaunchContext* context) {
  using A = ops::accumulator_t<Reduction, T>;
  using R = ops::reduced_t<Reduction, T>;
  using array = ArrayColumns<Reduction, T>;
  ColumnLoop<Reduction, array, R> loop{
      .columns = {.input = params.input,
                  .retained_offsets = AxisOffsets(params.retained_rank, params.retained_shape,
                                                  params.retained_strides),
                  .step = params.reduced_rank > 0 ? params.reduced_strides[0] : 0},
      .split = ColumnSplit(params.retained_size / array::width, params.reduced_size),
      .partials = nullptr,
      .write = writer<Reduction, A, R>(params),
      .writes_whole = writes_whole<R>(params, array::width)};
  const std::int64_t parts = loop.split.parts;
  if (parts == 1) return run_columns(loop, stream_of(context));
  loop.partials = static_cast<A*>(context->workspace(
      context, static_cast<std::size_t>(params.retained_size * parts) * sizeof(A)));
  if (loop.partials == nullptr) return cudaErrorMemoryAllocation;
  const cudaError_t status = run_columns(loop, stream_of(context));
  if (status != cudaSuccess) return status;
  const ColumnLoop<Reduction, PartialColumns<A>, R> last{
      .columns = {.partials = loop.partials,
                  .step = params.retained_size * static_cast<std::int64_t>(sizeof(A))},
      .split = ColumnSplit::in_one_pass(params.retained_size, parts),
      .partials = nullptr,
      .write = loop.write,
      .writes_whole = false};
  return run_columns(last, stream_of(context));
}

}  // namespace skerry::native
