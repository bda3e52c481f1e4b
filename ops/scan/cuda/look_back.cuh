// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/scan/cuda/tile.cuh"

#include <cuda/atomic>

#include <cstdint>

// What comes before a tile in its lines, while other tiles are scanned. As in decoupled look-back
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016), every
// tile makes its total known and puts together those before it; but not of what happens to be there
// already: of the nodes of a tree over the tiles, which are the same in every run.
//   totals    of 32^level tiles side by side, by the last of them.
//   prefixes  of all tiles up to the end of a group of 32, by its last tile.
// Nearly all tiles wait once: for the totals before them in their group, and for the prefix that
// ends there. The last of 32^level tiles waits at each level for what depends on lower levels
// alone, so nobody waits for a chain of tiles.

namespace skerry::native {

inline constexpr int look_back_group_bits = 5;
inline constexpr int look_back_group = 1 << look_back_group_bits;

template <class Op, class A>
struct look_back {
  using flag = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

  std::int64_t tiles;         ///< of a line
  std::int64_t chains;        ///< groups of lines that are scanned together
  std::int64_t prefixes = 0;  ///< where they are among the nodes of a chain
  std::int64_t nodes = 0;
  char* values = nullptr;  ///< by node, chain and line
  std::uint32_t* flags = nullptr;

  look_back(std::int64_t tiles_of_line, std::int64_t chains_of_scan)
      : tiles(tiles_of_line), chains(chains_of_scan) {
    for (std::int64_t level = tiles; level > 0; level >>= look_back_group_bits) prefixes += level;
    nodes = prefixes + (tiles >> look_back_group_bits);
  }

  /// For the block's tile, all of whose threads call it. `total` is the tile's, where the thread is
  /// the last of a line. `scratch` takes a value of every thread.
  __device__ SKERRY_INLINE A before(std::int64_t tile, std::int64_t chain, const line_place& at,
                                    A total, char* scratch) const {
    // Nobody waits for a line's last tile: what lies behind the line's end is a part of its total.
    const bool is_awaited = tile + 1 < tiles;
    if (is_awaited) publish(tile, chain, at, total);
    A all{};
    bool has_any = false;
    std::int64_t level_begin = 0;
    std::int64_t level_size = tiles;
    std::int64_t rest = tile;
    A group_total = total;
    int level = 0;
    SKERRY_DO_NOT_UNROLL
    for (;; ++level) {
      const int siblings = static_cast<int>(rest % look_back_group);
      const std::int64_t first = level_begin + rest - siblings;
      rest /= look_back_group;
      const bool is_last = siblings == look_back_group - 1;
      const int has_prefix = !is_last && rest > 0 ? 1 : 0;
      const std::int64_t prefix = prefixes + (rest << (level * look_back_group_bits)) - 1;
      if (siblings + has_prefix > 0) {
        const A part = together(siblings + has_prefix, chain, at, scratch, [=](int i) {
          return i < has_prefix ? prefix : first + i - has_prefix;
        });
        all = has_any ? Op::reduction::combine(part, all) : part;
        has_any = true;
        group_total = Op::reduction::combine(part, group_total);
      }
      if (!is_last) break;
      level_begin += level_size;
      level_size >>= look_back_group_bits;
      if (is_awaited) publish(level_begin + rest, chain, at, group_total);
    }
    if (is_awaited && level > 0) {
      publish(prefixes + (tile >> look_back_group_bits), chain, at,
              Op::reduction::combine(all, total));
    }
    return all;
  }

 private:
  /// Threads that put together nodes of a line, each a share of them: a line that has to look back
  /// has at least so many.
  static constexpr int readers = 8;
  static constexpr int share = look_back_group / readers;

  [[nodiscard]] __device__ SKERRY_INLINE char* value(std::int64_t node, std::int64_t chain,
                                                     const line_place& at, int line) const {
    return values +
           ((node * chains + chain) * at.lines + line) * static_cast<std::int64_t>(sizeof(A));
  }

  __device__ SKERRY_INLINE void publish(std::int64_t node, std::int64_t chain, const line_place& at,
                                        A total) const {
    if (at.is_there() && at.part == at.parts - 1) {
      store<A>(value(node, chain, at, at.line), total, true);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      flag(flags[node * chains + chain]).store(1, ::cuda::memory_order_release);
    }
  }

  /// Nodes node_of(0) ... node_of(n - 1), 0 < n < look_back_group, of the thread's line.
  template <class NodeOf>
  __device__ SKERRY_INLINE A together(int n, std::int64_t chain, const line_place& at,
                                      char* scratch, const NodeOf& node_of) const {
    if (const int i = static_cast<int>(threadIdx.x); i < n) {
      const flag is_known(flags[node_of(i) * chains + chain]);
      while (is_known.load(::cuda::memory_order_acquire) == 0) __nanosleep(20);
    }
    __syncthreads();
    // Threads side by side read lines side by side.
    const int thread = static_cast<int>(threadIdx.x);
    const int reader = thread / at.lines;
    const int line = thread % at.lines;
    const auto slot = [&](int of_reader, int of_line) {
      return scratch + (of_reader * at.lines + of_line) * static_cast<int>(sizeof(A));
    };
    if (const int begin = reader * share; begin < n) {
      A read[share];
      SKERRY_UNROLL
      for (int i = 0; i < share; ++i) {
        if (begin + i < n) read[i] = load<A>(value(node_of(begin + i), chain, at, line), true);
      }
      SKERRY_UNROLL
      for (int i = 1; i < share; ++i) {
        if (begin + i < n) read[0] = Op::reduction::combine(read[0], read[i]);
      }
      store<A>(slot(reader, line), read[0], true);
    }
    __syncthreads();
    A sum = load<A>(slot(0, at.line), true);
    SKERRY_UNROLL
    for (int of = 1; of < readers; ++of) {
      if (of * share < n) sum = Op::reduction::combine(sum, load<A>(slot(of, at.line), true));
    }
    return sum;
  }
};

}  // namespace skerry::native
