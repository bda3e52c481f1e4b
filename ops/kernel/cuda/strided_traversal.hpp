// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/config.hpp"
#include "core/plan.hpp"
#include "ops/kernel/cuda/offset.hpp"

// Assigns elements to the threads of the strided kernel. Includes no CUDA headers, so that it can
// be tested on the host (tests/ops/kernel/cuda_strided_traversal_test.cpp).

namespace skerry::native {

/// Each thread computes several elements, in equal steps along one axis of the plan (the slow
/// axis), so that it divides only once, and loads an item that is broadcast along that axis only
/// once.
///
/// Threads are normally numbered along the other axes first, so that adjacent threads write
/// adjacent elements. If an input is contiguous along the slow axis instead, each thread would read
/// another sector of it. Then a block computes a square tile, along the output's fastest axis and
/// the slow axis. It first copies the tile of such inputs to shared memory, with threads numbered
/// along the slow axis.
template <int Operands>
struct StridedTraversal {
  static constexpr std::uint32_t block_threads = 128;
  /// Elements per thread without tiles; the thread loads a broadcast item once for all of them.
  static constexpr std::uint32_t share = 8;
  /// The slow axis is chosen so that at least a warp has adjacent elements, if possible.
  static constexpr std::int64_t min_run_length = 32;
  /// Minimum extent of an axis for tiles: shorter axes would leave most of a tile empty.
  static constexpr std::int64_t min_tiled_extent = 16;
  /// Shared memory that is available to any kernel.
  static constexpr std::int32_t max_shared_bytes = 48 << 10;

  /// The position of a thread or of a tile.
  struct Position {
    std::int32_t byte_offsets[Operands];  ///< byte offset of its first element
    std::uint32_t fast;                   ///< index on the fastest axis, in elements or tiles
    std::uint32_t slow;
  };
  /// The elements position, position + step, ... below `end`, on the slow axis or on a tile's part
  /// of it.
  struct Elements {
    std::uint32_t position;
    std::uint32_t end;
  };
  /// The items of an input's tile that a thread copies: position, position + lines(), ... below
  /// `end`, on the tile's part of the fast axis.
  struct Copied {
    std::int32_t source_offset;  ///< byte offset of the first item
    std::int32_t shared_offset;  ///< the same in shared memory
    Elements items;
  };

  StridedOffsets<Operands> offsets;  ///< of threads, or of tiles
  std::uint32_t count = 0;           ///< number of threads, or of tiles
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

  /// False if `plan` is too large for 32-bit indexing.
  [[nodiscard]] bool assign(const Plan& plan) {
    if (!fits_32bit<Operands>(plan)) return false;
    const int axis = tiled_axis(plan);
    if (axis > 0) {
      cut_tiles(plan, axis);
    } else {
      number_threads(plan, slow_axis(plan));
    }
    return true;
  }
  [[nodiscard]] std::uint32_t blocks() const {
    return has_tiles() ? count : (count + block_threads - 1) / block_threads;
  }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE bool has_tiles() const { return side_bits != 0; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t side() const { return 1U << side_bits; }
  /// Returns the number of lines of a tile that the threads of a block process at a time.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t lines() const {
    return block_threads >> side_bits;
  }

  /// Returns the position of a thread, or of its tile. Contains all divisions; called once per
  /// thread.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Position locate(std::uint32_t block,
                                                        std::uint32_t thread) const {
    Position here;
    const auto ends =
        offsets.locate(has_tiles() ? block : block * block_threads + thread, here.byte_offsets);
    here.fast = ends.first;
    here.slow = steps_along_first ? ends.first : ends.last;
    return here;
  }

  /// Returns a thread's elements, and moves `here` from its tile to the first of them.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Elements deal(Position& here, std::uint32_t block,
                                                      std::uint32_t thread) const {
    if (!has_tiles()) return {here.slow, block * block_threads + thread < count ? end : 0};
    const std::uint32_t fast = thread & (side() - 1);
    const std::uint32_t slow = thread >> side_bits;
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < Operands; ++i) {
      here.byte_offsets[i] =
          pitch[i] != 0
              ? advance_offset(tile_begin[i], fast, pitch[i], slow, itemsize(i))
              : advance_offset(here.byte_offsets[i], fast, along_fast[i], slow, along_slow[i]);
    }
    return {slow, fast < within(here.fast, fast_end) ? within(here.slow, end) : 0};
  }

  template <int Operand>
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Copied copies(const Position& tile,
                                                      std::uint32_t thread) const {
    const std::uint32_t slow = thread & (side() - 1);
    const std::uint32_t fast = thread >> side_bits;
    return {
        advance_offset(tile.byte_offsets[Operand], fast, along_fast[Operand], slow,
                       along_slow[Operand]),
        advance_offset(tile_begin[Operand], fast, pitch[Operand], slow, itemsize(Operand)),
        {fast, slow < within(tile.slow, end) ? within(tile.fast, fast_end) : 0},
    };
  }

 private:
  template <class Stride>
  [[nodiscard]] SKERRY_HD SKERRY_INLINE static Stride distance(Stride stride) {
    return stride < 0 ? -stride : stride;
  }
  /// Returns the item size of an input that is copied to shared memory.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::int32_t itemsize(int operand) const {
    return distance(along_slow[operand]);
  }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE static std::int32_t advance_offset(
      std::int32_t offset, std::uint32_t fast, std::int32_t along_fast, std::uint32_t slow,
      std::int32_t along_slow) {
    return offset + static_cast<std::int32_t>(fast) * along_fast +
           static_cast<std::int32_t>(slow) * along_slow;
  }
  /// Returns the number of elements of a tile along an axis of `extent`.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::uint32_t within(std::uint32_t tile,
                                                             std::uint32_t extent) const {
    const std::uint32_t left = extent - (tile << side_bits);
    return left < side() ? left : side();
  }

  /// True if an input is contiguous along `axis`, and strided along the fastest one.
  [[nodiscard]] static bool is_across(const Plan& plan, int operand, int axis) {
    const std::int64_t itemsize = plan.itemsize[operand];
    return !plan.is_value(operand) && distance(plan.strides[operand][axis]) == itemsize &&
           distance(plan.strides[operand][0]) > itemsize;
  }

  /// Returns the axis, other than 0, along which most inputs are contiguous; 0 if tiles do not pay.
  [[nodiscard]] static int tiled_axis(const Plan& plan) {
    int best = 0;
    int max_across = 0;
    if (plan.rank < 2 || plan.shape[0] < min_tiled_extent) return 0;
    for (int axis = 1; axis < plan.rank; ++axis) {
      if (plan.shape[axis] < min_tiled_extent) continue;
      int across = 0;
      for (int i = 1; i < Operands; ++i) across += is_across(plan, i, axis) ? 1 : 0;
      if (across > max_across) {
        max_across = across;
        best = axis;
      }
    }
    return best;
  }

  /// Returns the last axis, or a better one with which adjacent threads still have adjacent
  /// elements: one along which an input is broadcast if possible, otherwise the longest.
  [[nodiscard]] static int slow_axis(const Plan& plan) {
    const auto repeats = [&](int axis) {
      for (int i = 1; i < Operands; ++i) {
        if (!plan.is_value(i) && plan.strides[i][axis] == 0) return true;
      }
      return false;
    };
    int best = std::max(plan.rank - 1, 0);
    std::int64_t run_length = plan.rank > 1 ? plan.shape[0] / share : 0;
    for (int axis = 0; axis < plan.rank - 1; ++axis) {
      const bool is_better =
          repeats(axis) == repeats(best) ? plan.shape[axis] > plan.shape[best] : repeats(axis);
      if (run_length >= min_run_length && is_better) best = axis;
      run_length = axis == 0 ? plan.shape[0] : run_length * plan.shape[axis];
    }
    return best;
  }

  /// Numbers threads without tiles. Steps along a long axis are multiples of 32 elements, so that
  /// each begins at a sector if the first does.
  void number_threads(const Plan& plan, int slow) {
    end = plan.rank == 0 ? 1 : static_cast<std::uint32_t>(plan.shape[slow]);
    step = (end + share - 1) / share;
    if (end >= 32 * share) step = (step + 31) / 32 * 32;
    steps_along_first = slow == 0;
    count = step;
    if (plan.rank == 0) return;
    if (steps_along_first) offsets.append(plan, slow, step, 1);
    for (int axis = 0; axis < plan.rank; ++axis) {
      if (axis == slow) continue;
      offsets.append(plan, axis, plan.shape[axis], 1);
      count *= static_cast<std::uint32_t>(plan.shape[axis]);
    }
    if (!steps_along_first) offsets.append(plan, slow, step, 1);
    for (int i = 0; i < Operands; ++i) {
      steps[i] = static_cast<std::int32_t>(plan.strides[i][slow] * step);
    }
  }

  void cut_tiles(const Plan& plan, int slow) {
    const std::int64_t max_itemsize = *std::max_element(plan.itemsize, plan.itemsize + Operands);
    // A row of a tile has at least one sector, or two if all items have one byte.
    side_bits = max_itemsize <= 2 ? 6 : 5;
    const auto tiles = [&](int axis) { return (plan.shape[axis] + side() - 1) >> side_bits; };
    count = 1;
    const auto append = [&](int axis, std::int64_t extent, std::int64_t axis_step) {
      offsets.append(plan, axis, extent, axis_step);
      count *= static_cast<std::uint32_t>(extent);
    };
    append(0, tiles(0), side());
    for (int axis = 1; axis < plan.rank; ++axis) {
      if (axis != slow) append(axis, plan.shape[axis], 1);
    }
    append(slow, tiles(slow), side());
    fast_end = static_cast<std::uint32_t>(plan.shape[0]);
    end = static_cast<std::uint32_t>(plan.shape[slow]);
    step = lines();
    for (int i = 0; i < Operands; ++i) {
      along_fast[i] = static_cast<std::int32_t>(plan.strides[i][0]);
      along_slow[i] = static_cast<std::int32_t>(plan.strides[i][slow]);
      steps[i] = static_cast<std::int32_t>(plan.strides[i][slow] * step);
      if (i > 0 && is_across(plan, i, slow)) share_tile(i, plan.itemsize[i]);
    }
  }

  /// Reserves shared memory for an input's tile. An input that does not fit is read in place.
  void share_tile(int operand, std::int64_t itemsize) {
    const auto item = static_cast<std::int32_t>(itemsize);
    // With an odd number of words or items per row, neither rows nor columns have bank conflicts.
    const auto rows = static_cast<std::int32_t>(side());
    const std::int32_t row = rows * item + std::max(item, 4);
    const std::int32_t nbytes = (rows * row + 15) / 16 * 16;
    if (shared_bytes + nbytes > max_shared_bytes) return;
    pitch[operand] = row;
    steps[operand] = static_cast<std::int32_t>(step) * item;
    tile_begin[operand] = shared_bytes;
    shared_bytes += nbytes;
  }
};

}  // namespace skerry::native
