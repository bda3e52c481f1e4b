// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/partial_kernels.hpp"

#include "ops/kernel/unit.hpp"
#include "ops/sort/cpu/indices.hpp"
#include "ops/sort/cpu/order_statistic.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Calls `body(row, scratch)` for each row: rows in parallel, or a single row directly, which can
/// then use all threads.
template <class Body>
SKERRY_INLINE void for_each_row(const PartialParams& p, int64 width, Body body) {
  if (p.rows == 1) return body(0, p.scratch);
  const int64 slot_bytes = partial_scratch(p.length, width, p.best);
  const int64 share = ceil_div(p.rows, p.slots);
  const int64 grain_size = maximum(1, tuning::sort_grain_size / (share * p.length));
  cpu::parallel_for(ceil_div(p.rows, share), grain_size, [&](int64 begin, int64 end) {
    for (int64 slot = begin; slot < end; ++slot) {
      const int64 last = minimum(p.rows, (slot + 1) * share);
      for (int64 row = slot * share; row < last; ++row) body(row, p.scratch + slot * slot_bytes);
    }
  });
}

template <class T>
RankedRow<T> row_at(const PartialParams& p, int64 row, bool is_signed) {
  return {p.input + row * p.length * int64(sizeof(T)), is_signed, p.largest};
}

template <class T>
SKERRY_SHARED void write_statistics(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  for_each_row(p, sizeof(K), [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    char* const out = p.values + row_index * p.rank_count * int64(sizeof(K));
    SortedKeys<K> keys{};
    for (int i = 0; i < p.rank_count; ++i) {
      const int64 rank = p.ranks[i];
      if (!keys.has(rank)) keys = keys_around(row, p.length, rank, reinterpret_cast<K*>(scratch));
      store(out + i * int64(sizeof(K)), row.decode(keys.key(rank)));
    }
  });
}

// ---- partition

/// The groups of a row's items that are less than a key, equal to it, and greater.
template <class K>
struct ThreeGroups {
  K key;
  int64 middle;  ///< where the second group begins
  int64 last;    ///< where the third group begins
};

/// Calls `use(i, key)` for the items of a row in order, until it returns false.
template <class T, class Use>
SKERRY_INLINE void for_each_key(const RankedRow<T>& row, int64 n, Use use) {
  constexpr int64 block = tuning::partitioned_block;
  rank_key_t<T> keys[block];
  for (int64 position = 0; position < n; position += block) {
    const int64 count = minimum(block, n - position);
    row.block(position, count, keys);
    for (int64 i = 0; i < count; ++i) {
      if (!use(position + i, keys[i])) return;
    }
  }
}

/// Moves items with `put(to, from)` without data-dependent branches: each item is stored in the
/// next slot of a group, which advances only if the item belongs there. The slot after the first
/// group belongs to the second, whose items are written last.
template <class T, class Put>
SKERRY_INLINE void move_to_groups(const RankedRow<T>& row, int64 n,
                                  ThreeGroups<rank_key_t<T>> groups, Put put) {
  const rank_key_t<T> key = groups.key;
  int64 low = 0;
  int64 high = groups.last;
  for_each_key(row, n, [&](int64 i, rank_key_t<T> item) {
    put(low, i);
    low += item < key ? 1 : 0;
    if (high == n) return low < groups.middle;
    put(high, i);
    high += item > key ? 1 : 0;
    return true;
  });
  int64 next = groups.middle;
  for_each_key(row, n, [&](int64 i, rank_key_t<T> item) {
    put(next, i);
    next += item == key ? 1 : 0;
    return next < groups.last;
  });
}

#if defined(SKERRY_PACKS_LANES)
/// What a vectorized partition moves: items, or their indices.
template <class K>
struct MovedItems {
  const K* row;
  SKERRY_INLINE K one(int64 position) const { return row[position]; }
  SKERRY_INLINE lanes_of<K> lanes(int64 position) const { return load_lanes(row + position); }
};
struct MovedIndices {
  SKERRY_INLINE int64 one(int64 position) const { return position; }
  SKERRY_INLINE lanes_of<int64> lanes(int64 position) const {
    lanes_of<int64> indices = all_lanes<int64>(position);
    for (int i = 0; i < lane_count<int64>; ++i) indices[i] += i;
    return indices;
  }
};

/// The next slot of a group. Whole vectors are stored while there is room; their tails are
/// overwritten.
template <class K>
struct PackedGroup {
  K* next;
  K* end;

  SKERRY_INLINE void put(lanes_of<K> v, unsigned set) {
    const int count = __builtin_popcount(set);
    const lanes_of<K> packed = pack_lanes<K>(v, set);
    if (next + lane_count<K> <= end) {
      store_lanes(next, packed);
    } else {
      store_some_lanes(next, count, packed);
    }
    next += count;
  }
};

/// Vectorized form of move_to_groups.
template <class T, class Moved>
SKERRY_SHARED void pack_groups(const RankedRow<T>& row, int64 n, ThreeGroups<rank_key_t<T>> groups,
                               Moved moved, rank_key_t<T>* out) {
  using K = rank_key_t<T>;
  constexpr int lanes = lane_count<K>;
  constexpr int64 block = int64{32} * lanes;
  const K key = groups.key;
  const lanes_of<K> pivot = all_lanes<K>(key);
  PackedGroup<K> low{out, out + groups.middle};
  PackedGroup<K> middle{low.end, out + groups.last};
  PackedGroup<K> high{middle.end, out + n};
  K encoded[block];
  for (int64 position = 0; position < n; position += block) {
    const int64 count = minimum(block, n - position);
    const K* const keys = row.keys_of(position, count, encoded);
    int64 i = 0;
    for (; i + lanes <= count; i += lanes) {
      const lanes_of<K> v = load_lanes(keys + i);
      const unsigned not_less = lanes_above<false, K>(v, pivot);
      const unsigned above = lanes_above<true, K>(v, pivot);
      const lanes_of<K> items = moved.lanes(position + i);
      low.put(items, not_less ^ every_lane<K>);
      high.put(items, above);
      if (not_less != above) middle.put(items, not_less ^ above);
    }
    for (; i < count; ++i) {
      PackedGroup<K>& group = keys[i] < key ? low : keys[i] == key ? middle : high;
      *group.next++ = moved.one(position + i);
    }
  }
}
#endif

template <class T>
SKERRY_SHARED void partition_rows(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  for_each_row(p, sizeof(K), [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    const int64 rank = p.ranks[0];
    const auto keys = keys_around(row, p.length, rank, reinterpret_cast<K*>(scratch));
    const K key = keys.key(rank);
    const ThreeGroups<K> groups{.key = key,
                                .middle = keys.template count_before<false>(key),
                                .last = keys.template count_before<true>(key)};
    const int64 first = row_index * p.length;
#if defined(SKERRY_PACKS_LANES)
    if constexpr (has_lanes<T>) {
      if (p.indices == nullptr) {
        const MovedItems<K> items{reinterpret_cast<const K*>(row.row)};
        K* const values = reinterpret_cast<K*>(p.values.get());
        return pack_groups(row, p.length, groups, items, values + first);
      }
    }
    if constexpr (has_lanes<T> && sizeof(K) == 8) {
      return pack_groups(row, p.length, groups, MovedIndices{}, p.indices + first);
    }
#endif
    if (p.indices != nullptr) {
      move_to_groups(row, p.length, groups,
                     [&](int64 position, int64 i) { p.indices[first + position] = i; });
    } else {
      char* const out = p.values + first * int64(sizeof(K));
      move_to_groups(row, p.length, groups, [&](int64 position, int64 i) {
        store(out + position * int64(sizeof(K)),
              load<ops::bits_t<K>>(row.row + i * int64(sizeof(K))));
      });
    }
  });
}

// ---- topk

/// Calls `put(key, index)` for the `best` first items: the `less` items before `last`, and the
/// first of those equal to it.
template <class T, class Put>
SKERRY_INLINE void for_each_best(const RankedRow<T>& row, int64 n, rank_key_t<T> last, int64 less,
                                 int64 best, Put put) {
  using K = rank_key_t<T>;
  int64 ties = best - less;
  constexpr int block = tuning::collected_block;
  K keys[block];
  uint8 indices[block];
  for (int64 position = 0; position < n && best > 0; position += block) {
    const int count = static_cast<int>(minimum(block, n - position));
    row.block(position, count, keys);
    K any = 0;
    for (int i = 0; i < count; ++i) any = static_cast<K>(any | (keys[i] <= last ? 1 : 0));
    if (any == 0) continue;
    int candidate_count = 0;
    for (int i = 0; i < count; ++i) {  // without branches on keys
      indices[candidate_count] = static_cast<uint8>(i);
      candidate_count += keys[i] <= last ? 1 : 0;
    }
    for (int i = 0; i < candidate_count; ++i) {
      const K key = keys[indices[i]];
      if (key == last && ties-- <= 0) continue;
      put(key, position + indices[i]);
      --best;
    }
  }
}

/// Writes the indices of the `best` first items, sorted. `workspace` has 32 bytes per item.
template <class T>
SKERRY_INLINE void index_best(const PartialParams& p, const RankedRow<T>& row, rank_key_t<T> last,
                              int64 less, int64* destination, char* workspace) {
  using K = rank_key_t<T>;
  auto* const indices = reinterpret_cast<int64*>(workspace);
  auto* const scratch = indices + p.best;
  auto* const keys = reinterpret_cast<K*>(scratch + p.best);
  int64 count = 0;
  for_each_best(row, p.length, last, less, p.best, [&](K key, int64 index) {
    keys[count] = key;
    indices[count++] = index;
  });
  constexpr RowOrder rising{.descending = false, .is_signed = has_lanes<T>};
  argsort_row<ops::bits_t<K>>(reinterpret_cast<const char*>(keys), destination, scratch, p.best,
                              rising);
  for (int64 i = 0; i < p.best; ++i) destination[i] = indices[destination[i]];
}

template <class T>
SKERRY_SHARED void find_best(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  constexpr int64 size = sizeof(K);
  for_each_row(p, size, [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    const auto keys = keys_around(row, p.length, p.best - 1, reinterpret_cast<K*>(scratch));
    const K last = keys.key(p.best - 1);
    const int64 less = keys.template count_before<false>(last);
    int64* const indices = p.indices + row_index * p.best;
    index_best(p, row, last, less, indices, scratch + partial_scratch(p.length, size, 0));
    char* const values = p.values + row_index * p.best * size;
    for (int64 i = 0; i < p.best; ++i) {
      store(values + i * size, load<ops::bits_t<K>>(row.row + indices[i] * size));
    }
  });
}

/// Signed and unsigned integers share the code for their bits.
template <class T, void (*Run)(const PartialParams&, bool)>
void run_rows(const PartialParams& p) {
  Run(p, ops::signed_integral<T>);
}

template <class T>
void fill([[maybe_unused]] PartialKernels& table) {
  if constexpr (!ops::complex_floating<T>) {
    constexpr int row = static_cast<int>(dtype_of<T>);
    using item = row_item_t<T>;
    table.statistics[row].set_host<run_rows<T, write_statistics<item>>>();
    table.partition[row].set_host<run_rows<T, partition_rows<item>>>();
    table.topk[row].set_host<run_rows<T, find_best<item>>>();
  }
}

}  // namespace

SKERRY_KERNEL_UNIT(partial, PartialKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
