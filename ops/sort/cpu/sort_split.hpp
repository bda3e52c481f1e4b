// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/quicksort.hpp"

// What is worth several threads is first split by three pivots at a time, in passes that any number
// of threads can share.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Keys that are worth several threads. Splitting takes no more than 7 % of work here and at half
/// of it, where one thread is done in 0.1 ms (float32, EPYC of Zen 4).
inline constexpr int64 parallel_keys = int64{1} << 16;

/// Sorts a row as sort_lanes does, by all threads.
template <class T>
bool sort_by_threads(const char* row, char* out, char* scratch, int64 n, RowOrder order);

#if defined(SKERRY_PACKS_LANES)

/// For a split. 1e6 and 4e6 keys take 3 to 16 % more work with two ways, and 5 to 14 % more with
/// eight, whose pivots and indices do not fit the registers (EPYC of Zen 4, x86-64-v3).
inline constexpr int ways = 4;
/// Pieces of an array that threads split side by side, at most: their indices are 2 KiB of stack.
/// For 64 threads half and twice as many are within 2 %.
inline constexpr int most_pieces = 64;

/// Where each of the ways begins, in whole or for a piece.
struct WayBegins {
  int64 at[ways + 1];
};

template <class K>
struct WayPivots {
  K key[ways - 1];

  template <class Source>
  void choose(const Source& source, int64 n) {
    K sample[network_keys<K>];
    draw_sample<K, most_rows>(source, n, sample);
    for (int i = 1; i < ways; ++i) key[i - 1] = sample[i * network_keys<K> / ways];
  }
};

/// Sets counts[i] to how many keys are not less than pivot i - 1. Returns whether any is special.
template <class K, class Source>
bool count_ways(const Source& source, int64 begin, int64 end, const WayPivots<K>& pivots,
                int64* counts) {
  constexpr int lanes = lane_count<K>;
  typename Source::Notes seen{};
  lanes_of<K> pivot[ways - 1];
  int64 count[ways] = {end - begin};
  repeat<ways - 1>([&](auto i) __attribute__((always_inline)) {
    constexpr int which = decltype(i)::value;
    pivot[which] = all_lanes<K>(pivots.key[which]);
  });
  for (int64 at = begin; at < end; at += lanes) {
    const bool whole = at + lanes <= end;
    const unsigned there = whole ? every_lane<K> : (1u << (end - at)) - 1;
    const lanes_of<K> v =
        whole ? source.lanes(at, seen) : source.some_lanes(at, end - at, pivot[0], seen);
    repeat<ways - 1>([&](auto i) __attribute__((always_inline)) {
      constexpr int which = decltype(i)::value;
      count[which + 1] += __builtin_popcount(lanes_above<false, K>(v, pivot[which]) & there);
    });
  }
  for (int i = 0; i < ways; ++i) counts[i] = count[i];
  return Source::any_special(seen);
}

/// Writes keys to the ways of a piece: way i from begins[i] on, up to ends[i].
template <class K, class Source>
void split_piece(const Source& source, int64 begin, int64 end, const WayPivots<K>& pivots, K* to,
                 const int64* begins, const int64* ends) {
  constexpr int lanes = lane_count<K>;
  typename Source::Notes seen{};
  lanes_of<K> pivot[ways - 1];
  int64 index[ways];
  repeat<ways>([&](auto i) __attribute__((always_inline)) {
    constexpr int which = decltype(i)::value;
    if constexpr (which < ways - 1) pivot[which] = all_lanes<K>(pivots.key[which]);
    index[which] = begins[which];
  });
  for (int64 at = begin; at < end; at += lanes) {
    const bool whole = at + lanes <= end;
    unsigned rest = whole ? every_lane<K> : (1u << (end - at)) - 1;
    const lanes_of<K> v =
        whole ? source.lanes(at, seen) : source.some_lanes(at, end - at, pivot[0], seen);
    repeat<ways>([&](auto i) __attribute__((always_inline)) {
      constexpr int which = decltype(i)::value;
      unsigned set = rest;
      if constexpr (which < ways - 1) {
        rest &= lanes_above<false, K>(v, pivot[which]);
        set ^= rest;
      }
      const lanes_of<K> packed = pack_lanes<K>(v, set);
      const int count = __builtin_popcount(set);
      int64& free = index[which];
      // What comes after the last key of a way is another's.
      if (free + lanes <= ends[which]) {
        store_lanes(to + free, packed);
      } else {
        store_some_lanes(to + free, count, packed);
      }
      free += count;
    });
  }
}

/// Calls what(piece, begin, end) for pieces of n keys, on several threads.
template <class F>
void for_pieces(int64 n, int64 pieces, const F& what) {
  const int64 length = ceil_div(ceil_div(n, pieces), 64) * 64;
  cpu::parallel_for(pieces, 1, [&](int64 first, int64 last) {
    for (int64 piece = first; piece < last; ++piece) {
      what(piece, least(n, piece * length), least(n, (piece + 1) * length));
    }
  });
}

template <class K, class Source>
struct counting_pieces {
  const Source& source;
  const WayPivots<K>& pivots;
  int64 (*counts)[ways];
  bool* special;

  void operator()(int64 piece, int64 begin, int64 end) const {
    if (count_ways<K>(source, begin, end, pivots, counts[piece])) {
      __atomic_store_n(special, true, __ATOMIC_RELAXED);
    }
  }
};

template <class K, class Source>
struct splitting_pieces {
  const Source& source;
  const WayPivots<K>& pivots;
  K* to;
  int64 (*indices)[ways];

  void operator()(int64 piece, int64 begin, int64 end) const {
    split_piece<K>(source, begin, end, pivots, to, indices[piece], indices[piece + 1]);
  }
};

/// Splits n keys; begins.at[i] tells where way i begins in `to`. Returns whether any is special.
template <class K, class Source>
bool split_keys(const Source& source, int64 n, const WayPivots<K>& pivots, K* to, int64 pieces,
                WayBegins& begins) {
  int64 indices[most_pieces + 1][ways];
  bool special = false;
  for_pieces(n, pieces, counting_pieces<K, Source>{source, pivots, indices, &special});
  int64 begin = 0;
  for (int way = 0; way < ways; ++way) {
    begins.at[way] = begin;
    for (int64 piece = 0; piece < pieces; ++piece) {
      const int64 more = way + 1 < ways ? indices[piece][way + 1] : 0;
      const int64 count = indices[piece][way] - more;
      indices[piece][way] = begin;
      begin += count;
    }
    indices[pieces][way] = begin;
  }
  begins.at[ways] = n;
  for_pieces(n, pieces, splitting_pieces<K, Source>{source, pivots, to, indices});
  return special;
}

/// Splits a part, whose keys `source` has, into part.scratch; `parts` get its ways. Returns whether
/// any key is special.
template <class K, class Source>
bool split_part(const Source& source, const StackedKeys<K>& part, int64 pieces,
                StackedKeys<K>* parts) {
  WayPivots<K> pivots{};
  WayBegins begins;
  if (part.count > 0) pivots.choose(source, part.count);
  const bool special = split_keys<K>(source, part.count, pivots, part.scratch, pieces, begins);
  for (int way = 0; way < ways; ++way) {
    const int64 begin = begins.at[way];
    parts[way] = {.keys = part.scratch + begin,
                  .scratch = part.keys + begin,
                  .count = begins.at[way + 1] - begin,
                  .depth = part.depth,
                  .bounded = way > 0 || part.bounded,
                  .bound = way > 0 ? pivots.key[way - 1] : part.bound};
  }
  return special;
}

/// Sorts the keys of a source by all threads, to where whole.keys are; returns whether any is
/// special. The source may be what lies there.
template <class T, class K, class Source>
bool sort_whole(const Source& source, const StackedKeys<K>& whole, LaneCode<T> code) {
  constexpr int most_parts = ways * ways * ways;
  const int64 pieces = least(cpu::thread_count(), most_pieces);
  StackedKeys<K> parts[most_parts];
  const bool special = split_part(source, whole, pieces, parts);
  // Twice as many parts as threads even out their sizes.
  int count = ways;
  bool in_place = false;
  for (; count < 2 * pieces && count < most_parts; count *= ways) {
    for (int i = count - 1; i >= 0; --i) {
      const StackedKeys<K> part = parts[i];
      split_part(PlainKeys<K>{part.keys}, part, pieces, parts + i * ways);
    }
    in_place = !in_place;
  }
  cpu::parallel_for(count, 1, [&](int64 first, int64 last) {
    for (int64 i = first; i < last; ++i) {
      if (in_place) {
        sort_at_place<T>(parts[i], code);
      } else {
        sort_stacked<T>(parts[i], parts[i].scratch, code);
      }
    }
  });
  return special;
}

template <class T>
bool sort_by_threads(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  using K = lane_key_t<T>;
  const auto code = LaneCode<K>::template of<T>(order);
  const ItemsAsKeys<K> items{reinterpret_cast<const K*>(row), code};
  return sort_whole<K>(
      items, whole_row(reinterpret_cast<K*>(out), reinterpret_cast<K*>(scratch), n), code);
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
