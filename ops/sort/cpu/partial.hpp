// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/argsort_lanes.hpp"
#include "ops/sort/cpu/order_statistic.hpp"
#include "ops/sort/partial_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Calls `body(row, scratch)` for each row: several at a time, or by itself, so that it has the
/// threads, where there is one.
template <class Body>
SKERRY_INLINE void for_each_row(const PartialParams& p, int64 width, Body body) {
  if (p.rows == 1) return body(0, p.scratch);
  const int64 slot_bytes = partial_scratch(p.length, width, p.best);
  const int64 share = ceil_div(p.rows, p.slots);
  const int64 grain_size = maximum(1, 8192 / (share * p.length));
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

/// Calls `use(i, statistic)` for each rank. One pass for neighbours, as a median of an even number
/// of items asks for.
template <class T, class Use>
SKERRY_INLINE void for_each_statistic(const PartialParams& p, const RankedRow<T>& row,
                                      rank_key_t<T>* workspace, Use use) {
  auto statistic = find_statistic(row, p.length, p.ranks[0], workspace);
  use(0, statistic);
  for (int i = 1; i < p.rank_count; ++i) {
    const int64 rank = p.ranks[i];
    if (rank >= statistic.less + statistic.equal)
      statistic = find_statistic(row, p.length, rank, workspace);
    use(i, statistic);
  }
}

template <class T>
SKERRY_SHARED void write_statistics(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  for_each_row(p, sizeof(K), [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    K* const workspace = reinterpret_cast<K*>(scratch);
    char* const out = p.values + row_index * p.rank_count * int64(sizeof(K));
    auto statistic = find_statistic(row, p.length, p.ranks[0], workspace);
    K key = statistic.key;
    for (int i = 0; i < p.rank_count; ++i) {
      const int64 rank = p.ranks[i];
      if (rank == statistic.less + statistic.equal) {
        key = next_key(row, p.length, statistic);
      } else if (rank >= statistic.less + statistic.equal) {
        statistic = find_statistic(row, p.length, rank, workspace);
        key = statistic.key;
      }
      store(out + i * int64(sizeof(K)), row.decode(key));
    }
  });
}

/// Groups of items: less than the first key, equal to it, less than the second and so on.
template <class T>
struct RowGroups {
  using K = rank_key_t<T>;

  K keys[max_ranks];
  int64 next[2 * max_ranks + 1];  ///< where the next item of a group goes
  int count = 0;                  ///< of keys

  void add(const OrderStatistic<K>& statistic) {
    if (count > 0 && keys[count - 1] == statistic.key) return;
    if (count == 0) next[0] = 0;
    keys[count] = statistic.key;
    next[2 * count + 1] = statistic.less;
    next[2 * count + 2] = statistic.less + statistic.equal;
    ++count;
  }
  [[nodiscard]] SKERRY_INLINE int group(K key) const {
    int g = 0;
    for (int i = 0; i < count; ++i) g += (key >= keys[i] ? 1 : 0) + (key > keys[i] ? 1 : 0);
    return g;
  }
};

/// Calls `use(i, key)` for the items of a row in turn, until it returns false.
template <class T, class Use>
SKERRY_INLINE void for_each_key(const RankedRow<T>& row, int64 n, Use use) {
  constexpr int64 block = 256;
  rank_key_t<T> keys[block];
  for (int64 position = 0; position < n; position += block) {
    const int64 count = minimum(block, n - position);
    row.block(position, count, keys);
    for (int64 i = 0; i < count; ++i) {
      if (!use(position + i, keys[i])) return;
    }
  }
}

/// Moves items to three groups, without branches on them: an item is put where the next one of a
/// group goes, and kept there if it belongs. The index behind the first group is of the second one,
/// whose items come last.
template <class T, class Put>
SKERRY_INLINE void move_to_three_groups(const RankedRow<T>& row, int64 n,
                                        const RowGroups<T>& groups, Put put) {
  const rank_key_t<T> key = groups.keys[0];
  const int64 middle = groups.next[1];
  const int64 last = groups.next[2];
  int64 low = 0;
  int64 high = last;
  for_each_key(row, n, [&](int64 i, rank_key_t<T> item) {
    put(low, i);
    low += item < key ? 1 : 0;
    if (high == n) return low < middle;
    put(high, i);
    high += item > key ? 1 : 0;
    return true;
  });
  int64 next = middle;
  for_each_key(row, n, [&](int64 i, rank_key_t<T> item) {
    put(next, i);
    next += item == key ? 1 : 0;
    return next < last;
  });
}

#if defined(SKERRY_PACKS_LANES)
/// What moves in a partition by vectors: items, or their indices.
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

/// Where the next ones of a group go. Whole vectors are stored while there is room, of which the
/// end is written again.
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

/// The same to three groups, by vectors.
template <class T, class Moved>
SKERRY_SHARED void pack_three_groups(const RankedRow<T>& row, int64 n, const RowGroups<T>& groups,
                                     Moved moved, rank_key_t<T>* out) {
  using K = rank_key_t<T>;
  constexpr int lanes = lane_count<K>;
  constexpr int64 block = int64{32} * lanes;
  const K key = groups.keys[0];
  const lanes_of<K> pivot = all_lanes<K>(key);
  PackedGroup<K> low{out, out + groups.next[1]};
  PackedGroup<K> middle{low.end, out + groups.next[2]};
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

/// Moves items by `put(to, from)` to where their groups are.
template <class T, class Put>
SKERRY_INLINE void move_to_groups(const RankedRow<T>& row, int64 n, RowGroups<T>& groups, Put put) {
  if (groups.count == 1) return move_to_three_groups(row, n, groups, put);
  for_each_key(row, n, [&](int64 i, rank_key_t<T> item) {
    put(groups.next[groups.group(item)]++, i);
    return true;
  });
}

template <class T>
SKERRY_SHARED void partition_rows(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  for_each_row(p, sizeof(K), [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    RowGroups<T> groups;
    for_each_statistic(p, row, reinterpret_cast<K*>(scratch),
                       [&](int, const OrderStatistic<K>& statistic) { groups.add(statistic); });
    const int64 first = row_index * p.length;
#if defined(SKERRY_PACKS_LANES)
    if constexpr (sizeof(K) >= 4) {
      if (groups.count == 1 && p.indices == nullptr) {
        const MovedItems<K> items{reinterpret_cast<const K*>(row.row)};
        return pack_three_groups(row, p.length, groups, items,
                                 reinterpret_cast<K*>(p.values.get()) + first);
      }
    }
    if constexpr (sizeof(K) == 8) {
      if (groups.count == 1) {
        return pack_three_groups(row, p.length, groups, MovedIndices{}, p.indices + first);
      }
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

/// An item among the best.
template <class K>
struct PlacedKey {
  K key;
  int64 index;
};

/// Two runs that lie one behind the other, without branches on their keys.
template <class K>
SKERRY_INLINE void merge_placed(const PlacedKey<K>* a, const PlacedKey<K>* middle,
                                const PlacedKey<K>* end, PlacedKey<K>* destination) {
  const PlacedKey<K>* b = middle;
  while (a != middle && b != end) {
    const bool second = b->key < a->key;
    *destination++ = *(second ? b : a);
    a += second ? 0 : 1;
    b += second ? 1 : 0;
  }
  while (a != middle) *destination++ = *a++;
  while (b != end) *destination++ = *b++;
}

/// Stable, by merging runs.
template <class K>
SKERRY_SHARED PlacedKey<K>* sort_placed(PlacedKey<K>* items, PlacedKey<K>* alternate, int64 n) {
  constexpr int64 run_size = 16;
  for (int64 begin = 0; begin < n; begin += run_size) {
    for (int64 i = begin + 1; i < minimum(n, begin + run_size); ++i) {
      const PlacedKey<K> item = items[i];
      int64 position = i;
      for (; position > begin && item.key < items[position - 1].key; --position)
        items[position] = items[position - 1];
      items[position] = item;
    }
  }
  for (int64 width = run_size; width < n; width *= 2) {
    for (int64 begin = 0; begin < n; begin += 2 * width) {
      const int64 middle = minimum(n, begin + width);
      const int64 end = minimum(n, begin + 2 * width);
      merge_placed(items + begin, items + middle, items + end, alternate + begin);
    }
    PlacedKey<K>* const sorted = alternate;
    alternate = items;
    items = sorted;
  }
  return items;
}

/// Calls `put(key, index)` for the items before `last`, and for as many equal to it as are wanted,
/// the first ones.
template <class T, class Put>
SKERRY_INLINE void for_each_best(const RankedRow<T>& row, int64 n,
                                 const OrderStatistic<rank_key_t<T>>& last, int64 best, Put put) {
  using K = rank_key_t<T>;
  int64 ties = best - last.less;
  constexpr int block = 64;
  K keys[block];
  uint8 indices[block];
  for (int64 position = 0; position < n && best > 0; position += block) {
    const int count = static_cast<int>(minimum(block, n - position));
    row.block(position, count, keys);
    K any = 0;
    for (int i = 0; i < count; ++i) any = static_cast<K>(any | (keys[i] <= last.key ? 1 : 0));
    if (any == 0) continue;
    int candidate_count = 0;
    for (int i = 0; i < count; ++i) {  // without branches on keys
      indices[candidate_count] = static_cast<uint8>(i);
      candidate_count += keys[i] <= last.key ? 1 : 0;
    }
    for (int i = 0; i < candidate_count; ++i) {
      const K key = keys[indices[i]];
      if (key == last.key && ties-- <= 0) continue;
      put(key, position + indices[i]);
      --best;
    }
  }
}

#if defined(SKERRY_PACKS_LANES)
/// From so many on the best are sorted by vectors, with the pieces of sorting that long rows have.
inline constexpr int64 best_by_lanes = 64;

/// The indices of the best, sorted, in p.indices. `workspace` has 32 bytes for each.
template <class T>
SKERRY_SHARED void index_best_by_lanes(const PartialParams& p, const RankedRow<T>& row,
                                       const OrderStatistic<rank_key_t<T>>& last,
                                       int64* destination, char* workspace) {
  using K = rank_key_t<T>;
  const int64 best = p.best;
  auto* const indices = reinterpret_cast<int64*>(workspace);
  auto* const scratch = indices + best;
  auto* const keys = reinterpret_cast<K*>(scratch + best);
  int64 count = 0;
  for_each_best(row, p.length, last, best, [&](K key, int64 index) {
    keys[count] = key;
    indices[count++] = index;
  });
  constexpr RowOrder rising{.descending = false, .is_signed = true};
  argsort_by_lanes<ops::bits_t<K>>(reinterpret_cast<const char*>(keys), destination, scratch, best,
                                   rising, p.rows == 1);
  for (int64 i = 0; i < best; ++i) destination[i] = indices[destination[i]];
}
#endif

template <class T>
SKERRY_INLINE void index_best(const PartialParams& p, const RankedRow<T>& row,
                              const OrderStatistic<rank_key_t<T>>& last, int64* destination,
                              char* workspace) {
  using K = rank_key_t<T>;
#if defined(SKERRY_PACKS_LANES)
  if constexpr (sizeof(K) >= 4) {
    if (p.best >= best_by_lanes) return index_best_by_lanes(p, row, last, destination, workspace);
  }
#endif
  auto* items = reinterpret_cast<PlacedKey<K>*>(workspace);
  int64 count = 0;
  for_each_best(row, p.length, last, p.best,
                [&](K key, int64 index) { items[count++] = {key, index}; });
  items = sort_placed(items, items + p.best, p.best);
  for (int64 i = 0; i < p.best; ++i) destination[i] = items[i].index;
}

template <class T>
SKERRY_SHARED void find_best(const PartialParams& p, bool is_signed) {
  using K = rank_key_t<T>;
  constexpr int64 size = sizeof(K);
  for_each_row(p, size, [&](int64 row_index, char* scratch) {
    const RankedRow<T> row = row_at<T>(p, row_index, is_signed);
    auto last = find_statistic(row, p.length, p.best - 1, reinterpret_cast<K*>(scratch));
    int64* const indices = p.indices + row_index * p.best;
    index_best(p, row, last, indices, scratch + (p.length * size + 63) / 64 * 64);
    char* const values = p.values + row_index * p.best * size;
    for (int64 i = 0; i < p.best; ++i) {
      store(values + i * size, load<ops::bits_t<K>>(row.row + indices[i] * size));
    }
  });
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
