// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/reduce/cuda/moments.cuh"
#include "ops/reduce/cuda/row_split.hpp"
#include "ops/reduce/cuda/write.cuh"

#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>

#include <cstdint>

// Rows whose elements are contiguous. A few lanes, a warp or a block folds each row or part of one;
// partial results are folded as rows again. RowSplit defines the order: a thread folds the items of
// a load pairwise and its loads in turn, then threads are combined pairwise. cub::DeviceReduce is
// as fast, but splits by the number of multiprocessors.

namespace skerry::native {

/// Rows of an array.
template <class Reduction, class T>
struct ArrayRows {
  using item = stored_t<T>;
  using accumulator = ops::accumulator_t<Reduction, T>;
  static constexpr bool has_vectors = 16 % sizeof(item) == 0;
  static constexpr bool has_groups = takes_groups<Reduction>;

  const char* input;
  AxisOffsets retained_offsets;

  SKERRY_HD SKERRY_INLINE const item* row(std::int64_t k) const {
    return reinterpret_cast<const item*>(input + retained_offsets.offset(k));
  }
  SKERRY_HD SKERRY_INLINE static accumulator loaded(item x, std::int64_t index) {
    return ops::load_at<Reduction>(value_of<T>(x), index);
  }
};

/// The partial results of rows.
template <class A>
struct PartialRows {
  using item = A;
  using accumulator = A;
  static constexpr bool has_vectors = false;
  static constexpr bool has_groups = false;

  const A* partials;
  std::int64_t parts;

  SKERRY_HD SKERRY_INLINE const A* row(std::int64_t k) const { return partials + k * parts; }
  SKERRY_HD SKERRY_INLINE static A loaded(A a, std::int64_t) { return a; }
};

/// Items of one load: 16 bytes at once, or one item.
template <class Item, int Count, bool IsWhole>
struct RowLoad {
  Item items[Count];

  __device__ SKERRY_INLINE void read(const Item* source) {
    if constexpr (IsWhole) {
      static_assert(sizeof(items) == 16);
      const uint4 words = *reinterpret_cast<const uint4*>(source);
      __builtin_memcpy(items, &words, sizeof items);
    } else {
      static_assert(Count == 1);
      items[0] = *source;
    }
  }
};

template <class Reduction, class A>
__device__ SKERRY_INLINE A with_lane(A a, int lane_offset) {
  return Reduction::combine(
      a, cub::ShuffleDown<RowSplit::warp>(a, lane_offset, RowSplit::warp - 1, 0xffffffffu));
}

/// Combines adjacent lanes into lane 0: pairs half of them apart, then a quarter, and so on.
template <class Reduction, class A>
__device__ SKERRY_INLINE A across_lanes(A a, int lanes) {
  SKERRY_DO_NOT_UNROLL
  for (int lane_offset = lanes / 2; lane_offset > 0; lane_offset /= 2)
    a = with_lane<Reduction>(a, lane_offset);
  return a;
}
/// Combines lanes whose number is known at compile time.
template <class Reduction, int Lanes, class A>
__device__ SKERRY_INLINE A across_lanes(A a) {
  SKERRY_UNROLL_FULLY
  for (int lane_offset = Lanes / 2; lane_offset > 0; lane_offset /= 2)
    a = with_lane<Reduction>(a, lane_offset);
  return a;
}

/// One pass over rows; every lane of a warp takes part in all steps.
template <class Reduction, class Rows, class R>
struct RowLoop {
  using A = typename Rows::accumulator;
  using item = typename Rows::item;
  static constexpr int vector = Rows::has_vectors ? static_cast<int>(16 / sizeof(item)) : 1;
  /// Loads in flight: of 16 bytes, and of single items.
  static constexpr int vector_loads = 4;
  static constexpr int item_loads = sizeof(item) > 4 ? 4 : 8;
  static constexpr int short_rows = 4;  ///< per thread

  Rows rows;
  RowSplit split;
  FastDivider<std::uint32_t> parts;  ///< divides by the parts of a row
  std::int64_t count;                ///< number of rows
  std::int64_t length;               ///< of each row
  bool has_vectors;
  A* partials;  ///< by row and part; null if each row is one part, whose result is written directly
  write_result<Reduction, A, R> write;

  /// True if all rows can be read 16 bytes at a time.
  [[nodiscard]] static bool reads_vectors(const ReduceParams& params) {
    bool aligned = is_aligned_for<uint4>(reinterpret_cast<std::intptr_t>(params.input.get()));
    for (int axis = 0; axis < params.retained_rank; ++axis) {
      aligned = aligned && is_aligned_for<uint4>(params.retained_strides[axis]);
    }
    return aligned && params.reduced_size >= vector;
  }

  __device__ SKERRY_INLINE void operator()() const {
    if constexpr (Rows::has_vectors) {
      if (has_vectors) return run<vector, vector_loads, true>();
    }
    run<1, item_loads, false>();
  }

 private:
  template <int Count, int Loads, bool IsWhole>
  __device__ SKERRY_INLINE void run() const {
    if (split.is_short) {
      run_short<Count, IsWhole>();
    } else if (split.lanes <= RowSplit::warp) {
      const std::int64_t row = first_row(1);
      A a = Reduction::template identity<A>();
      if (row < count) {
        a = fold<Count, Loads, IsWhole>(rows.row(row), 0, static_cast<int>(length), split.lanes);
      }
      a = across_lanes<Reduction>(a, split.lanes);
      if (lane() == 0 && row < count) write(row, a);
    } else {
      run_part<Count, Loads, IsWhole>();
    }
  }

  __device__ SKERRY_INLINE int lane() const {
    return static_cast<int>(threadIdx.x) & (split.lanes - 1);
  }
  /// Returns the first row of this thread's group, which has `rows_each` rows.
  __device__ SKERRY_INLINE std::int64_t first_row(int rows_each) const {
    return static_cast<std::int64_t>(blockIdx.x) * split.groups() * rows_each +
           static_cast<int>(threadIdx.x) / split.lanes;
  }

  template <int Count, bool IsWhole>
  __device__ SKERRY_INLINE void run_short() const {
    const int first = lane() * Count;
    const int groups = split.groups();
    const std::int64_t row = first_row(short_rows);
    RowLoad<item, Count, IsWhole> loads[short_rows];
    SKERRY_UNROLL_FULLY
    for (int r = 0; r < short_rows; ++r) {
      if (first < length && row + r * groups < count) {
        loads[r].read(rows.row(row + r * groups) + first);
      }
    }
    SKERRY_UNROLL_FULLY
    for (int r = 0; r < short_rows; ++r) {
      const bool is_row = row + r * groups < count;
      A a = Reduction::template identity<A>();
      if (first < length && is_row) a = with_items(a, loads[r].items, first);
      a = across_lanes<Reduction>(a, split.lanes);
      if (lane() == 0 && is_row) write(row + r * groups, a);
    }
  }

  template <int Count, int Loads, bool IsWhole>
  __device__ SKERRY_INLINE void run_part() const {
    __shared__ cub::Uninitialized<A> of_warps[RowSplit::threads / RowSplit::warp];
    const auto [row, part_index] = parts.divide(blockIdx.x);
    const std::int64_t first = part_index * split.part_length;
    const std::int64_t left = length - first;
    const int size = static_cast<int>(left < split.part_length ? left : split.part_length);
    A a = fold<Count, Loads, IsWhole>(rows.row(row) + first, first, size, RowSplit::threads);
    a = across_lanes<Reduction, RowSplit::warp>(a);
    const int thread = static_cast<int>(threadIdx.x);
    if (thread % RowSplit::warp == 0) of_warps[thread / RowSplit::warp].Alias() = a;
    __syncthreads();
    if (thread >= RowSplit::warp) return;
    constexpr int warps = RowSplit::threads / RowSplit::warp;
    a = across_lanes<Reduction, warps>(of_warps[thread % warps].Alias());
    if (thread > 0) return;
    if (partials == nullptr) {
      write(row, a);
    } else {
      partials[blockIdx.x] = a;
    }
  }

  /// Folds this lane's share of `size` items at x, the first of which has index `first` in its row.
  template <int Count, int Loads, bool IsWhole>
  __device__ SKERRY_INLINE A fold(const item* x, std::int64_t first, int size, int lanes) const {
    const int step = lanes * Count;
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    A a = Reduction::template identity<A>();
    int j = lane * Count;
    SKERRY_DO_NOT_UNROLL
    for (; j + (Loads - 1) * step + Count <= size; j += Loads * step) {
      RowLoad<item, Count, IsWhole> loads[Loads];
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < Loads; ++i) loads[i].read(x + j + i * step);
      a = with_loads(a, loads, first + j, step);
    }
    SKERRY_DO_NOT_UNROLL
    for (; j + Count <= size; j += step) {
      RowLoad<item, Count, IsWhole> load;
      load.read(x + j);
      a = with_items(a, load.items, first + j);
    }
    if constexpr (Count > 1) {
      SKERRY_DO_NOT_UNROLL
      for (j = size - size % Count + lane; j < size; j += lanes) {
        const item last[1] = {x[j]};
        a = with_items(a, last, first + j);
      }
    }
    return a;
  }

  template <int Count, bool IsWhole, int Loads>
  __device__ SKERRY_INLINE A with_loads(A a, const RowLoad<item, Count, IsWhole> (&loads)[Loads],
                                        std::int64_t index, int step) const {
    if constexpr (Rows::has_groups && Count * Loads % group_size<Reduction> == 0) {
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < Count * Loads; i += group_size<Reduction>) {
        item group[group_size<Reduction>];
        SKERRY_UNROLL_FULLY
        for (int k = 0; k < group_size<Reduction>; ++k) {
          group[k] = loads[(i + k) / Count].items[(i + k) % Count];
        }
        a = Reduction::combine(a, Reduction::load_group(group));
      }
    } else {
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < Loads; ++i) a = with_items(a, loads[i].items, index + i * step);
    }
    return a;
  }

  /// Combines `a` with the items, which follow it in the row.
  template <int Count>
  __device__ SKERRY_INLINE A with_items(A a, const item (&items)[Count], std::int64_t index) const {
    if constexpr (ops::takes_index<Reduction> && Rows::has_vectors) {
      // Indices count from the first item, so they are constants.
      A best = rows.loaded(items[0], 0);
      SKERRY_UNROLL_FULLY
      for (int i = 1; i < Count; ++i) {
        const A next = rows.loaded(items[i], i);
        if (Reduction::wins(next.value, best.value)) best = next;
      }
      best.index += index;
      return a.index < 0 || Reduction::wins(best.value, a.value) ? best : a;
    } else if constexpr (Rows::has_groups && Count == group_size<Reduction>) {
      return Reduction::combine(a, Reduction::load_group(items));
    } else if constexpr (Rows::has_groups) {
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < Count; ++i) a = Reduction::combine(a, rows.loaded(items[i], 0));
      return a;
    } else {
      return Reduction::combine(a, pairwise<0, Count>(items));
    }
  }

  template <int First, int Size, int Count>
  __device__ SKERRY_INLINE A pairwise(const item (&items)[Count]) const {
    if constexpr (Size == 1) {
      return rows.loaded(items[First], First);
    } else {
      return Reduction::combine(pairwise<First, Size / 2>(items),
                                pairwise<First + Size / 2, Size - Size / 2>(items));
    }
  }
};

/// Registers per thread. Several small items per 16-byte load, and accumulators of two words, need
/// more.
template <class A>
inline constexpr int row_registers = sizeof(A) == 4 ? 48 : 64;

template <class Loop>
__global__ void __launch_bounds__(
    RowSplit::threads, resident_blocks<typename Loop::A, row_registers<typename Loop::A>>)
    fold_rows(const Loop loop) {
  loop();
}

template <class Loop>
cudaError_t run_rows(const Loop& loop, cudaStream_t stream) {
  const std::int64_t rows_of_block =
      loop.split.groups() * (loop.split.is_short ? Loop::short_rows : 1);
  const std::int64_t blocks = loop.split.lanes == RowSplit::threads
                                  ? loop.count * loop.split.parts
                                  : RowSplit::divided_up(loop.count, rows_of_block);
  fold_rows<<<static_cast<unsigned>(blocks), RowSplit::threads, 0, stream>>>(loop);
  return cudaGetLastError();
}

template <class Reduction, class T>
cudaError_t reduce_rows(const ReduceParams& params, LaunchContext* context) {
  using A = ops::accumulator_t<Reduction, T>;
  using R = ops::reduced_t<Reduction, T>;
  using array_loop = RowLoop<Reduction, ArrayRows<Reduction, T>, R>;
  using partial_loop = RowLoop<Reduction, PartialRows<A>, R>;
  const bool has_vectors = array_loop::reads_vectors(params);
  array_loop loop{
      .rows = {.input = params.input,
               .retained_offsets = AxisOffsets(params.retained_rank, params.retained_shape,
                                               params.retained_strides)},
      .split = has_vectors ? RowSplit(params.retained_size, params.reduced_size, sizeof(T),
                                      array_loop::vector, array_loop::vector_loads)
                           : RowSplit(params.retained_size, params.reduced_size, sizeof(T), 1,
                                      array_loop::item_loads),
      .parts = {},
      .count = params.retained_size,
      .length = params.reduced_size,
      .has_vectors = has_vectors,
      .partials = nullptr,
      .write = writer<Reduction, A, R>(params)};
  const std::int64_t parts = loop.split.parts;
  if (parts == 1) return run_rows(loop, stream_of(context));
  loop.parts = FastDivider<std::uint32_t>(static_cast<std::uint32_t>(parts));
  loop.partials = static_cast<A*>(context->workspace(
      context, static_cast<std::size_t>(params.retained_size * parts) * sizeof(A)));
  if (loop.partials == nullptr) return cudaErrorMemoryAllocation;
  const cudaError_t status = run_rows(loop, stream_of(context));
  if (status != cudaSuccess) return status;
  // One block folds these in one pass.
  partial_loop last{.rows = {.partials = loop.partials, .parts = parts},
                    .split = RowSplit::in_one_pass(params.retained_size, parts, sizeof(A),
                                                   partial_loop::item_loads),
                    .parts = {},
                    .count = params.retained_size,
                    .length = parts,
                    .has_vectors = false,
                    .partials = nullptr,
                    .write = loop.write};
  return run_rows(last, stream_of(context));
}

}  // namespace skerry::native
