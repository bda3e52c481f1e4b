// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/sort/cuda/merge_sort.cuh"

#include <bit>
#include <cstdint>
#include <utility>

// Rows of one length: as many as fit a tile are read, sorted and written by a block. The tiles of a
// longer row are then merged, two runs at a time, by passes over all rows.

namespace skerry::native {

/// How a kernel reads and writes the items of rows.
template <class Item>
struct RowAccess {
  using key = typename TileItem<Item>::key;

  RowFormat of;
  RowCode<key> code;
  int index_bits;
  bool is_aligned;

  /// The order of what is sorted: indices have ranks for codes.
  [[nodiscard]] __host__ __device__ CodeOrder<key> order() const {
    return of.indices ? CodeOrder<key>{} : code.order;
  }

  __device__ SKERRY_INLINE Item read(std::int64_t at, std::uint64_t index) const {
    const key coded = code.encode(bits(of.input + at * of.width));
    return of.indices ? TileItem<Item>::with_index(code.order.rank(coded), index, index_bits)
                      : TileItem<Item>::with_index(coded, 0, 0);
  }

  __device__ SKERRY_INLINE void write(std::int64_t at, const Item& item) const {
    if (of.indices) {
      reinterpret_cast<std::int64_t*>(of.output)[at] =
          static_cast<std::int64_t>(TileItem<Item>::index(item, index_bits));
      return;
    }
    const key bits = code.decode(TileItem<Item>::code(item));
    if (of.width == 1) {
      put<std::uint8_t>(at, bits);
    } else if (of.width == 2) {
      put<std::uint16_t>(at, bits);
    } else if (of.width == 4) {
      put<std::uint32_t>(at, bits);
    } else {
      put<std::uint64_t>(at, bits);
    }
  }

 private:
  __device__ SKERRY_INLINE key bits(const char* from) const {
    if (of.width == 1) return static_cast<std::uint8_t>(*from);
    if (!is_aligned) {
      key bits = 0;
      SKERRY_DO_NOT_UNROLL
      for (int i = 0; i < of.width; ++i) {
        bits |= static_cast<key>(static_cast<std::uint8_t>(from[i])) << (8 * i);
      }
      return bits;
    }
    if (of.width == 2) return *reinterpret_cast<const std::uint16_t*>(from);
    if (of.width == 4) return *reinterpret_cast<const std::uint32_t*>(from);
    return static_cast<key>(*reinterpret_cast<const std::uint64_t*>(from));
  }

  template <class Bits>
  __device__ SKERRY_INLINE void put(std::int64_t at, key bits) const {
    reinterpret_cast<Bits*>(of.output)[at] = static_cast<Bits>(bits);
  }
};

/// The tiles of a matrix of rows.
struct RowTiles {
  std::int64_t tiles;  ///< of a row, if it needs several, else 1
  int group;           ///< threads that have a row in a tile
  int length;          ///< of a row, or of a tile of it
};

/// The part of a row, or the rows, that are in one tile.
struct TilePart {
  std::int64_t begin;  ///< among all items
  std::int64_t first_index;
  int size;
  int length;

  /// Calls `f(i, slot, index)` for items of the part, each of which has a slot in the tile: rows
  /// begin at every `stride`.
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
__device__ SKERRY_INLINE TilePart part_of(const RowFormat& of, const RowTiles& by) {
  const std::int64_t block = blockIdx.x;
  if (by.tiles > 1) {
    const std::int64_t row = block / by.tiles;
    const std::int64_t index = (block - row * by.tiles) * tile_size<Item>;
    const std::int64_t left = of.length - index;
    const int size = left < tile_size<Item> ? static_cast<int>(left) : tile_size<Item>;
    return {.begin = row * of.length + index, .first_index = index, .size = size, .length = size};
  }
  const int in_tile = tile_threads / by.group;
  const std::int64_t row = block * in_tile;
  const std::int64_t left = of.rows - row;
  const int rows = left < in_tile ? static_cast<int>(left) : in_tile;
  return {
      .begin = row * of.length, .first_index = 0, .size = rows * by.length, .length = by.length};
}

/// Sorts every tile: to the output, or to `runs` if it is not null.
template <class Item>
__global__ void __launch_bounds__(tile_threads)
    sort_tiles(const RowAccess<Item> rows, const RowTiles by, Item* runs) {
  __shared__ Item tile[tile_size<Item> + 1];
  const TilePart part = part_of<Item>(rows.of, by);
  const int stride = by.group * TileItem<Item>::per_thread;
  for (int i = static_cast<int>(threadIdx.x); i <= tile_size<Item>; i += tile_threads) {
    tile[i] = TileItem<Item>::last();
  }
  __syncthreads();
  part.for_each(stride, [&](std::int64_t at, int slot, std::int64_t index) {
    tile[slot] = rows.read(at, static_cast<std::uint64_t>(index));
  });
  __syncthreads();
  TileSorter<Item>(tile, rows.order()).sort(by.group, by.length);
  part.for_each(stride, [&](std::int64_t at, int slot, std::int64_t) {
    if (runs != nullptr) {
      runs[at] = tile[slot];
    } else {
      rows.write(at, tile[slot]);
    }
  });
}

/// Merges runs of `run_tiles` tiles of every row, two and two: to the output, or to `to` if it is
/// not null. A block makes a tile of the result.
template <class Item>
__global__ void __launch_bounds__(tile_threads)
    merge_runs(const RowAccess<Item> rows, const RowTiles by, std::int64_t run_tiles,
               const Item* from, Item* to) {
  constexpr int size = tile_size<Item>;
  __shared__ Item tile[size + 1];
  __shared__ std::int64_t ends[2];
  const TilePart part = part_of<Item>(rows.of, by);
  const std::int64_t row = part.begin - part.first_index;
  const std::int64_t pair = part.first_index / size / (2 * run_tiles) * (2 * run_tiles) * size;
  const std::int64_t left = rows.of.length - pair;
  const std::int64_t run = run_tiles * size;
  const std::int64_t second = left > run ? left - run : 0;
  const TwoRuns<Item> runs{.first = from + row + pair,
                           .second = from + row + pair + run,
                           .first_size = left < run ? left : run,
                           .second_size = second < run ? second : run};
  // The first warp finds where the tile begins in both, the second where it ends.
  const std::int64_t before = part.first_index - pair;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < 2) {
    const std::int64_t end =
        split_by_warp(runs, before + (warp == 0 ? 0 : part.size), rows.order());
    if (threadIdx.x % 32 == 0) ends[warp] = end;
  }
  __syncthreads();
  const std::int64_t first = ends[0];
  const int of_first = static_cast<int>(ends[1] - first);
  const Item* const others = runs.second + (before - first) - of_first;
  for (int i = static_cast<int>(threadIdx.x); i <= size; i += tile_threads) {
    if (i >= part.size) {
      tile[i] = TileItem<Item>::last();
    } else {
      tile[i] = i < of_first ? runs.first[first + i] : others[i];
    }
  }
  __syncthreads();
  TileSorter<Item>(tile, rows.order()).merge_all(of_first);
  part.for_each(size, [&](std::int64_t at, int slot, std::int64_t) {
    if (to != nullptr) {
      to[at] = tile[slot];
    } else {
      rows.write(at, tile[slot]);
    }
  });
}

template <class Item>
cudaError_t merge_sort(const RowFormat& of, int index_bits, LaunchContext* context) {
  constexpr std::int64_t size = tile_size<Item>;
  const RowAccess<Item> rows{
      .of = of,
      .code = RowCode<typename TileItem<Item>::key>(of),
      .index_bits = index_bits,
      .is_aligned = reinterpret_cast<std::uintptr_t>(of.input) % of.width == 0};
  const bool fits = of.length <= size;
  int group = 1;
  while (group < tile_threads && group * TileItem<Item>::per_thread < of.length) group *= 2;
  const RowTiles by{.tiles = fits ? 1 : (of.length + size - 1) / size,
                    .group = group,
                    .length = static_cast<int>(fits ? of.length : size)};
  const std::int64_t in_tile = tile_threads / group;
  const auto blocks =
      static_cast<unsigned>(fits ? (of.rows + in_tile - 1) / in_tile : of.rows * by.tiles);
  const std::int64_t count = of.rows * of.length;
  Item* from = fits ? nullptr : scratch<Item>(context, by.tiles > 2 ? 2 * count : count);
  if (!fits && from == nullptr) return cudaErrorMemoryAllocation;
  sort_tiles<Item><<<blocks, tile_threads, 0, stream_of(context)>>>(rows, by, from);
  cudaError_t status = cudaGetLastError();
  Item* to = from + count;
  for (std::int64_t run = 1; run < by.tiles && status == cudaSuccess; run *= 2) {
    const bool is_last = 2 * run >= by.tiles;
    merge_runs<Item><<<blocks, tile_threads, 0, stream_of(context)>>>(rows, by, run, from,
                                                                      is_last ? nullptr : to);
    status = cudaGetLastError();
    std::swap(from, to);
  }
  return status;
}

/// With the smallest numbers that have the codes and, if they are asked for, the indices.
inline cudaError_t merge_sort_by_size(const RowFormat& of, LaunchContext* context) {
  const int code_bits = 8 * of.width;
  const int index_bits = of.indices ? std::bit_width(static_cast<std::uint64_t>(of.length - 1)) : 0;
  if (code_bits + index_bits <= 32) return merge_sort<std::uint32_t>(of, index_bits, context);
  if (code_bits + index_bits <= 64) return merge_sort<std::uint64_t>(of, index_bits, context);
  return merge_sort<PlacedCode>(of, index_bits, context);
}

}  // namespace skerry::native
