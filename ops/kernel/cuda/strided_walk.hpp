// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/config.hpp"
#include "core/plan.hpp"
#include "ops/kernel/cuda/offset.hpp"

// Which elements a thread of the strided kernel has. Free of CUDA headers, and tested on the host
// (tests/ops/kernel/cuda_strided_walk_test.cpp).

namespace skerry::native {

/// A thread has several elements, in equal steps along one axis of the plan (the slow one), so that
/// it divides once for all of them, and reads once what is broadcast along that axis.
///
/// Ordinarily threads are numbered along the other axes first: neighbours have neighbouring
/// elements of the output. An input whose items lie side by side along the slow axis instead would
/// have each thread touch a sector of its own. There a block has a square tile of the output's
/// fastest axis and the slow one, and copies the tile of such inputs to shared memory first, with
/// its threads numbered along the slow axis.
template <int Operands>
struct StridedWalk {
  static constexpr std::uint32_t block_threads = 128;
  /// A thread's elements, outside tiles: of what is read, a broadcast row is an eighth then.
  static constexpr std::uint32_t share = 8;
  /// Neighbours whose elements lie side by side are a warp at least, where that can be chosen.
  static constexpr std::int64_t shortest_run = 32;
  /// Shorter axes leave most of a tile empty.
  static constexpr std::int64_t shortest_tiled = 16;
  /// What every kernel may have.
  static constexpr std::int32_t most_shared_bytes = 48 << 10;

  /// A thread, or a tile.
  struct Place {
    std::int32_t at[Operands];  ///< byte offset of its first element
    std::uint32_t fast;         ///< where that is along the two axes, in elements or tiles
    std::uint32_t slow;
  };
  /// Elements number position, position + step, ... below end, of the slow axis or of what a tile
  /// has of it.
  struct Elements {
    std::uint32_t position;
    std::uint32_t end;
  };
  /// What a thread copies of an input's tile: items number position, position + lines(), ... below
  /// end, of what the tile has of the fast axis.
  struct Copied {
    std::int32_t from;  ///< byte offset of the first
    std::int32_t to;    ///< the same in shared memory
    Elements items;
  };

  StridedOffsets<Operands> offsets;  ///< of threads, or of tiles
  std::uint32_t count = 0;           ///< how many of them there are
  std::uint32_t end = 1;             ///< elements of the slow axis
  std::uint32_t step = 1;
  bool steps_along_first = false;     ///< the slow axis is the fastest one
  std::int32_t steps[Operands] = {};  ///< in bytes

  std::uint32_t side_bits = 0;  ///< log2 of a tile's side; 0: there are no tiles
  std::uint32_t fast_end = 1;   ///< elements of the fast axis
  std::int32_t along_fast[Operands] = {};
  std::int32_t along_slow[Operands] = {};
  std::int32_t pitch[Operands] = {};       ///< bytes, in shared memory; 0: not copied there
  std::int32_t tile_begin[Operands] = {};  ///< bytes, in shared memory
  std::int32_t shared_bytes = 0;

  /// False if `from` is too large for 32-bit indexing.
  [[nodiscard]] bool assign(const Plan& from) {
    if (!suits_32bit<Operands>(from)) return false;
    const int axis = tiled_axis(from);
    if (axis > 0) {
      cut_tiles(from, axis);
    } else {
      number_threads(from, stepped_axis(from));
    }
    return true;
  }
  [[nodiscard]] std::uint32_t blocks() const {
    return has_tiles() ? count : (count + block_threads - 1) / block_threads;
  }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_tiles() const { return side_bits != 0; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t side() const { return 1U << side_bits; }
  /// What the threads of a block have of a tile at a time.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t lines() const {
    return block_threads >> side_bits;
  }

  /// Once for a thread: the code of all divisions.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Place locate(std::uint32_t block,
                                                     std::uint32_t thread) const {
    Place here;
    const auto ends = offsets.locate(has_tiles() ? block : block * block_threads + thread, here.at);
    here.fast = ends.first;
    here.slow = steps_along_first ? ends.first : ends.last;
    return here;
  }

  /// A thread's elements; `here` goes from its tile to the first of them.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Elements deal(Place& here, std::uint32_t block,
                                                      std::uint32_t thread) const {
    if (!has_tiles()) return {here.slow, block * block_threads + thread < count ? end : 0};
    const std::uint32_t fast = thread & (side() - 1);
    const std::uint32_t slow = thread >> side_bits;
    SKERRY_UNROLL
    for (int i = 0; i < Operands; ++i) {
      here.at[i] = pitch[i] != 0 ? beyond(tile_begin[i], fast, pitch[i], slow, itemsize(i))
                                 : beyond(here.at[i], fast, along_fast[i], slow, along_slow[i]);
    }
    return {slow, fast < within(here.fast, fast_end) ? within(here.slow, end) : 0};
  }

  template <int Operand>
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Copied copies(const Place& tile,
                                                      std::uint32_t thread) const {
    const std::uint32_t slow = thread & (side() - 1);
    const std::uint32_t fast = thread >> side_bits;
    return {
        beyond(tile.at[Operand], fast, along_fast[Operand], slow, along_slow[Operand]),
        beyond(tile_begin[Operand], fast, pitch[Operand], slow, itemsize(Operand)),
        {fast, slow < within(tile.slow, end) ? within(tile.fast, fast_end) : 0},
    };
  }

 private:
  template <class Stride>
  [[nodiscard]] SKERRY_HD SKERRY_INLINE static Stride distance(Stride stride) {
    return stride < 0 ? -stride : stride;
  }
  /// For an input that is copied.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::int32_t itemsize(int operand) const {
    return distance(along_slow[operand]);
  }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE static std::int32_t beyond(std::int32_t at,
                                                                   std::uint32_t fast,
                                                                   std::int32_t along_fast,
                                                                   std::uint32_t slow,
                                                                   std::int32_t along_slow) {
    return at + static_cast<std::int32_t>(fast) * along_fast +
           static_cast<std::int32_t>(slow) * along_slow;
  }
  /// How many elements of an axis are in a tile.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t within(std::uint32_t tile,
                                                             std::uint32_t extent) const {
    const std::uint32_t left = extent - (tile << side_bits);
    return left < side() ? left : side();
  }

  /// Whether the items of an input lie side by side along `axis`, and far apart along the fastest.
  [[nodiscard]] static bool is_across(const Plan& from, int operand, int axis) {
    const std::int64_t itemsize = from.itemsize[operand];
    return !from.is_value(operand) && distance(from.strides[operand][axis]) == itemsize &&
           distance(from.strides[operand][0]) > itemsize;
  }

  /// That along which most inputs are across; 0 if tiles are not worth while.
  [[nodiscard]] static int tiled_axis(const Plan& from) {
    int best = 0;
    int most = 0;
    if (from.rank < 2 || from.shape[0] < shortest_tiled) return 0;
    for (int axis = 1; axis < from.rank; ++axis) {
      if (from.shape[axis] < shortest_tiled) continue;
      int across = 0;
      for (int i = 1; i < Operands; ++i) across += is_across(from, i, axis) ? 1 : 0;
      if (across > most) {
        most = across;
        best = axis;
      }
    }
    return best;
  }

  /// The last axis, or one that leaves neighbours side by side: rather one along which something is
  /// broadcast, else the longest.
  [[nodiscard]] static int stepped_axis(const Plan& from) {
    const auto repeats = [&](int axis) {
      for (int i = 1; i < Operands; ++i) {
        if (!from.is_value(i) && from.strides[i][axis] == 0) return true;
      }
      return false;
    };
    int best = std::max(from.rank - 1, 0);
    std::int64_t run = from.rank > 1 ? from.shape[0] / share : 0;
    for (int axis = 0; axis < from.rank - 1; ++axis) {
      const bool is_better =
          repeats(axis) == repeats(best) ? from.shape[axis] > from.shape[best] : repeats(axis);
      if (run >= shortest_run && is_better) best = axis;
      run = axis == 0 ? from.shape[0] : run * from.shape[axis];
    }
    return best;
  }

  /// Steps over a long axis are multiples of 32 elements: each begins a sector if the first does.
  void number_threads(const Plan& from, int slow) {
    end = from.rank == 0 ? 1 : static_cast<std::uint32_t>(from.shape[slow]);
    step = (end + share - 1) / share;
    if (end >= 32 * share) step = (step + 31) / 32 * 32;
    steps_along_first = slow == 0;
    count = step;
    if (from.rank == 0) return;
    if (steps_along_first) offsets.append(from, slow, step, 1);
    for (int axis = 0; axis < from.rank; ++axis) {
      if (axis == slow) continue;
      offsets.append(from, axis, from.shape[axis], 1);
      count *= static_cast<std::uint32_t>(from.shape[axis]);
    }
    if (!steps_along_first) offsets.append(from, slow, step, 1);
    for (int i = 0; i < Operands; ++i) {
      steps[i] = static_cast<std::int32_t>(from.strides[i][slow] * step);
    }
  }

  void cut_tiles(const Plan& from, int slow) {
    const std::int64_t widest = *std::max_element(from.itemsize, from.itemsize + Operands);
    // Rows of a tile are a sector at least, of the smallest items two.
    side_bits = widest <= 2 ? 6 : 5;
    const auto tiles = [&](int axis) { return (from.shape[axis] + side() - 1) >> side_bits; };
    count = 1;
    const auto append = [&](int axis, std::int64_t extent, std::int64_t by) {
      offsets.append(from, axis, extent, by);
      count *= static_cast<std::uint32_t>(extent);
    };
    append(0, tiles(0), side());
    for (int axis = 1; axis < from.rank; ++axis) {
      if (axis != slow) append(axis, from.shape[axis], 1);
    }
    append(slow, tiles(slow), side());
    fast_end = static_cast<std::uint32_t>(from.shape[0]);
    end = static_cast<std::uint32_t>(from.shape[slow]);
    step = lines();
    for (int i = 0; i < Operands; ++i) {
      along_fast[i] = static_cast<std::int32_t>(from.strides[i][0]);
      along_slow[i] = static_cast<std::int32_t>(from.strides[i][slow]);
      steps[i] = static_cast<std::int32_t>(from.strides[i][slow] * step);
      if (i > 0 && is_across(from, i, slow)) share_tile(i, from.itemsize[i]);
    }
  }

  /// An input that finds no room is read where it lies.
  void share_tile(int operand, std::int64_t itemsize) {
    const auto item = static_cast<std::int32_t>(itemsize);
    // An odd number of words, or of items: neither along columns nor along rows do banks meet.
    const auto rows = static_cast<std::int32_t>(side());
    const std::int32_t row = rows * item + std::max(item, 4);
    const std::int32_t nbytes = (rows * row + 15) / 16 * 16;
    if (shared_bytes + nbytes > most_shared_bytes) return;
    pitch[operand] = row;
    steps[operand] = static_cast<std::int32_t>(step) * item;
    tile_begin[operand] = shared_bytes;
    shared_bytes += nbytes;
  }
};

}  // namespace skerry::native
