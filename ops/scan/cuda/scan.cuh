// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"
#include "ops/scan/cuda/look_back.cuh"
#include "ops/scan/cuda/tile.cuh"
#include "ops/scan/kernels.hpp"

#include <cuda_pipeline.h>

#include <cstdint>

// All scans use one kernel. A block scans a tile: part of a long line (such as a contiguous run),
// of up to 32 columns, or as many short lines as fit. Each element is read and written once.
// Results are the same in every run, and do not depend on the GPU or its number of multiprocessors.

namespace skerry::native {

/// Addresses of one array in a scan: lines along its axis 0, and the other axes.
struct ScannedLines {
  std::int64_t line_stride;
  std::int64_t step;
  AxisOffsets other_axes;

  ScannedLines(const ScanParams& params, const std::int64_t* strides, std::int64_t along)
      : line_stride(params.rank > 0 ? strides[0] : 0),
        step(along),
        other_axes(params.rank > 0 ? params.rank - 1 : 0, params.shape + 1, strides + 1) {}

  [[nodiscard]] __device__ SKERRY_INLINE std::int64_t offset(std::int64_t other, std::int64_t line,
                                                             std::int64_t position) const {
    return other_axes.offset(other) + line * line_stride + position * step;
  }
};

template <class Op, class T>
struct TiledScan {
  using A = ops::scanned_t<Op, T>;
  using R = ops::scan_result_t<Op, T>;

  const char* input;
  char* output;
  std::int64_t length;
  std::int64_t width;  ///< number of lines along axis 0
  ScannedLines input_lines;
  ScannedLines output_lines;
  int lines_of_tile;
  int parts;  ///< threads per line
  TileSlots slots_of;
  bool is_axis_contiguous;
  bool has_initial;
  bool is_aligned;
  FastDivider<std::uint64_t> groups;  ///< adjacent tiles along axis 0
  FastDivider<std::uint64_t> chains;
  LookBack<Op, A> earlier;

  __device__ SKERRY_INLINE void operator()(char* slots, char* shared) const {
    const auto [tile, chain] = chains.divide(blockIdx.x);
    const auto [other, group] = groups.divide(chain);
    const std::int64_t line = group * lines_of_tile;
    const int lines = min_int(width - line, lines_of_tile);
    const LinePosition position(lines_of_tile, lines, parts);
    const int max_length = parts * scan_items<A>;
    const std::int64_t tile_begin = tile * max_length;
    const int tile_length = min_int(length - tile_begin, max_length);
    const char* const x = input + input_lines.offset(other, line, tile_begin);
    char* const out = output + output_lines.offset(other, line, tile_begin);
    if (has_initial && tile == 0 && static_cast<int>(threadIdx.x) < lines) {
      store<R>(out + threadIdx.x * output_lines.line_stride - output_lines.step,
               static_cast<R>(Op::reduction::template identity<A>()), true);
    }
    if (tile_length == 0) return;
    const TileTraversal<A> traversal(slots_of, is_axis_contiguous ? tile_length : lines,
                                     is_axis_contiguous ? lines : tile_length, position.lines == 1);
    read(traversal, x, slots);
    __syncthreads();
    char* const thread_slots =
        slots + (position.line * slots_of.line + position.part_index * scan_items<A>)*itemsize;
    ThreadScan<Op, A> thread_scan(thread_slots, position, shared, [](const char* slot) {
      return ops::load_at<typename Op::reduction>(load<T>(slot, true), 0);
    });
    if (earlier.tiles > 1) {
      const A prefix = earlier.exclusive_prefix(tile, chain, position, thread_scan.total(),
                                                shared + scan_warps * itemsize);
      if (tile > 0) thread_scan.add_prefix(prefix);
    }
    if (position.is_there()) thread_scan.finish(thread_slots);
    __syncthreads();
    traversal.template for_each<static_cast<int>(sizeof(R))>(
        is_axis_contiguous ? output_lines.line_stride : output_lines.step,
        [=](int slot, std::int64_t offset) {
          store<R>(out + offset, static_cast<R>(load<A>(slots + slot * itemsize, true)), true);
        });
  }

 private:
  static constexpr int itemsize = static_cast<int>(sizeof(A));

  [[nodiscard]] static __device__ SKERRY_INLINE int min_int(std::int64_t a, int b) {
    return a < b ? static_cast<int>(a) : b;
  }

  /// Loads the items unconverted, each at the beginning of its slot.
  __device__ SKERRY_INLINE void read(const TileTraversal<A>& traversal, const char* x,
                                     char* slots) const {
    const std::int64_t slow_bytes = is_axis_contiguous ? input_lines.line_stride : input_lines.step;
    constexpr int width_of_item = static_cast<int>(sizeof(T));
    if (!is_aligned) {
      traversal.template for_each_in_turn<width_of_item>(
          slow_bytes, [&](int slot, std::int64_t offset) {
            store<T>(slots + slot * itemsize, load<T>(x + offset, false), true);
          });
    } else if constexpr (sizeof(T) >= 4) {
      // Asynchronous copies: all loads are in flight at once and use no registers.
      traversal.template for_each<width_of_item>(slow_bytes, [&](int slot, std::int64_t offset) {
        __pipeline_memcpy_async(slots + slot * itemsize, x + offset, sizeof(T));
      });
      __pipeline_commit();
      __pipeline_wait_prior(0);
    } else {
      SKERRY_DO_NOT_UNROLL
      for (int begin = 0; begin < scan_items<A>; begin += scan_chunk<A>) {
        T items[scan_chunk<A>];
        traversal.template for_chunk<width_of_item>(
            begin, slow_bytes,
            [&](int n, int, std::int64_t offset) { items[n] = load<T>(x + offset, true); });
        traversal.template for_chunk<0>(begin, 0, [&](int n, int slot, std::int64_t) {
          store<T>(slots + slot * itemsize, items[n], true);
        });
      }
    }
  }
};

template <class Op, class T>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    scan_tiles(const __grid_constant__ TiledScan<Op, T> scan) {
  using A = ops::scanned_t<Op, T>;
  __shared__ alignas(16) char memory[(scan_slots<A> + scan_warps + scan_threads) * sizeof(A)];
  scan(memory, memory + scan_slots<A> * sizeof(A));
}

template <class T>
[[nodiscard]] bool scan_is_aligned(const ScanParams& params) {
  bool aligned = is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(params.input.get())) &&
                 (params.length < 2 || is_aligned_for_whole<T>(params.input_step));
  for (int axis = 0; axis < params.rank; ++axis) {
    aligned = aligned && is_aligned_for_whole<T>(params.input_strides[axis]);
  }
  return aligned;
}

/// How lines are split into tiles.
struct TileShape {
  int lines;
  int parts;  ///< threads per line

  /// A tile has up to 32 adjacent columns, each with a multiple of 8 threads so that whole memory
  /// sectors are read, or as many short lines as there are threads for.
  TileShape(const ScanParams& params, std::int64_t width, int items) {
    const std::int64_t adjacent_lines = params.is_axis_contiguous ? 1
                                        : width < scan_warp       ? width
                                                                  : scan_warp;
    const std::int64_t max_parts = scan_threads / adjacent_lines / 8 * 8;
    const std::int64_t required_parts = (params.length + items - 1) / items;
    parts = static_cast<int>(required_parts < max_parts ? (required_parts > 1 ? required_parts : 1)
                                                        : max_parts);
    lines = static_cast<int>(required_parts < max_parts ? scan_threads / parts : adjacent_lines);
  }
};

template <class Op, class T>
cudaError_t scan_all(const ScanParams& params, LaunchContext* context) {
  using A = ops::scanned_t<Op, T>;
  const std::int64_t width = params.rank > 0 ? params.shape[0] : 1;
  const TileShape shape(params, width, scan_items<A>);
  const std::int64_t lines = shape.lines;
  const std::int64_t tile_length = shape.parts * scan_items<A>;
  const std::int64_t groups = (width + lines - 1) / lines;
  const std::int64_t chains = params.outer_size / width * groups;
  const std::int64_t tiles =
      params.length > tile_length ? (params.length + tile_length - 1) / tile_length : 1;
  LookBack<Op, A> earlier(tiles, chains, shape.parts);
  cudaStream_t stream = stream_of(context);
  if (tiles > 1) {
    const std::size_t nbytes = earlier.nbytes(lines);
    earlier.words = static_cast<std::uint64_t*>(context->workspace(context, nbytes));
    if (earlier.words == nullptr) return cudaErrorMemoryAllocation;
    const cudaError_t status = cudaMemsetAsync(earlier.words, 0, nbytes, stream);
    if (status != cudaSuccess) return status;
  }
  const TiledScan<Op, T> scan{
      .input = params.input,
      .output = params.output,
      .length = params.length,
      .width = width,
      .input_lines = ScannedLines(params, params.input_strides, params.input_step),
      .output_lines = ScannedLines(params, params.output_strides, params.output_step),
      .lines_of_tile = shape.lines,
      .parts = shape.parts,
      .slots_of = TileSlots::create<A>(shape.parts, params.is_axis_contiguous),
      .is_axis_contiguous = params.is_axis_contiguous,
      .has_initial = params.has_initial,
      .is_aligned = scan_is_aligned<T>(params),
      .groups = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(groups)),
      .chains = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(chains)),
      .earlier = earlier};
  scan_tiles<Op, T><<<static_cast<unsigned>(tiles * chains), scan_threads, 0, stream>>>(scan);
  return cudaGetLastError();
}

/// The native kernel of Op over T.
template <class Op, class T>
int scan(const ScanParams& params, LaunchContext* context) {
  return end_launch(scan_all<Op, T>(params, context));
}

}  // namespace skerry::native
