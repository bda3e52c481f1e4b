// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/cpu/quicksort.hpp"

// Rows long enough for several threads are first split by three pivots at a time, in passes that
// any number of threads can share.

namespace skerry::inline SKERRY_TARGET::kernels {

#if defined(SKERRY_PACKS_LANES)

/// Number of parts (ways) into which a pass splits. 1e6 and 4e6 keys take 3 to 16 % longer with two
/// ways, and 5 to 14 % longer with eight, whose pivots and indices do not fit in registers (EPYC of
/// Zen 4, x86-64-v3).
inline constexpr int ways = 4;
/// Maximum number of chunks that threads split in parallel: their indices take 2 KiB of stack. With
/// 64 threads, half and twice as many chunks are within 2 %.
inline constexpr int max_chunks = 64;

/// Where each way begins, in the whole array or in a chunk.
struct WayBegins {
  int64 offsets[ways + 1];
};

template <class K>
struct WayPivots {
  K key[ways - 1];

  template <class Source>
  void choose(const Source& source, int64 n) {
    K sample[network_keys<K>];
    draw_sample<K, max_network_rows>(source, n, sample);
    for (int i = 1; i < ways; ++i) key[i - 1] = sample[i * network_keys<K> / ways];
  }
};

/// Sets counts[i] to the number of keys that are not less than pivot i - 1. Returns true if any is
/// special.
template <class K, class Source>
bool count_ways(const Source& source, int64 begin, int64 end, const WayPivots<K>& pivots,
                int64* counts) {
  constexpr int lanes = lane_count<K>;
  typename Source::Notes notes{};
  lanes_of<K> pivot[ways - 1];
  int64 count[ways] = {end - begin};
  unroll<ways - 1>([&](auto i) __attribute__((always_inline)) {
    constexpr int way = decltype(i)::value;
    pivot[way] = all_lanes<K>(pivots.key[way]);
  });
  for (int64 position = begin; position < end; position += lanes) {
    const bool whole = position + lanes <= end;
    const unsigned valid_mask = whole ? every_lane<K> : (1u << (end - position)) - 1;
    const lanes_of<K> v = whole ? source.lanes(position, notes)
                                : source.some_lanes(position, end - position, pivot[0], notes);
    unroll<ways - 1>([&](auto i) __attribute__((always_inline)) {
      constexpr int way = decltype(i)::value;
      count[way + 1] += __builtin_popcount(lanes_above<false, K>(v, pivot[way]) & valid_mask);
    });
  }
  for (int i = 0; i < ways; ++i) counts[i] = count[i];
  return Source::any_special(notes);
}

/// Writes the keys of a chunk to the ways: way i to [begins[i], ends[i]).
template <class K, class Source>
void split_chunk(const Source& source, int64 begin, int64 end, const WayPivots<K>& pivots,
                 K* destination, const int64* begins, const int64* ends) {
  constexpr int lanes = lane_count<K>;
  typename Source::Notes notes{};
  lanes_of<K> pivot[ways - 1];
  int64 index[ways];
  unroll<ways>([&](auto i) __attribute__((always_inline)) {
    constexpr int way = decltype(i)::value;
    if constexpr (way < ways - 1) pivot[way] = all_lanes<K>(pivots.key[way]);
    index[way] = begins[way];
  });
  for (int64 position = begin; position < end; position += lanes) {
    const bool whole = position + lanes <= end;
    unsigned rest = whole ? every_lane<K> : (1u << (end - position)) - 1;
    const lanes_of<K> v = whole ? source.lanes(position, notes)
                                : source.some_lanes(position, end - position, pivot[0], notes);
    unroll<ways>([&](auto i) __attribute__((always_inline)) {
      constexpr int way = decltype(i)::value;
      unsigned set = rest;
      if constexpr (way < ways - 1) {
        rest &= lanes_above<false, K>(v, pivot[way]);
        set ^= rest;
      }
      const lanes_of<K> packed = pack_lanes<K>(v, set);
      const int count = __builtin_popcount(set);
      int64& free = index[way];
      // Memory past the last key of a way belongs to another chunk.
      if (free + lanes <= ends[way]) {
        store_lanes(destination + free, packed);
      } else {
        store_some_lanes(destination + free, count, packed);
      }
      free += count;
    });
  }
}

/// Calls function(chunk, begin, end) for chunks of n keys in parallel.
template <class F>
void for_chunks(int64 n, int64 chunks, const F& function) {
  const int64 length = ceil_div(ceil_div(n, chunks), 64) * 64;
  cpu::parallel_for(chunks, 1, [&](int64 first, int64 last) {
    for (int64 chunk = first; chunk < last; ++chunk) {
      function(chunk, minimum(n, chunk * length), minimum(n, (chunk + 1) * length));
    }
  });
}

template <class K, class Source>
struct chunk_counter {
  const Source& source;
  const WayPivots<K>& pivots;
  int64 (*counts)[ways];
  bool* special;

  void operator()(int64 chunk, int64 begin, int64 end) const {
    if (count_ways<K>(source, begin, end, pivots, counts[chunk])) {
      __atomic_store_n(special, true, __ATOMIC_RELAXED);
    }
  }
};

template <class K, class Source>
struct chunk_splitter {
  const Source& source;
  const WayPivots<K>& pivots;
  K* destination;
  int64 (*indices)[ways];

  void operator()(int64 chunk, int64 begin, int64 end) const {
    split_chunk<K>(source, begin, end, pivots, destination, indices[chunk], indices[chunk + 1]);
  }
};

/// Splits n keys; way i begins at begins.offsets[i] of `destination`. Returns true if any is
/// special.
template <class K, class Source>
bool split_keys(const Source& source, int64 n, const WayPivots<K>& pivots, K* destination,
                int64 chunks, WayBegins& begins) {
  int64 indices[max_chunks + 1][ways];
  bool special = false;
  for_chunks(n, chunks, chunk_counter<K, Source>{source, pivots, indices, &special});
  int64 begin = 0;
  for (int way = 0; way < ways; ++way) {
    begins.offsets[way] = begin;
    for (int64 chunk = 0; chunk < chunks; ++chunk) {
      const int64 more = way + 1 < ways ? indices[chunk][way + 1] : 0;
      const int64 count = indices[chunk][way] - more;
      indices[chunk][way] = begin;
      begin += count;
    }
    indices[chunks][way] = begin;
  }
  begins.offsets[ways] = n;
  for_chunks(n, chunks, chunk_splitter<K, Source>{source, pivots, destination, indices});
  return special;
}

/// Splits a part, whose keys are in `source`, into part.scratch, and sets `ways_of_part` to the
/// parts of its ways. Returns true if any key is special.
template <class K, class Source>
bool split_part(const Source& source, const StackedKeys<K>& part, int64 chunks,
                StackedKeys<K>* ways_of_part) {
  WayPivots<K> pivots{};
  WayBegins begins;
  if (part.count > 0) pivots.choose(source, part.count);
  const bool special = split_keys<K>(source, part.count, pivots, part.scratch, chunks, begins);
  for (int way = 0; way < ways; ++way) {
    const int64 begin = begins.offsets[way];
    ways_of_part[way] = {.keys = part.scratch + begin,
                         .scratch = part.keys + begin,
                         .count = begins.offsets[way + 1] - begin,
                         .depth = part.depth,
                         .bound = way > 0 ? pivots.key[way - 1] : part.bound};
  }
  return special;
}

/// Sorts n keys of a source like sort_keys, in parallel if n is large enough.
template <class T, class K, class Source>
bool sort_all_keys(const Source& source, K* destination, K* scratch, int64 n, LaneCode<T> code) {
  if (n < tuning::min_split_size || cpu::thread_count() == 1) {
    return sort_keys<T>(source, destination, scratch, n, code);
  }
  constexpr int max_parts = ways * ways * ways;
  const int64 chunks = minimum(cpu::thread_count(), max_chunks);
  StackedKeys<K> parts[max_parts];
  const StackedKeys<K> whole = whole_row(destination, scratch, n);
  const bool special = split_part(source, whole, chunks, parts);
  // Twice as many parts as threads even out the differences in size.
  int count = ways;
  bool in_place = false;
  for (; count < 2 * chunks && count < max_parts; count *= ways) {
    for (int i = count - 1; i >= 0; --i) {
      const StackedKeys<K> part = parts[i];
      split_part(EncodedKeys<K>{part.keys}, part, chunks, parts + i * ways);
    }
    in_place = !in_place;
  }
  cpu::parallel_for(count, 1, [&](int64 first, int64 last) {
    for (int64 i = first; i < last; ++i) {
      const StackedKeys<K>& part = parts[i];
      K* const items = in_place ? part.keys : part.scratch;
      sort_stacked<T>(EncodedKeys<K>{part.keys}, part, items, code);
    }
  });
  return special;
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
