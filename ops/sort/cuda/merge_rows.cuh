// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/sort/cuda/merge_sort.cuh"

#include <bit>
#include <cstdint>
#include <utility>

// Rows of equal length. A block reads, sorts and writes as many rows as fit in a tile. For longer
// rows, the sorted tiles are then merged pairwise, in passes over all rows.

namespace skerry::native {

/// Reads and writes the items of rows.
template <class Item>
struct RowAccess {
  using key = typename TileItem<Item>::key;

  RowFormat format;
  RowCode<key> code;
  int index_bits;
  bool is_aligned;

  /// The order of the sorted items: with indices, codes are already ranks.
  [[nodiscard]] __host__ __device__ CodeOrder<key> order() const {
    return format.indices ? CodeOrder<key>{} : code.order;
  }

  __device__ SKERRY_INLINE Item read(std::int64_t position, std::uint64_t index) const {
    const key coded = code.encode(bits(format.input + position * format.width));
    return format.indices ? TileItem<Item>::with_index(code.order.rank(coded), index, index_bits)
                          : TileItem<Item>::with_index(coded, 0, 0);
  }

  __device__ SKERRY_INLINE void write(std::int64_t position, const Item& item) const {
    if (format.indices) {
      reinterpret_cast<std::int64_t*>(format.output)[position] =
          static_cast<std::int64_t>(TileItem<Item>::index(item, index_bits));
      return;
    }
    const key bits = code.decode(TileItem<Item>::code(item));
    if (format.width == 1) {
      put<std::uint8_t>(position, bits);
    } else if (format.width == 2) {
      put<std::uint16_t>(position, bits);
    } else if (format.width == 4) {
      put<std::uint32_t>(position, bits);
    } else {
      put<std::uint64_t>(position, bits);
    }
  }

 private:
  __device__ SKERRY_INLINE key bits(const char* source) const {
    if (format.width == 1) return static_cast<std::uint8_t>(*source);
    if (!is_aligned) {
      key bits = 0;
      SKERRY_DO_NOT_UNROLL
      for (int i = 0; i < format.width; ++i) {
        bits |= static_cast<key>(static_cast<std::uint8_t>(source[i])) << (8 * i);
      }
      return bits;
    }
    if (format.width == 2) return *reinterpret_cast<const std::uint16_t*>(source);
    if (format.width == 4) return *reinterpret_cast<const std::uint32_t*>(source);
    return static_cast<key>(*reinterpret_cast<const std::uint64_t*>(source));
  }

  template <class Bits>
  __device__ SKERRY_INLINE void put(std::int64_t position, key bits) const {
    reinterpret_cast<Bits*>(format.output)[position] = static_cast<Bits>(bits);
  }
};

/// How a matrix of rows is divided into tiles.
struct RowTiles {
  std::int64_t tiles;  ///< per row; 1 if a row fits in a tile
  int group;           ///< threads per row in a tile
  int length;          ///< of a row, or of one of its tiles
};

/// The rows, or the part of a row, that one tile holds.
struct TilePart {
  std::int64_t begin;  ///< position among all items
  std::int64_t first_index;
  int size;
  int length;

  /// Calls `f(i, slot, index)` for the part's items. Rows begin at every `stride`-th slot of the
  /// tile.
  template <class F>
  __device__ SKERRY_INLINE void for_each(int stride, F&& f) const {
    int index = static_cast<int>(threadIdx.x) % length;
    int slot = static_cast<int>(threadIdx.x) / length * stride + index;
    const int index_step = tile_threads % length;
    const int slot_step = tile_threads / length * stride + index_step;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < size; i += tile_threads) {
      f(begin + i, slot, first_index + index);
      index += index_step;
      slot += slot_step;
      if (index >= length) {
        index -= length;
        slot += stride - length;
      }
    }
  }
};

template <class Item>
__device__ SKERRY_INLINE TilePart part_of(const RowFormat& format, const RowTiles& tiling) {
  const std::int64_t block = blockIdx.x;
  if (tiling.tiles > 1) {
    const std::int64_t row = block / tiling.tiles;
    const std::int64_t index = (block - row * tiling.tiles) * tile_size<Item>;
    const std::int64_t left = format.length - index;
    const int size = left < tile_size<Item> ? static_cast<int>(left) : tile_size<Item>;
    return {
        .begin = row * format.length + index, .first_index = index, .size = size, .length = size};
  }
  const int in_tile = tile_threads / tiling.group;
  const std::int64_t row = block * in_tile;
  const std::int64_t left = format.rows - row;
  const int rows = left < in_tile ? static_cast<int>(left) : in_tile;
  return {.begin = row * format.length,
          .first_index = 0,
          .size = rows * tiling.length,
          .length = tiling.length};
}

/// Sorts every tile into `runs`, or into the output if `runs` is null.
template <class Item>
__global__ void __launch_bounds__(tile_threads)
    sort_tiles(const RowAccess<Item> rows, const RowTiles tiling, Item* runs) {
  __shared__ Item tile[tile_size<Item> + 1];
  const TilePart tile_part = part_of<Item>(rows.format, tiling);
  const int stride = tiling.group * TileItem<Item>::per_thread;
  for (int i = static_cast<int>(threadIdx.x); i <= tile_size<Item>; i += tile_threads) {
    tile[i] = TileItem<Item>::last();
  }
  __syncthreads();
  tile_part.for_each(stride, [&](std::int64_t position, int slot, std::int64_t index) {
    tile[slot] = rows.read(position, static_cast<std::uint64_t>(index));
  });
  __syncthreads();
  TileSorter<Item>(tile, rows.order()).sort(tiling.group, tiling.length);
  tile_part.for_each(stride, [&](std::int64_t position, int slot, std::int64_t) {
    if (runs != nullptr) {
      runs[position] = tile[slot];
    } else {
      rows.write(position, tile[slot]);
    }
  });
}

/// Merges pairs of runs of `run_tiles` tiles in every row into `destination`, or into the output if
/// it is null. A block produces one tile of the result.
template <class Item>
__global__ void __launch_bounds__(tile_threads)
    merge_runs(const RowAccess<Item> rows, const RowTiles tiling, std::int64_t run_tiles,
               const Item* source, Item* destination) {
  constexpr int size = tile_size<Item>;
  __shared__ Item tile[size + 1];
  __shared__ std::int64_t ends[2];
  const TilePart tile_part = part_of<Item>(rows.format, tiling);
  const std::int64_t row = tile_part.begin - tile_part.first_index;
  const std::int64_t pair = tile_part.first_index / size / (2 * run_tiles) * (2 * run_tiles) * size;
  const std::int64_t left = rows.format.length - pair;
  const std::int64_t run_size = run_tiles * size;
  const std::int64_t second = left > run_size ? left - run_size : 0;
  const TwoRuns<Item> runs{.first = source + row + pair,
                           .second = source + row + pair + run_size,
                           .first_size = left < run_size ? left : run_size,
                           .second_size = second < run_size ? second : run_size};
  // The first warp finds where the tile begins in both runs, the second where it ends.
  const std::int64_t pair_offset = tile_part.first_index - pair;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < 2) {
    const std::int64_t end =
        split_by_warp(runs, pair_offset + (warp == 0 ? 0 : tile_part.size), rows.order());
    if (threadIdx.x % 32 == 0) ends[warp] = end;
  }
  __syncthreads();
  const std::int64_t first = ends[0];
  const int of_first = static_cast<int>(ends[1] - first);
  const Item* const second_items = runs.second + (pair_offset - first) - of_first;
  for (int i = static_cast<int>(threadIdx.x); i <= size; i += tile_threads) {
    if (i >= tile_part.size) {
      tile[i] = TileItem<Item>::last();
    } else {
      tile[i] = i < of_first ? runs.first[first + i] : second_items[i];
    }
  }
  __syncthreads();
  TileSorter<Item>(tile, rows.order()).merge_all(of_first);
  tile_part.for_each(size, [&](std::int64_t position, int slot, std::int64_t) {
    if (destination != nullptr) {
      destination[position] = tile[slot];
    } else {
      rows.write(position, tile[slot]);
    }
  });
}

template <class Item>
cudaError_t merge_sort(const RowFormat& format, int index_bits, LaunchContext* context) {
  constexpr std::int64_t size = tile_size<Item>;
  const RowAccess<Item> rows{
      .format = format,
      .code = RowCode<typename TileItem<Item>::key>(format),
      .index_bits = index_bits,
      .is_aligned = reinterpret_cast<std::uintptr_t>(format.input) % format.width == 0};
  const bool fits = format.length <= size;
  int group = 1;
  while (group < tile_threads && group * TileItem<Item>::per_thread < format.length) group *= 2;
  const RowTiles tiling{.tiles = fits ? 1 : (format.length + size - 1) / size,
                        .group = group,
                        .length = static_cast<int>(fits ? format.length : size)};
  const std::int64_t in_tile = tile_threads / group;
  const auto blocks = static_cast<unsigned>(fits ? (format.rows + in_tile - 1) / in_tile
                                                 : format.rows * tiling.tiles);
  const std::int64_t count = format.rows * format.length;
  Item* source = fits ? nullptr : scratch<Item>(context, tiling.tiles > 2 ? 2 * count : count);
  if (!fits && source == nullptr) return cudaErrorMemoryAllocation;
  sort_tiles<Item><<<blocks, tile_threads, 0, stream_of(context)>>>(rows, tiling, source);
  cudaError_t status = cudaGetLastError();
  Item* destination = source + count;
  for (std::int64_t tiles_per_run = 1; tiles_per_run < tiling.tiles && status == cudaSuccess;
       tiles_per_run *= 2) {
    const bool is_last = 2 * tiles_per_run >= tiling.tiles;
    merge_runs<Item><<<blocks, tile_threads, 0, stream_of(context)>>>(
        rows, tiling, tiles_per_run, source, is_last ? nullptr : destination);
    status = cudaGetLastError();
    std::swap(source, destination);
  }
  return status;
}

/// Sorts with the smallest integer type that holds the codes and, if requested, the indices.
inline cudaError_t merge_sort_by_size(const RowFormat& format, LaunchContext* context) {
  const int code_bits = 8 * format.width;
  const int index_bits =
      format.indices ? std::bit_width(static_cast<std::uint64_t>(format.length - 1)) : 0;
  if (code_bits + index_bits <= 32) return merge_sort<std::uint32_t>(format, index_bits, context);
  if (code_bits + index_bits <= 64) return merge_sort<std::uint64_t>(format, index_bits, context);
  return merge_sort<PlacedCode>(format, index_bits, context);
}

}  // namespace skerry::native
