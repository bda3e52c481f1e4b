// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/quicksort.hpp"
#include "ops/sort/cpu/radix.hpp"

// Selects the item of a rank in a row without sorting it (after Floyd and Rivest, "Expected time
// bounds for selection", 1975). A sample yields two keys that enclose the rank with high
// probability, and one pass over the row collects the keys between them. This is repeated until few
// enough are left to sort.

namespace skerry::inline SKERRY_TARGET::kernels {

namespace detail {
template <class T, bool HasLanes>
struct rank_key {
  using type = ops::bits_t<T>;
};
#if defined(SKERRY_PACKS_LANES)
template <class T>
struct rank_key<T, true> {
  using type = lane_integer<T>;
};
#endif
}  // namespace detail

/// Key type for items of T: signed where vectors compare them.
template <class T>
using rank_key_t = typename detail::rank_key<T, has_lanes<T>>::type;

template <class T>
inline constexpr rank_key_t<T> max_rank_key =
    static_cast<rank_key_t<T>>(has_lanes<T> ? ops::bits_t<T>(~ops::sign_bit<ops::bits_t<T>>)
                                            : ops::bits_t<T>(~ops::bits_t<T>{0}));

/// The items of a row as keys. If inverted, NaN comes first, followed by the greatest item.
template <class T>
struct RankedRow {
  using bits = typename SortKey<T>::type;
  using K = rank_key_t<T>;
  static constexpr bits top = has_lanes<T> ? ops::sign_bit<bits> : bits{0};

  const char* row;
  bits flip;
  bits inverted;

  RankedRow(const char* row_data, bool is_signed, bool largest)
      : row(row_data),
        flip(RowOrder{.descending = false, .is_signed = is_signed}.template flip<T>()),
        inverted(static_cast<bits>((largest ? ~bits{0} : bits{0}) ^ top)) {}

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const {
    const bits item = load<bits>(row + i * int64(sizeof(bits)));
    return static_cast<K>(static_cast<bits>(SortKey<T>::encode(item, flip) ^ inverted));
  }
  [[nodiscard]] SKERRY_INLINE bits decode(K key) const {
    return SortKey<T>::decode(static_cast<bits>(static_cast<bits>(key) ^ inverted), flip);
  }
  SKERRY_INLINE void block(int64 position, int64 n, K* destination) const {
    const RankedRow row_copy = *this;  // local copy: stores to `destination` cannot alias it
    for (int64 i = 0; i < n; ++i) destination[i] = row_copy.key(position + i);
  }
  /// Returns the keys of a block: the items themselves if no encoding is needed, otherwise
  /// `scratch`.
  [[nodiscard]] SKERRY_INLINE const K* keys_of(int64 position, int64 n, K* scratch) const {
    if constexpr (has_lanes<T> && ops::integral<T>) {
      if (flip == inverted) return reinterpret_cast<const K*>(row) + position;
    }
    block(position, n, scratch);
    return scratch;
  }
};

/// Keys in memory.
template <class K>
struct KeyArray {
  const K* keys;

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const { return keys[i]; }
  [[nodiscard]] SKERRY_INLINE const K* keys_of(int64 position, int64, K*) const {
    return keys + position;
  }
};

/// Keys of consecutive ranks.
template <class K>
struct SortedKeys {
  const K* keys;
  int64 count;
  int64 below;  ///< number of keys of the row before these: the rank of the first

  [[nodiscard]] bool has(int64 rank) const { return rank >= below && rank < below + count; }
  [[nodiscard]] K key(int64 rank) const { return keys[rank - below]; }
  /// Returns the number of keys of the row that are less than `key` (or equal to it). `key` must be
  /// among these.
  template <bool OrEqual>
  [[nodiscard]] int64 count_before(K key) const {
    int64 first = 0;
    int64 last = count;
    while (first < last) {
      const int64 middle = first + (last - first) / 2;
      (OrEqual ? keys[middle] <= key : keys[middle] < key) ? first = middle + 1 : last = middle;
    }
    return below + first;
  }
};

/// Sorts n keys of a row of T; `scratch` has room for n. Returns the sorted array.
template <class T>
SKERRY_SHARED const rank_key_t<T>* sort_rank_keys(rank_key_t<T>* keys, rank_key_t<T>* scratch,
                                                  int64 n) {
#if defined(SKERRY_PACKS_LANES)
  if constexpr (has_lanes<T>) {
    using K = rank_key_t<T>;
    sort_keys<K>(EncodedKeys<K>{keys}, keys, scratch, n, LaneCode<K>{});
    return keys;
  }
#endif
  return sort_by_bytes(keys, scratch, n);
}

/// Keys that most likely enclose that of a rank.
template <class K>
struct EnclosingKeys {
  K low;
  K high;
};

/// Returns keys that most likely enclose that of `rank`, from a sorted sample. `scratch` has room
/// for n keys.
template <class T, class Source>
EnclosingKeys<rank_key_t<T>> enclose(const Source& source, int64 n, int64 rank,
                                     rank_key_t<T>* scratch) {
  const int64 size = minimum(tuning::max_sample_size, n / 4);
  const int64 step = n / size;
  uint32 random = 1;
  for (int64 i = 0; i < size; ++i) {
    random = random * 1664525u + 1013904223u;  // Numerical Recipes, 7.1
    scratch[i] = source.key(i * step +
                            static_cast<int64>((uint64{random} * static_cast<uint64>(step)) >> 32));
  }
  const auto* const sample = sort_rank_keys<T>(scratch, scratch + size, size);
  const double share = static_cast<double>(rank) / static_cast<double>(n);
  const double middle = share * static_cast<double>(size);
  const double margin = 4.0 * __builtin_sqrt(middle * (1.0 - share)) + 8.0;
  const int64 low_rank = static_cast<int64>(middle - margin);
  const int64 high_rank = static_cast<int64>(middle + margin);
  return {.low = low_rank > 0 ? sample[low_rank] : static_cast<rank_key_t<T>>(~max_rank_key<T>),
          .high = high_rank < size ? sample[high_rank] : max_rank_key<T>};
}

/// Writes the keys in [low, high] of part of a source to `destination`, which has room for all of
/// them and may be the source's memory.
template <class T>
struct CollectedKeys {
  using K = rank_key_t<T>;

  int64 below = 0;  ///< number of keys less than low
  int64 count = 0;

  [[nodiscard]] bool has(int64 rank) const { return rank >= below && rank < below + count; }

  template <class Source>
  SKERRY_INLINE void collect(const Source& source, int64 begin, int64 end, EnclosingKeys<K> bounds,
                             K* destination) {
    constexpr int64 block = tuning::collected_block;
    K encoded[block];
    for (; begin < end; begin += block) {
      const int64 n = minimum(block, end - begin);
      const K* const keys = source.keys_of(begin, n, encoded);
      n == block ? keep_block(keys, bounds, destination) : keep(keys, n, bounds, destination);
    }
  }

 private:
  /// Stores every key and advances past those kept, so an overwritten or trailing slot does no
  /// harm: never writes further than it has read.
  SKERRY_SHARED void keep(const K* keys, int64 n, EnclosingKeys<K> bounds, K* destination) {
    int64 position = count;
    int64 less = 0;
    for (int64 i = 0; i < n; ++i) {
      const K key = keys[i];
      less += key < bounds.low ? 1 : 0;
      destination[position] = key;
      position += ((key >= bounds.low) & (key <= bounds.high)) ? 1 : 0;
    }
    below += less;
    count = position;
  }

  SKERRY_INLINE void keep_block(const K* keys, EnclosingKeys<K> bounds, K* destination) {
    constexpr int64 block = tuning::collected_block;
#if defined(SKERRY_PACKS_LANES)
    if constexpr (has_lanes<T>) {
      const lanes_of<K> low = all_lanes<K>(bounds.low);
      const lanes_of<K> high = all_lanes<K>(bounds.high);
      for (int64 i = 0; i < block; i += lane_count<K>) {
        const lanes_of<K> v = load_lanes(keys + i);
        const unsigned from_low = lanes_above<false, K>(v, low);
        const unsigned inside = from_low & ~lanes_above<true, K>(v, high);
        below += lane_count<K> - __builtin_popcount(from_low);
        store_lanes(destination + count, pack_lanes<K>(v, inside));
        count += __builtin_popcount(inside);
      }
      return;
    }
#endif
    keep(keys, block, bounds, destination);
  }
};

inline constexpr int64 max_parts = 64;

/// Number of parts of a row for parallel collection; the result does not depend on it.
inline int64 parts_of_row(int64 n) {
  return maximum(1, minimum(minimum(n / tuning::ranked_part_size, cpu::thread_count()), max_parts));
}

/// Collects from all parts of a row.
template <class T>
CollectedKeys<T> collect_row(const RankedRow<T>& row, int64 n, EnclosingKeys<rank_key_t<T>> bounds,
                             rank_key_t<T>* destination) {
  using K = rank_key_t<T>;
  const int64 parts = parts_of_row(n);
  const int64 length = ceil_div(n, parts);
  CollectedKeys<T> collected_parts[max_parts];
  cpu::parallel_for(parts, 1, [&](int64 begin, int64 end) {
    for (int64 part_index = begin; part_index < end; ++part_index) {
      CollectedKeys<T> collected;
      collected.collect(row, part_index * length, minimum(n, (part_index + 1) * length), bounds,
                        destination + part_index * length);
      collected_parts[part_index] = collected;
    }
  });
  CollectedKeys<T> all = collected_parts[0];
  for (int64 part_index = 1; part_index < parts; ++part_index) {
    const CollectedKeys<T>& collected = collected_parts[part_index];
    __builtin_memmove(destination + all.count, destination + part_index * length,
                      static_cast<unsigned long>(collected.count) * sizeof(K));
    all.below += collected.below;
    all.count += collected.count;
  }
  return all;
}

/// Returns sorted keys of consecutive ranks, including `rank`. `scratch` has room for 2 n keys.
template <class T>
SKERRY_SHARED SortedKeys<rank_key_t<T>> keys_around(const RankedRow<T>& row, int64 n, int64 rank,
                                                    rank_key_t<T>* scratch) {
  using K = rank_key_t<T>;
  K* const alternate = scratch + n;
  if (n >= tuning::min_sampled_size) {
    EnclosingKeys<K> bounds = enclose<T>(row, n, rank, alternate);
    CollectedKeys<T> collected = collect_row(row, n, bounds, scratch);
    for (int64 size = n; collected.has(rank);) {
      const bool is_small =
          collected.count < tuning::min_sampled_size || collected.count > size / 2;
      if (is_small || bounds.low == bounds.high) {
        const K* const keys = bounds.low == bounds.high
                                  ? scratch
                                  : sort_rank_keys<T>(scratch, alternate, collected.count);
        return {keys, collected.count, collected.below};
      }
      size = collected.count;
      const KeyArray<K> keys{scratch};
      bounds = enclose<T>(keys, size, rank - collected.below, alternate);
      CollectedKeys<T> inner{.below = collected.below};
      inner.collect(keys, 0, size, bounds, scratch);
      collected = inner;
    }
  }
  row.block(0, n, scratch);
  return {sort_rank_keys<T>(scratch, alternate, n), n, 0};
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
