// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/offset.hpp"

#include <cstdint>

// A block scans a tile: one line or several, and as many items of each as its threads take. A tile
// is read and written in memory order, whether that is along or across the lines, and scanned in
// shared memory. Sizes depend on the dtype only: they are part of the order in which floats are
// added.

namespace skerry::native {

inline constexpr int scan_threads = 256;
inline constexpr int scan_warp = 32;
inline constexpr int scan_warps = scan_threads / scan_warp;

/// Items per thread, in shared memory. Odd, so that the threads of a warp, each at its own items,
/// use all banks. A tile takes some 10 us, most of it waiting for memory and for the tiles before
/// it. In that time a GPU moves 100 KiB per multiprocessor, so that much should be in flight.
template <class A>
inline constexpr int scan_items = sizeof(A) <= 4   ? 45
                                  : sizeof(A) <= 8 ? 21
                                                   : 9;
/// Number of items moved at a time.
template <class A>
inline constexpr int scan_chunk = sizeof(A) <= 4 ? scan_items<A> / 3 : scan_items<A>;

/// Target blocks per multiprocessor, as shared memory permits; 3 of them on compute capability 8.0.
inline constexpr int scan_blocks = 4;

/// Slots per tile: a line may have one more than its items.
template <class A>
inline constexpr int scan_slots = scan_threads * scan_items<A> + scan_threads / 2;

/// Position of a thread among the `parts` threads of a line. The last threads of a block may have
/// no line, and only `lines_there` of the `lines` exist in the last tile.
struct LinePosition {
  int lines;
  int lines_there;
  int parts;
  int line;
  int part_index;

  __device__ SKERRY_INLINE LinePosition(int lines_of_tile, int lines_there, int parts_of_line)
      : lines(lines_of_tile),
        lines_there(lines_there),
        parts(parts_of_line),
        line(static_cast<int>(threadIdx.x) / parts),
        part_index(static_cast<int>(threadIdx.x) - line * parts) {}

  [[nodiscard]] __device__ SKERRY_INLINE bool is_there() const { return line < lines_there; }
};

/// Applies `shuffle` to each word of a value.
template <class A, class Shuffle>
__device__ SKERRY_INLINE A shuffled(A value, const Shuffle& shuffle) {
  constexpr int words = static_cast<int>(sizeof(A) / sizeof(std::uint32_t));
  std::uint32_t word[words];
  __builtin_memcpy(word, &value, sizeof value);
  SKERRY_UNROLL_FULLY
  for (int w = 0; w < words; ++w) word[w] = shuffle(word[w]);
  __builtin_memcpy(&value, word, sizeof value);
  return value;
}
template <class A>
__device__ SKERRY_INLINE A shuffled_up(A value, int delta) {
  return shuffled(value, [delta](std::uint32_t word) { return __shfl_up_sync(~0U, word, delta); });
}

/// Positions of a tile's items in shared memory; the items of a line are contiguous.
struct TileSlots {
  int line;  ///< distance of lines
  int fast;  ///< distance of items that are adjacent in global memory
  int slow;

  /// Lines have an odd number of slots, so that they begin in different banks.
  template <class A>
  [[nodiscard]] static TileSlots create(int parts, bool is_axis_contiguous) {
    const int line = parts * scan_items<A> | 1;
    return {line, is_axis_contiguous ? 1 : line, is_axis_contiguous ? line : 1};
  }
};

/// Traverses the items of a tile in memory order: `slow` rows of `fast` adjacent items.
template <class A>
class TileTraversal {
 public:
  __device__ SKERRY_INLINE TileTraversal(const TileSlots& slots, int fast, int slow, bool is_line)
      : slots_(slots),
        fast_(fast),
        size_(fast * slow),
        is_full_(size_ == scan_threads * scan_items<A>),
        is_line_(is_line),
        is_even_(scan_threads % fast == 0),
        reciprocal_(((1U << 31) + static_cast<unsigned>(fast) - 1) / static_cast<unsigned>(fast)) {}

  /// Calls `f(slot, offset)` for the thread's items. Adjacent items are `Itemsize` bytes apart,
  /// rows are `slow_bytes` apart.
  template <int Itemsize, class F>
  __device__ SKERRY_INLINE void for_each(std::int64_t slow_bytes, const F& f) const {
    SKERRY_DO_NOT_UNROLL
    for (int begin = 0; index(begin) < size_; begin += scan_chunk<A>) {
      for_chunk<Itemsize>(begin, slow_bytes,
                          [&](int, int slot, std::int64_t offset) { f(slot, offset); });
    }
  }
  /// Like for_each for the items of a chunk; `f` also gets each item's number in the chunk.
  template <int Itemsize, class F>
  __device__ SKERRY_INLINE void for_chunk(int begin, std::int64_t slow_bytes, const F& f) const {
    // Most tiles are full: without bounds checks in between, addresses take few instructions.
    if (is_full_ && is_line_) {
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < scan_chunk<A>; ++n) call_in_line<Itemsize>(begin, n, f);
    } else if (is_full_ && is_even_) {
      const ItemPosition first = item_position<Itemsize>(begin, slow_bytes);
      const int step = scan_threads / fast_;
      int slot = first.slot;
      std::int64_t offset = first.offset;
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < scan_chunk<A>; ++n) {
        f(n, slot, offset);
        slot += step * slots_.slow;
        offset += step * slow_bytes;
      }
    } else if (is_line_) {
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < scan_chunk<A>; ++n) {
        if (index(begin + n) < size_) call_in_line<Itemsize>(begin, n, f);
      }
    } else {
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < scan_chunk<A>; ++n) {
        if (index(begin + n) < size_) {
          const ItemPosition position = item_position<Itemsize>(begin + n, slow_bytes);
          f(n, position.slot, position.offset);
        }
      }
    }
  }
  /// Does the same as for_each with less code.
  template <int Itemsize, class F>
  __device__ SKERRY_INLINE void for_each_in_turn(std::int64_t slow_bytes, const F& f) const {
    SKERRY_DO_NOT_UNROLL
    for (int n = 0; index(n) < size_; ++n) {
      const ItemPosition position = item_position<Itemsize>(n, slow_bytes);
      f(position.slot, position.offset);
    }
  }

 private:
  [[nodiscard]] static __device__ SKERRY_INLINE int index(int n) {
    return static_cast<int>(threadIdx.x) + n * scan_threads;
  }
  struct ItemPosition {
    int slot;
    std::int64_t offset;
  };
  template <int Itemsize>
  [[nodiscard]] __device__ SKERRY_INLINE ItemPosition item_position(int n,
                                                                    std::int64_t slow_bytes) const {
    const int i = index(n);
    // i / fast_: exact, as i * fast_ is below 2^31.
    const auto slow = static_cast<int>(__umulhi(2U * static_cast<unsigned>(i), reciprocal_));
    const std::int64_t skip = slow_bytes - std::int64_t{fast_} * Itemsize;
    return {i * slots_.fast + slow * (slots_.slow - fast_ * slots_.fast),
            std::int64_t{i} * Itemsize + slow * skip};
  }
  template <int Itemsize, class F>
  __device__ SKERRY_INLINE void call_in_line(int begin, int n, const F& f) const {
    f(n, index(begin + n), std::int64_t{index(begin + n)} * Itemsize);
  }

  const TileSlots& slots_;
  int fast_;
  int size_;
  bool is_full_;
  bool is_line_;
  bool is_even_;  ///< the block's threads cover whole lines, or items of whole columns, at a time
  unsigned reciprocal_;
};

/// Scans the items of each thread in their slots, and the threads of each line. The first item of a
/// line is used as is, not combined with the identity: that keeps -0, and complex values that a
/// product with 1 would change.
template <class Op, class A>
struct ThreadScan {
  A sum{};          ///< of the thread's items
  A prefix{};       ///< what precedes the thread in its line
  bool has_prefix;  ///< there is a prefix

  /// `loaded(slot)` converts a slot's item. Slots past a line's end contain garbage, which affects
  /// no valid item.
  template <class Loaded>
  __device__ SKERRY_INLINE ThreadScan(char* slots, const LinePosition& position, char* shared,
                                      const Loaded& loaded)
      : has_prefix(position.part_index > 0) {
    if (position.is_there()) {
      SKERRY_DO_NOT_UNROLL
      for (int begin = 0; begin < scan_items<A>; begin += scan_chunk<A>) {
        SKERRY_UNROLL_FULLY
        for (int i = 0; i < scan_chunk<A>; ++i) {
          char* const slot = slots + (begin + i) * itemsize;
          const A item = loaded(slot);
          sum = begin + i > 0 ? Op::reduction::combine(sum, item) : item;
          store<A>(slot, sum, true);
        }
      }
    }
    scan_line(position, shared);
  }

  /// Returns the line's total in its last thread.
  [[nodiscard]] __device__ SKERRY_INLINE A total() const {
    return has_prefix ? Op::reduction::combine(prefix, sum) : sum;
  }

  __device__ SKERRY_INLINE void add_prefix(A earlier) {
    prefix = has_prefix ? Op::reduction::combine(earlier, prefix) : earlier;
    has_prefix = true;
  }

  __device__ SKERRY_INLINE void finish(char* slots) const {
    if (!has_prefix) return;
    SKERRY_DO_NOT_UNROLL
    for (int begin = 0; begin < scan_items<A>; begin += scan_chunk<A>) {
      SKERRY_UNROLL_FULLY
      for (int i = 0; i < scan_chunk<A>; ++i) {
        char* const slot = slots + (begin + i) * itemsize;
        store<A>(slot, Op::reduction::combine(prefix, load<A>(slot, true)), true);
      }
    }
  }

 private:
  static constexpr int itemsize = static_cast<int>(sizeof(A));
  static_assert(scan_items<A> % scan_chunk<A> == 0);

  __device__ SKERRY_INLINE void scan_line(const LinePosition& position, char* shared) {
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % scan_warp;
    const int warp = thread / scan_warp;
    A all = sum;
    SKERRY_UNROLL_FULLY
    for (int step = 1; step < scan_warp; step *= 2) {
      const A other = shuffled_up(all, step);
      if (lane >= step && position.part_index >= step) all = Op::reduction::combine(other, all);
    }
    prefix = shuffled_up(all, 1);
    if (position.parts == 1) return;
    const auto total_of = [shared](int warp_index) {
      return shared + warp_index * static_cast<int>(sizeof(A));
    };
    if (lane == scan_warp - 1) store<A>(total_of(warp), all, true);
    __syncthreads();
    bool has_any = lane > 0;
    SKERRY_DO_NOT_UNROLL
    for (int left = position.part_index - lane, earlier_warp = warp - 1; left > 0;
         left -= scan_warp, --earlier_warp) {
      const A earlier = load<A>(total_of(earlier_warp), true);
      prefix = has_any ? Op::reduction::combine(earlier, prefix) : earlier;
      has_any = true;
    }
  }
};

}  // namespace skerry::native
