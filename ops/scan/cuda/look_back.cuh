// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/scan/cuda/tile.cuh"

#include <cuda/atomic>

#include <bit>
#include <cstddef>
#include <cstdint>

// Computes the exclusive prefix of each line of a tile while other tiles are being scanned. As in
// decoupled look-back (Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016), each tile publishes its total and combines the totals before it. Unlike there,
// it always combines the same nodes rather than those that happen to be ready, so that results are
// reproducible. Nodes are:
//   totals    of the tiles.
//   prefixes  of all tiles up to the end of a group, published by its last tile.
// A tile waits once: for the totals before it in its group and, at the same time, for the prefix of
// the groups before its own. A group of tiles of one long line is larger than what a GPU scans at
// once, so most tiles find the prefix ready. Waiting until a store is visible to other
// multiprocessors would take longer than the scan itself. Therefore each word of a value carries a
// flag that marks it as known, and relaxed atomics suffice.

namespace skerry::native {

template <class Op, class A>
struct LookBack {
  std::int64_t tiles;              ///< per line
  std::int64_t chains;             ///< groups of lines that are scanned together
  int readers;                     ///< threads per line that read nodes; a power of two
  int group;                       ///< in tiles
  std::int64_t nodes;              ///< totals, then prefixes
  std::uint64_t* words = nullptr;  ///< by node, chain, word of the value and line; 0: not yet known

  LookBack(std::int64_t tiles_of_line, std::int64_t chains_of_scan, int threads_of_line)
      : tiles(tiles_of_line),
        chains(chains_of_scan),
        readers(static_cast<int>(std::bit_floor(static_cast<unsigned>(threads_of_line)))),
        group(readers < 32 ? 128 : 4 * readers),
        nodes(tiles + tiles / group) {}

  [[nodiscard]] std::size_t nbytes(std::int64_t lines) const {
    return static_cast<std::size_t>(nodes * chains * lines * words_of_value) * sizeof *words;
  }

  /// Returns the exclusive prefix of the tile in the thread's line. All threads of the block call
  /// it. The last thread of each line passes the line's total as `total`. `scratch` has room for a
  /// value per thread.
  __device__ SKERRY_INLINE A exclusive_prefix(std::int64_t tile, std::int64_t chain,
                                              const LinePosition& position, A total,
                                              char* scratch) const {
    // The last tile of a line publishes nothing: no tile waits for it, and its total includes slots
    // past the line's end.
    const bool is_awaited = tile + 1 < tiles;
    if (is_awaited) publish(tile, chain, position, total);
    const std::int64_t of_group = tile / group;
    const int siblings = static_cast<int>(tile - of_group * group);
    const int has_prefix = of_group > 0 ? 1 : 0;
    if (siblings + has_prefix == 0) return A{};
    const std::int64_t first = tile - siblings - has_prefix;
    const A all = together(siblings + has_prefix, chain, position, scratch, [=, this](int i) {
      return i < has_prefix ? tiles + of_group - 1 : first + i;
    });
    if (is_awaited && siblings == group - 1) {
      publish(tiles + of_group, chain, position, Op::reduction::combine(all, total));
    }
    return all;
  }

 private:
  using word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  static constexpr int words_of_value = static_cast<int>(sizeof(A) / sizeof(std::uint32_t));
  static constexpr std::uint64_t is_known = std::uint64_t{1} << 32;

  [[nodiscard]] __device__ SKERRY_INLINE std::uint64_t* word_of(std::int64_t node,
                                                                std::int64_t chain,
                                                                const LinePosition& position,
                                                                int line, int of_value) const {
    return words + ((node * chains + chain) * words_of_value + of_value) * position.lines + line;
  }

  __device__ SKERRY_INLINE void publish(std::int64_t node, std::int64_t chain,
                                        const LinePosition& position, A total) const {
    if (!position.is_there() || position.part_index != position.parts - 1) return;
    std::uint32_t bits[words_of_value];
    __builtin_memcpy(bits, &total, sizeof total);
    SKERRY_UNROLL_FULLY
    for (int w = 0; w < words_of_value; ++w) {
      word(*word_of(node, chain, position, position.line, w))
          .store(bits[w] | is_known, ::cuda::memory_order_relaxed);
    }
  }

  /// Nodes that a thread loads before it checks whether they are known.
  static constexpr int nodes_per_read = sizeof(A) > 8 ? 2 : 4;

  /// Combines nodes node_of(first), node_of(first + readers), ..., waiting until they are known.
  template <class NodeOf>
  __device__ SKERRY_INLINE A share(int first, int n, std::int64_t chain,
                                   const LinePosition& position, int line,
                                   const NodeOf& node_of) const {
    A sum{};
    bool has_any = false;
    SKERRY_DO_NOT_UNROLL
    for (int i = first; i < n;) {
      std::uint64_t read[nodes_per_read][words_of_value];
      bool are_known = true;
      SKERRY_UNROLL_FULLY
      for (int k = 0; k < nodes_per_read; ++k) {
        SKERRY_UNROLL_FULLY
        for (int w = 0; w < words_of_value; ++w) {
          read[k][w] = is_known;
          if (i + k * readers < n) {
            read[k][w] = word(*word_of(node_of(i + k * readers), chain, position, line, w))
                             .load(::cuda::memory_order_relaxed);
          }
        }
      }
      SKERRY_UNROLL_FULLY
      for (int k = 0; k < nodes_per_read; ++k) {
        SKERRY_UNROLL_FULLY
        for (int w = 0; w < words_of_value; ++w) are_known = are_known && read[k][w] >= is_known;
      }
      if (!are_known) continue;
      SKERRY_UNROLL_FULLY
      for (int k = 0; k < nodes_per_read; ++k) {
        if (i + k * readers < n) {
          std::uint32_t bits[words_of_value];
          SKERRY_UNROLL_FULLY
          for (int w = 0; w < words_of_value; ++w) bits[w] = static_cast<std::uint32_t>(read[k][w]);
          A value;
          __builtin_memcpy(&value, bits, sizeof value);
          sum = has_any ? Op::reduction::combine(sum, value) : value;
          has_any = true;
        }
      }
      i += nodes_per_read * readers;
    }
    return sum;
  }

  /// Combines nodes node_of(0), ..., node_of(n - 1) of the thread's line; n > 0.
  template <class NodeOf>
  __device__ SKERRY_INLINE A together(int n, std::int64_t chain, const LinePosition& position,
                                      char* scratch, const NodeOf& node_of) const {
    // Adjacent threads read adjacent lines.
    const int thread = static_cast<int>(threadIdx.x);
    const int reader = thread / position.lines;
    const int line = thread - reader * position.lines;
    const auto slot = [&](int of_reader, int of_line) {
      return scratch + (of_reader * position.lines + of_line) * static_cast<int>(sizeof(A));
    };
    const bool reads = reader < readers && reader < n && line < position.lines_there;
    A sum{};
    if (reads) {
      sum = share(reader, n, chain, position, line, node_of);
      store<A>(slot(reader, line), sum, true);
    }
    __syncthreads();
    SKERRY_DO_NOT_UNROLL
    for (int half = readers / 2; half > 0; half /= 2) {
      if (half >= n) continue;
      if (reads && reader < half && reader + half < n) {
        sum = Op::reduction::combine(sum, load<A>(slot(reader + half, line), true));
        store<A>(slot(reader, line), sum, true);
      }
      __syncthreads();
    }
    return load<A>(slot(0, position.is_there() ? position.line : 0), true);
  }
};

}  // namespace skerry::native
