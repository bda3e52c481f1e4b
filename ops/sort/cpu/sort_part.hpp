// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/sort_lane_keys.hpp"

// The partitions of quicksort, by vectors: those above the pivot (or equal to it, if not `Strict`)
// are packed into one place and the others into another.

namespace skerry::inline SKERRY_TARGET::kernels {

#if defined(SKERRY_PACKS_LANES)

/// Moves the keys above the pivot (or equal to it, if not `Strict`) to `high`, and the others to
/// `low`, which may be where the source is. Returns how many are above.
template <bool Strict, class K, class Source>
int64 part_keys(const Source& source, int64 n, K pivot, K* low, K* high) {
  constexpr int lanes = lane_count<K>;
  const lanes_of<K> pivots = all_lanes<K>(pivot);
  typename Source::Notes notes{};
  int64 above = 0;
  int64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    const lanes_of<K> v = source.lanes(i, notes);
    const unsigned set = lanes_above<Strict, K>(v, pivots);
    // Whole vectors: what is written after the lanes is written again, or has been read.
    store_lanes(low + (i - above), pack_lanes<K>(v, set ^ every_lane<K>));
    store_lanes(high + above, pack_lanes<K>(v, set));
    above += __builtin_popcount(set);
  }
  if (i < n) {
    const auto count = n - i;
    const unsigned valid_mask = (1u << count) - 1;
    const lanes_of<K> v = source.some_lanes(i, count, pivots, notes);
    const unsigned set = lanes_above<Strict, K>(v, pivots) & valid_mask;
    const int more = __builtin_popcount(set);
    store_some_lanes(low + (i - above), count - more, pack_lanes<K>(v, set ^ valid_mask));
    store_some_lanes(high + above, more, pack_lanes<K>(v, set));
    above += more;
  }
  return above;
}

/// Stores the lanes of a set, so many, before `high`, and the others from `low` on, and rubbish up
/// to a vector at either. With AVX2 a masked store takes a dozen cycles (EPYC of Zen 3), and a
/// packed vector has those of the set behind the others.
template <class K>
SKERRY_INLINE void store_parted(K* low, K* high, lanes_of<K> v, unsigned set, int count) {
  const lanes_of<K> parted = pack_lanes<K>(v, set ^ every_lane<K>);
  store_lanes(low, parted);
  if constexpr (vector_bytes == 64) {
    store_some_lanes(high - count, count, pack_lanes<K>(v, set));
  } else {
    store_lanes(high - lane_count<K>, parted);
  }
}

/// Fills an array from both its ends.
template <bool Strict, class K>
struct OuterEnds {
  K* low;   ///< where the next key not above goes
  K* high;  ///< where the last key above went
  lanes_of<K> pivots;

  /// There is room for a vector at either end, and the two don't overlap.
  SKERRY_INLINE void put(lanes_of<K> v) {
    const unsigned set = lanes_above<Strict, K>(v, pivots);
    const int above = __builtin_popcount(set);
    store_parted(low, high, v, set, above);
    low += lane_count<K> - above;
    high -= above;
  }
  /// The first ones of a vector, for which there is room in all.
  SKERRY_INLINE void put_some(lanes_of<K> v, int64 count) {
    const unsigned valid_mask = (1u << count) - 1;
    const unsigned set = lanes_above<Strict, K>(v, pivots) & valid_mask;
    const int above = __builtin_popcount(set);
    store_some_lanes(low, count - above, pack_lanes<K>(v, set ^ valid_mask));
    low += count - above;
    high -= above;
    store_some_lanes(high, above, pack_lanes<K>(v, set));
  }
  /// The n keys of a source, a vector of them at least, which fill what is between the ends.
  template <class Source>
  SKERRY_INLINE void put_all(const Source& source, int64 n, typename Source::Notes& notes) {
    constexpr int64 lanes = lane_count<K>;
    int64 i = 0;
    for (; n - i >= 2 * lanes; i += lanes) put(source.lanes(i, notes));
    put_some(source.lanes(i, notes), lanes);
    i += lanes;
    if (i < n) put_some(source.some_lanes(i, n - i, pivots, notes), n - i);
  }
};

/// Parts the keys of another array into `destination`; notes whether any is special. Returns how
/// many are above.
template <class K, class Source>
int64 part_outwards(const Source& source, int64 n, K pivot, K* destination, bool& special) {
  OuterEnds<false, K> ends{destination, destination + n, all_lanes<K>(pivot)};
  typename Source::Notes notes{};
  ends.put_all(source, n, notes);
  special = Source::any_special(notes);
  return destination + n - ends.high;
}

/// Parts keys where they are. Blocks at either end, and what is left over, are taken out first; the
/// next block is always read from the end that has less room, so that both have room for a block.
/// Which end that is nothing can foresee, so either end's blocks are fetched some blocks ahead: 4e6
/// int64 took 40 ms without, and take 34 (Xeon of model 167, one thread).
template <bool Strict, class K>
int64 part_in_place(K* keys, int64 n, K pivot) {
  constexpr int lanes = lane_count<K>;
  constexpr int vectors = vector_bytes == 64 ? 8 : 4;
  constexpr int64 block = int64{vectors} * lanes;
  constexpr int64 blocks_ahead = 4;
  const int64 over = n % block;
  K outside[3 * block];
  K* first = keys + block + over;
  K* last = keys + n - block;
  __builtin_memcpy(outside, keys, static_cast<unsigned long>(block + over) * sizeof(K));
  __builtin_memcpy(outside + block + over, last, block * sizeof(K));
  OuterEnds<Strict, K> ends{keys, keys + n, all_lanes<K>(pivot)};
  while (first != last) {
    lanes_of<K> v[vectors];
    const bool from_first = first - ends.low <= ends.high - last;
    if (!from_first) last -= block;
    const K* source = from_first ? first : last;
    if (from_first) first += block;
    const K* ahead = from_first ? source + blocks_ahead * block : source - blocks_ahead * block;
    unroll<vectors>([&](auto i) __attribute__((always_inline)) {
      v[decltype(i)::value] = load_lanes(source + decltype(i)::value * lanes);
      __builtin_prefetch(ahead + decltype(i)::value * lanes);
    });
    unroll<vectors>([&](auto i)
                        __attribute__((always_inline)) { ends.put(v[decltype(i)::value]); });
  }
  const int64 outside_count = 2 * block + over;
  typename EncodedKeys<K>::Notes notes{};
  ends.put_all(EncodedKeys<K>{outside}, outside_count, notes);
  return keys + n - ends.high;
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
