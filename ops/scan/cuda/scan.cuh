// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"
#include "ops/scan/cuda/look_back.cuh"
#include "ops/scan/cuda/tile.cuh"
#include "ops/scan/kernels.hpp"

#include <cuda_pipeline.h>

#include <cstdint>

// All scans are one kernel: a block a tile of a long line (one contiguous run, say), of up to 32
// columns, or of as many short lines as fit. Every element is read and written once. Results
// depend neither on the run, nor on the number of multiprocessors, nor on the GPU's model.

namespace skerry::native {

/// One array's side of a scan: lines along its axis 0, which `groups` tell apart, and other axes.
struct ScannedLines {
  std::int64_t line_stride;
  std::int64_t step;
  AxisOffsets others;

  ScannedLines(const ScanParams& params, const std::int64_t* strides, std::int64_t along)
      : line_stride(params.rank > 0 ? strides[0] : 0),
        step(along),
        others(params.rank > 0 ? params.rank - 1 : 0, params.shape + 1, strides + 1) {}

  [[nodiscard]] __device__ SKERRY_INLINE std::int64_t offset(std::int64_t other, std::int64_t line,
                                                             std::int64_t place) const {
    return others.offset(other) + line * line_stride + place * step;
  }
};

template <class Op, class T>
struct TiledScan {
  using A = ops::scanned_t<Op, T>;
  using R = ops::scan_result_t<Op, T>;

  const char* input;
  char* output;
  std::int64_t length;
  std::int64_t width;  ///< lines along axis 0
  ScannedLines from;
  ScannedLines to;
  int lines_of_tile;
  int parts;  ///< threads of a line
  TileSlots slots_of;
  bool is_run;
  bool has_initial;
  bool is_aligned;
  FastDivider<std::uint64_t> groups;  ///< tiles side by side along axis 0
  FastDivider<std::uint64_t> chains;
  LookBack<Op, A> earlier;

  __device__ SKERRY_INLINE void operator()(char* slots, char* shared) const {
    const auto [tile, chain] = chains.divide(blockIdx.x);
    const auto [other, group] = groups.divide(chain);
    const std::int64_t line = group * lines_of_tile;
    const int lines = least(width - line, lines_of_tile);
    const LinePlace at(lines_of_tile, lines, parts);
    const int most = parts * scan_items<A>;
    const std::int64_t place = tile * most;
    const int places = least(length - place, most);
    const char* const x = input + from.offset(other, line, place);
    char* const out = output + to.offset(other, line, place);
    if (has_initial && tile == 0 && static_cast<int>(threadIdx.x) < lines) {
      store<R>(out + threadIdx.x * to.line_stride - to.step,
               static_cast<R>(Op::reduction::template identity<A>()), true);
    }
    if (places == 0) return;
    const TileWalk<A> walk(slots_of, is_run ? places : lines, is_run ? lines : places,
                           at.lines == 1);
    read(walk, x, slots);
    __syncthreads();
    char* const own = slots + (at.line * slots_of.line + at.part * scan_items<A>)*itemsize;
    ThreadScan<Op, A> mine(own, at, shared, [](const char* slot) {
      return ops::load_at<typename Op::reduction>(load<T>(slot, true), 0);
    });
    if (earlier.tiles > 1) {
      const A before =
          earlier.before(tile, chain, at, mine.total(), shared + scan_warps * itemsize);
      if (tile > 0) mine.put_before(before);
    }
    if (at.is_there()) mine.finish(own);
    __syncthreads();
    walk.template for_each<static_cast<int>(sizeof(R))>(
        is_run ? to.line_stride : to.step, [=](int slot, std::int64_t offset) {
          store<R>(out + offset, static_cast<R>(load<A>(slots + slot * itemsize, true)), true);
        });
  }

 private:
  static constexpr int itemsize = static_cast<int>(sizeof(A));

  [[nodiscard]] static __device__ SKERRY_INLINE int least(std::int64_t a, int b) {
    return a < b ? static_cast<int>(a) : b;
  }

  /// The items as they are, each at the beginning of its slot.
  __device__ SKERRY_INLINE void read(const TileWalk<A>& walk, const char* x, char* slots) const {
    const std::int64_t slow_bytes = is_run ? from.line_stride : from.step;
    constexpr int width_of_item = static_cast<int>(sizeof(T));
    if (!is_aligned) {
      walk.template for_each_in_turn<width_of_item>(slow_bytes, [&](int slot, std::int64_t offset) {
        store<T>(slots + slot * itemsize, load<T>(x + offset, false), true);
      });
    } else if constexpr (sizeof(T) >= 4) {
      // All are on their way at once, and take no registers.
      walk.template for_each<width_of_item>(slow_bytes, [&](int slot, std::int64_t offset) {
        __pipeline_memcpy_async(slots + slot * itemsize, x + offset, sizeof(T));
      });
      __pipeline_commit();
      __pipeline_wait_prior(0);
    } else {
      SKERRY_DO_NOT_UNROLL
      for (int begin = 0; begin < scan_items<A>; begin += scan_chunk<A>) {
        T items[scan_chunk<A>];
        walk.template for_chunk<width_of_item>(
            begin, slow_bytes,
            [&](int n, int, std::int64_t offset) { items[n] = load<T>(x + offset, true); });
        walk.template for_chunk<0>(begin, 0, [&](int n, int slot, std::int64_t) {
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
  bool aligned = suits_whole<T>(reinterpret_cast<std::intptr_t>(params.input)) &&
                 (params.length < 2 || suits_whole<T>(params.input_step));
  for (int axis = 0; axis < params.rank; ++axis) {
    aligned = aligned && suits_whole<T>(params.input_strides[axis]);
  }
  return aligned;
}

/// How lines are cut into tiles.
struct TileShape {
  int lines;
  int parts;  ///< threads of a line

  /// Columns: up to 32; a multiple of 8 threads each, for whole sectors of memory. Of lines that
  /// are shorter than a tile then, as many as there are threads for.
  TileShape(const ScanParams& params, std::int64_t width, int items) {
    const std::int64_t beside = params.is_run ? 1 : width < scan_warp ? width : scan_warp;
    const std::int64_t most = scan_threads / beside / 8 * 8;
    const std::int64_t needed = (params.length + items - 1) / items;
    parts = static_cast<int>(needed < most ? (needed > 1 ? needed : 1) : most);
    lines = static_cast<int>(needed < most ? scan_threads / parts : beside);
  }
};

template <class Op, class T>
cudaError_t scan_all(const ScanParams& params, LaunchContext* context) {
  using A = ops::scanned_t<Op, T>;
  const std::int64_t width = params.rank > 0 ? params.shape[0] : 1;
  const TileShape shape(params, width, scan_items<A>);
  const std::int64_t lines = shape.lines;
  const std::int64_t places = shape.parts * scan_items<A>;
  const std::int64_t groups = (width + lines - 1) / lines;
  const std::int64_t chains = params.others / width * groups;
  const std::int64_t tiles = params.length > places ? (params.length + places - 1) / places : 1;
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
      .from = ScannedLines(params, params.input_strides, params.input_step),
      .to = ScannedLines(params, params.output_strides, params.output_step),
      .lines_of_tile = shape.lines,
      .parts = shape.parts,
      .slots_of = TileSlots::of<A>(shape.parts, params.is_run),
      .is_run = params.is_run,
      .has_initial = params.has_initial,
      .is_aligned = scan_is_aligned<T>(params),
      .groups = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(groups)),
      .chains = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(chains)),
      .earlier = earlier};
  scan_tiles<Op, T><<<static_cast<unsigned>(tiles * chains), scan_threads, 0, stream>>>(scan);
  return cudaGetLastError();
}

/// The native kernel of Op over T; its parameter is a ScanParams.
template <class Op, class T>
int scan(const void* params, LaunchContext* context) {
  return launched(scan_all<Op, T>(*static_cast<const ScanParams*>(params), context));
}

}  // namespace skerry::native
