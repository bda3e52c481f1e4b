// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/sort_part.hpp"

// Quicksort of items of 4 and 8 bytes, by vectors. Two arrays are stacks of parts yet to be sorted:
// the output, and one more. To part what is on top of one, keys below the pivot are moved down to
// where the part begins, and the others pushed to the top of the other; so every step of either
// reads and writes forwards, and a vector's worth of what is overwritten has always been read. The
// upper part is finished first: the output then fills from its end, and the parts still in it, no
// more than what is unfinished, are in the way of none.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Sorts a row of has_lanes<T>; returns whether there are NaNs or zeros with a sign, of which the
/// one are lost and the others are any. `scratch` has room for n items, unless they are so few that
/// they are sorted in registers: short_row, at least.
template <class T>
bool sort_lanes(const char* row, char* out, char* scratch, int64 n, RowOrder order);

#if defined(SKERRY_PACKS_LANES)

/// For what quicksort makes no headway with.
template <class K>
void heap_sort(K* keys, int64 n) {
  const auto sift = [keys](int64 node, int64 size) {
    const K key = keys[node];
    for (int64 child = 2 * node + 1; child < size; child = 2 * node + 1) {
      if (child + 1 < size && keys[child] < keys[child + 1]) ++child;
      if (!(key < keys[child])) break;
      keys[node] = keys[child];
      node = child;
    }
    keys[node] = key;
  };
  for (int64 i = n / 2 - 1; i >= 0; --i) sift(i, n);
  for (int64 i = n - 1; i > 0; --i) {
    const K key = keys[0];
    keys[0] = keys[i];
    keys[i] = key;
    sift(0, i);
  }
}

/// Keys that are on top of one stack, with room for as many on top of the other.
template <class K>
struct StackedKeys {
  K* keys;
  K* scratch;
  int64 count;
  int depth;     ///< partitions that it may take
  bool bounded;  ///< no key is less than `bound`
  K bound;
};

template <class K>
StackedKeys<K> whole_row(K* keys, K* scratch, int64 n) {
  return {.keys = keys,
          .scratch = scratch,
          .count = n,
          .depth = 2 * bit_width(static_cast<uint64>(n)),
          .bounded = false,
          .bound = {}};
}

template <class T, class K>
void sort_stacked(StackedKeys<K> segment, K* destination, LaneCode<T> code) {
  while (segment.count > network_keys<K>) {
    const EncodedKeys<K> source{segment.keys};
    const int64 n = segment.count;
    if (segment.depth-- == 0) {
      heap_sort(segment.keys, n);
      // Backwards: the keys may lie before `destination`, in the same array.
      for (int64 i = n - 1; i >= 0; --i)
        KeysToItems<T>{destination, code}.put_key(i, segment.keys[i]);
      return;
    }
    const K pivot = choose_pivot<K>(source, n);
    const bool all_above = segment.bounded && pivot == segment.bound;
    const int64 above = all_above
                            ? part_keys<true>(source, n, pivot, segment.keys, segment.scratch)
                            : part_keys<false>(source, n, pivot, segment.keys, segment.scratch);
    const int64 rest = n - above;
    sort_stacked<T>(StackedKeys<K>{.keys = segment.scratch,
                                   .scratch = segment.keys + rest,
                                   .count = above,
                                   .depth = segment.depth,
                                   .bounded = !all_above,
                                   .bound = pivot},
                    destination + rest, code);
    if (all_above) {
      for (int64 i = 0; i < rest; ++i) KeysToItems<T>{destination, code}.put_key(i, pivot);
      return;
    }
    segment.count = rest;
  }
  sort_few<K>(EncodedKeys<K>{segment.keys}, KeysToItems<T>{destination, code}, segment.count);
}

/// From this many bytes on a part does not share the second-level cache with its scratch, and is
/// parted in place: so memory is read and written once. Rows of 1e6 and 4e6 float32 or int64 take 1
/// to 8 % more with half of it, and from 5 % less to as much with twice (EPYC of Zen 4, 1 MiB of
/// that cache).
inline constexpr int64 in_place_bytes = int64{1} << 19;

/// Sorts keys that lie where their items go. `scratch` has room for as many.
template <class T, class K>
void sort_at_place(StackedKeys<K> segment, LaneCode<T> code) {
  while (segment.count * int64(sizeof(K)) > in_place_bytes && segment.depth > 0) {
    --segment.depth;
    const K pivot = choose_pivot<K>(EncodedKeys<K>{segment.keys}, segment.count);
    const bool all_above = segment.bounded && pivot == segment.bound;
    const int64 above = all_above ? part_in_place<true>(segment.keys, segment.count, pivot)
                                  : part_in_place<false>(segment.keys, segment.count, pivot);
    const int64 rest = segment.count - above;
    sort_at_place<T>(StackedKeys<K>{.keys = segment.keys + rest,
                                    .scratch = segment.scratch,
                                    .count = above,
                                    .depth = segment.depth,
                                    .bounded = !all_above,
                                    .bound = pivot},
                     code);
    segment.count = rest;
    if (all_above) {
      for (int64 i = 0; i < rest; ++i) KeysToItems<T>{segment.keys, code}.put_key(i, pivot);
      return;
    }
  }
  sort_stacked<T>(segment, segment.keys, code);
}

template <class K>
bool sort_lanes_by(LaneCode<K> code, const char* row, char* out, char* scratch, int64 n) {
  const ItemsAsKeys<K> items{reinterpret_cast<const K*>(row), code};
  K* const destination = reinterpret_cast<K*>(out);
  if (n <= network_keys<K>) return sort_few<K>(items, KeysToItems<K>{destination, code}, n);
  K* const scratch_keys = reinterpret_cast<K*>(scratch);
  const K pivot = choose_pivot<K>(items, n);
  bool special = false;
  const int64 above = part_outwards(items, n, pivot, destination, special);
  const int depth = 2 * bit_width(static_cast<uint64>(n));
  const int64 rest = n - above;
  sort_at_place<K>(StackedKeys<K>{destination + rest, scratch_keys, above, depth, true, pivot},
                   code);
  sort_at_place<K>(StackedKeys<K>{destination, scratch_keys, rest, depth, false, pivot}, code);
  return special;
}

template <class T>
bool sort_lanes(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  using K = lane_key_t<T>;
  return sort_lanes_by<K>(LaneCode<K>::template create<T>(order), row, out, scratch, n);
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
