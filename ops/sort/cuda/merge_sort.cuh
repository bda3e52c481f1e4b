// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/offset.hpp"
#include "ops/kernel/cuda/tile.cuh"
#include "ops/sort/cuda/row_code.cuh"

#include <cub/block/block_merge_sort.cuh>

#include <cstdint>

// Stable sorting of tiles in shared memory. Each thread sorts a few items, then groups of twice as
// many threads merge their runs until the runs are as long as rows. cub::BlockMergeSort does the
// same, but with thread groups fixed at compile time; its StableOddEvenSort and SerialMerge
// recompute the rank of an item at each comparison, which takes 1.26 times the instructions
// (ops/KERNELS.md).

namespace skerry::native {

/// The code of an 8-byte item and its index, where both do not fit in 8 bytes.
struct alignas(16) PlacedCode {
  std::uint64_t code;
  std::uint64_t index;
};

/// Sorted items: codes, or codes joined with indices in one integer.
template <class Item>
struct TileItem {
  using key = Item;
  /// Odd, so that threads that read their items sequentially use different banks; 4,096 items fit
  /// in a tile.
  static constexpr int per_thread = 17;

  __device__ static SKERRY_INLINE key rank(Item item, const CodeOrder<key>& order) {
    return order.rank(item);
  }
  __device__ static SKERRY_INLINE Item last() { return ~Item{0}; }
  __device__ static SKERRY_INLINE Item with_index(key code, std::uint64_t index, int index_bits) {
    return static_cast<Item>(code << index_bits | static_cast<Item>(index));
  }
  __device__ static SKERRY_INLINE std::uint64_t index(Item item, int index_bits) {
    return item & ((Item{1} << index_bits) - 1);
  }
  __device__ static SKERRY_INLINE key code(Item item) { return item; }
};

template <>
struct TileItem<PlacedCode> {
  using key = std::uint64_t;
  static constexpr int per_thread = 11;  // 44 KiB of shared memory

  __device__ static SKERRY_INLINE key rank(const PlacedCode& item, const CodeOrder<key>&) {
    return item.code;
  }
  __device__ static SKERRY_INLINE PlacedCode last() { return {.code = ~key{0}, .index = 0}; }
  __device__ static SKERRY_INLINE PlacedCode with_index(key code, std::uint64_t index, int) {
    return {.code = code, .index = index};
  }
  __device__ static SKERRY_INLINE std::uint64_t index(const PlacedCode& item, int) {
    return item.index;
  }
  __device__ static SKERRY_INLINE key code(const PlacedCode& item) { return item.code; }
};

template <class Item>
inline constexpr int tile_size = tile_threads * TileItem<Item>::per_thread;

/// Two sorted runs; items of the first come before equal ones of the second.
template <class Item>
struct TwoRuns {
  const Item* first;
  const Item* second;
  std::int64_t first_size;
  std::int64_t second_size;

  /// True if item `position` of the first run is among the first `count` of the merged runs.
  __device__ SKERRY_INLINE bool takes(std::int64_t position, std::int64_t count,
                                      const CodeOrder<typename TileItem<Item>::key>& order) const {
    using item = TileItem<Item>;
    return !(item::rank(second[count - 1 - position], order) < item::rank(first[position], order));
  }
  /// Bounds on the number of items of the first run among the first `count` merged items.
  __device__ SKERRY_INLINE std::int64_t fewest(std::int64_t count) const {
    return count > second_size ? count - second_size : 0;
  }
  __device__ SKERRY_INLINE std::int64_t max_first_count(std::int64_t count) const {
    return count < first_size ? count : first_size;
  }
};

/// Sorts the items of a tile, a share of which each thread holds in registers.
template <class Item>
class TileSorter {
 public:
  using item = TileItem<Item>;
  using key = typename item::key;
  static constexpr int per_thread = item::per_thread;

  /// `tile` has room for tile_size + 1 items; the last is a sentinel.
  __device__ SKERRY_INLINE TileSorter(Item* tile, const CodeOrder<key>& order)
      : tile_(tile), order_(order) {}

  /// Sorts the rows of the tile, with `group` threads each. A thread has at most `max_items` items.
  __device__ SKERRY_INLINE void sort(int group, int max_items) {
    take();
    sort_own(max_items);
    for (int threads = 2; threads <= group; threads *= 2) {
      put();
      const int begin = (static_cast<int>(threadIdx.x) & -threads) * per_thread;
      const int run_size = threads / 2 * per_thread;
      merge(begin, run_size, run_size);
    }
    put();
  }

  /// Merges the two runs of the tile: the first has `first` items, the second the others.
  __device__ SKERRY_INLINE void merge_all(int first) {
    merge(0, first, tile_size<Item> - first);
    put();
  }

 private:
  Item* tile_;
  CodeOrder<key> order_;
  Item items_[per_thread];

  __device__ SKERRY_INLINE auto is_before() const {
    return [order = order_](const Item& x, const Item& y) {
      return item::rank(x, order) < item::rank(y, order);
    };
  }

  __device__ SKERRY_INLINE void take() {
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < per_thread; ++i) items_[i] = tile_[threadIdx.x * per_thread + i];
  }

  __device__ SKERRY_INLINE void put() {
    __syncthreads();
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < per_thread; ++i) tile_[threadIdx.x * per_thread + i] = items_[i];
    __syncthreads();
  }

  /// Sorts a thread's items by odd-even transposition, in as many rounds as there are items.
  __device__ SKERRY_INLINE void sort_own(int max_items) {
    key ranks[per_thread];
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < per_thread; ++i) ranks[i] = item::rank(items_[i], order_);
    SKERRY_UNROLL_FULLY
    for (int round = 0; round < per_thread; ++round) {
      if (round >= max_items) break;
      SKERRY_UNROLL_FULLY
      for (int i = round & 1; i + 1 < per_thread; i += 2) {
        const bool swap = ranks[i + 1] < ranks[i];
        const key rank = ranks[i];
        ranks[i] = swap ? ranks[i + 1] : rank;
        ranks[i + 1] = swap ? rank : ranks[i + 1];
        const Item first_item = items_[i];
        items_[i] = choose(swap, items_[i + 1], first_item);
        items_[i + 1] = choose(swap, first_item, items_[i + 1]);
      }
    }
  }

  /// Merges this thread's share of two adjacent runs.
  __device__ SKERRY_INLINE void merge(int begin, int first_size, int second_size) {
    const int count = static_cast<int>(threadIdx.x) * per_thread - begin;
    const Item* const runs = tile_ + begin;
    const int first_count =
        cub::MergePath(runs, runs + first_size, first_size, second_size, count, is_before());
    int first = begin + first_count;
    int second = begin + first_size + count - first_count;
    const int first_end = begin + first_size;
    const int second_end = first_end + second_size;
    Item a = tile_[first];
    Item b = tile_[second];
    key rank_a = item::rank(a, order_);
    key rank_b = item::rank(b, order_);
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < per_thread; ++i) {
      const bool from_second = second < second_end && (first >= first_end || rank_b < rank_a);
      items_[i] = choose(from_second, b, a);
      second += from_second ? 1 : 0;
      first += from_second ? 0 : 1;
      const Item next = tile_[from_second ? second : first];
      const key rank = item::rank(next, order_);
      a = choose(from_second, a, next);
      b = choose(from_second, next, b);
      rank_a = from_second ? rank_a : rank;
      rank_b = from_second ? rank : rank_b;
    }
  }

  /// Selects member by member: no branch, and no address that would force the items into local
  /// memory.
  __device__ static SKERRY_INLINE Item choose(bool one, const Item& x, const Item& y) {
    if constexpr (sizeof(Item) == 16) {
      return {.code = one ? x.code : y.code, .index = one ? x.index : y.index};
    } else {
      return one ? x : y;
    }
  }
};

/// Splits runs of any length, by one warp: returns how many of the first `count` are from the first
/// run.
template <class Item>
__device__ SKERRY_INLINE std::int64_t split_by_warp(
    const TwoRuns<Item>& runs, std::int64_t count,
    const CodeOrder<typename TileItem<Item>::key>& order) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int64_t fewest = runs.fewest(count);
  std::int64_t max_count = runs.max_first_count(count);
  while (fewest < max_count) {
    const std::int64_t step = (max_count - fewest + 31) / 32;
    const std::int64_t position = fewest + lane * step;
    const bool takes = position < max_count && runs.takes(position, count, order);
    const int taking_lanes = __popc(__ballot_sync(~0u, takes));
    if (taking_lanes == 0) return fewest;
    const std::int64_t end = fewest + taking_lanes * step;
    max_count = end < max_count ? end : max_count;
    fewest = end - step + 1;
  }
  return fewest;
}

}  // namespace skerry::native
