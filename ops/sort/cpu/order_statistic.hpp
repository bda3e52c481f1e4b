// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/radix.hpp"
#include "ops/sort/cpu/sort_part.hpp"

// The item of a rank in a row, without sorting it (Floyd and Rivest, "Expected time bounds for
// selection", 1975): a sample tells two keys that enclose it with high probability, one pass
// over the row collects what is between them, and the rank among these few is found by partition.

namespace skerry::inline SKERRY_TARGET::kernels {

namespace detail {
template <int Size>
struct rank_key {
  using type = ops::bits_t<char[Size]>;
};
template <>
struct rank_key<4> {
  using type = int32;
};
template <>
struct rank_key<8> {
  using type = int64;
};
}  // namespace detail

/// What keys of items of T are compared as: signed, where vectors compare them.
template <class T>
using rank_key_t = typename detail::rank_key<sizeof(T)>::type;

template <class K>
inline constexpr K max_rank_key =
    static_cast<K>(sizeof(K) < 4 ? ~ops::bits_t<K>{0} : ops::bits_t<K>(~ops::sign_bit<K>));

/// The items of a row as keys; inverted, the greatest comes first, and NaN with it.
template <class T>
struct RankedRow {
  using bits = typename SortKey<T>::type;
  using K = rank_key_t<T>;
  static constexpr bits top = sizeof(T) < 4 ? bits{0} : ops::sign_bit<bits>;

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
    const RankedRow row_copy = *this;  // not changed by what is stored
    for (int64 i = 0; i < n; ++i) destination[i] = row_copy.key(position + i);
  }
  /// The keys of a block, which are the items themselves, or are written to `scratch`.
  [[nodiscard]] SKERRY_INLINE const K* keys_of(int64 position, int64 n, K* scratch) const {
    if constexpr (sizeof(T) >= 4 && ops::integral<T>) {
      if (flip == inverted) return reinterpret_cast<const K*>(row) + position;
    }
    block(position, n, scratch);
    return scratch;
  }
};

/// The key of a rank, and what else is known of the row then.
template <class K>
struct OrderStatistic {
  K key;
  int64 less;           ///< how many keys are less than it
  int64 equal;          ///< how many are equal, at least 1
  const K* candidates;  ///< keys of the ranks from `below` on, in no order
  int64 candidate_count;
  int64 below;
};

/// Moves keys for which `test` holds to the front, without branches, and returns how many.
template <class K, class Test>
SKERRY_INLINE int64 move_to_front(K* keys, int64 n, Test test) {
  int64 front = 0;
  for (int64 i = 0; i < n; ++i) {
    const K item = keys[i];
    keys[i] = keys[front];
    keys[front] = item;
    front += test(item) ? 1 : 0;
  }
  return front;
}

template <class K>
K middle_of(K a, K b, K c) {
  const K low = a < b ? a : b;
  const K high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

/// By the digits of the keys, the first one first: the time is the same for any keys.
template <class K>
SKERRY_SHARED K key_by_digits(const K* keys, int64 n, int64 rank) {
  using bits = ops::bits_t<K>;
  constexpr bits top = sizeof(K) < 4 ? bits{0} : ops::sign_bit<K>;
  bits prefix = 0;
  bits prefix_mask = 0;
  for (int shift = 8 * int(sizeof(K)) - 8; shift >= 0; shift -= 8) {
    int64 counts[256] = {};
    for (int64 i = 0; i < n; ++i) {
      const bits key = static_cast<bits>(static_cast<bits>(keys[i]) ^ top);
      if ((key & prefix_mask) == prefix) ++counts[(key >> shift) & 255];
    }
    int digit = 0;
    for (; rank >= counts[digit]; ++digit) rank -= counts[digit];
    prefix = static_cast<bits>(prefix | static_cast<bits>(static_cast<bits>(digit) << shift));
    prefix_mask = static_cast<bits>(prefix_mask | static_cast<bits>(bits{255} << shift));
  }
  return static_cast<K>(static_cast<bits>(prefix ^ top));
}

/// Moves keys that are not less than the pivot, or greater (`Strict`), behind the others, and
/// returns how many the others are.
template <bool Strict, class K>
SKERRY_INLINE int64 part_by(K* keys, int64 n, K pivot) {
#if defined(SKERRY_PACKS_LANES)
  if constexpr (sizeof(K) >= 4) {
    constexpr int64 fewest = 64 * lane_count<K>;  // several blocks of part_in_place
    if (n >= fewest) return n - part_in_place<Strict>(keys, n, pivot);
  }
#endif
  return move_to_front(keys, n, [pivot](K item) { return Strict ? item <= pivot : item < pivot; });
}

template <class K>
SKERRY_INLINE K pivot_of(const K* keys, int64 n) {
#if defined(SKERRY_PACKS_LANES)
  if constexpr (sizeof(K) >= 4) return choose_pivot<K>(EncodedKeys<K>{keys}, n);
#endif
  return middle_of(keys[n / 4], keys[n / 2], keys[n - n / 4 - 1]);
}

/// How many keys pass, by counters of their size, of which vectors hold the most.
template <class K, class Test>
SKERRY_INLINE int64 count_keys(const K* keys, int64 n, Test test) {
  using counter = ops::bits_t<K>;
  constexpr int64 block = sizeof(K) == 1 ? 128 : 32768;
  int64 total = 0;
  for (int64 position = 0; position < n; position += block) {
    const int64 end = minimum(n, position + block);
    counter some = 0;
    for (int64 i = position; i < end; ++i)
      some = static_cast<counter>(some + (test(keys[i]) ? 1 : 0));
    total += static_cast<int64>(some);
  }
  return total;
}

/// The greatest key below which at most `rank` others are, bit by bit: few vectors hold short keys.
/// Writes behind them, up to a multiple of 64 bytes.
template <class K>
SKERRY_SHARED K key_by_bits(K* keys, int64 n, int64 rank) {
  constexpr int64 whole = 64 / int64(sizeof(K));
  for (; n % whole != 0; ++n) keys[n] = max_rank_key<K>;
  K prefix = 0;
  for (K bit = ops::sign_bit<K>; bit != 0; bit = static_cast<K>(bit >> 1)) {
    const K above = static_cast<K>(prefix | bit);
    if (count_keys(keys, n, [above](K key) { return key < above; }) <= rank) prefix = above;
  }
  return prefix;
}

/// The key of a rank; the keys are moved.
template <class K>
SKERRY_SHARED K key_of_rank(K* keys, int64 n, int64 rank) {
  if constexpr (sizeof(K) < 4) return key_by_bits(keys, n, rank);
  constexpr int64 few = 24;
  // Random keys take 12 rounds for a million; three times that is a row made to be slow.
  constexpr int max_rounds = 40;
  for (int round = 0; n > few; ++round) {
    if (round == max_rounds) return key_by_digits(keys, n, rank);
    const K pivot = pivot_of(keys, n);
    int64 front = part_by<false>(keys, n, pivot);
    if (rank < front) {
      n = front;
      continue;
    }
    if (front == 0) {
      front = part_by<true>(keys, n, pivot);
      if (rank < front) return pivot;
    }
    keys += front;
    n -= front;
    rank -= front;
  }
  insertion_sort(keys, n);
  return keys[rank];
}

template <class K>
OrderStatistic<K> select_statistic(K* keys, int64 n, int64 rank, int64 below) {
  const K key = key_of_rank(keys, n, rank - below);
  const int64 less = count_keys(keys, n, [key](K item) { return item < key; });
  const int64 equal = count_keys(keys, n, [key](K item) { return item == key; });
  return {key, below + less, equal, keys, n, below};
}

/// Keys that most likely enclose that of a rank.
template <class K>
struct EnclosingKeys {
  K low;
  K high;
};

/// Shorter rows are partitioned as a whole.
inline constexpr int64 sampled_from = 1024;

/// Uses `scratch` for the sample.
template <class T>
EnclosingKeys<rank_key_t<T>> enclose(const RankedRow<T>& row, int64 n, int64 rank,
                                     rank_key_t<T>* scratch) {
  using K = rank_key_t<T>;
  // About n^(2/3), which makes the sample and what lies between the bounds alike in cost.
  const int64 size = int64{1} << (2 * bit_width(static_cast<uint64>(n)) / 3);
  const int64 step = n / size;
  uint32 random = 1;
  for (int64 i = 0; i < size; ++i) {
    random = random * 1664525u + 1013904223u;  // Numerical Recipes, 7.1
    scratch[i] =
        row.key(i * step + static_cast<int64>((uint64{random} * static_cast<uint64>(step)) >> 32));
  }
  const double share = static_cast<double>(rank) / static_cast<double>(n);
  const double middle = share * static_cast<double>(size);
  const double margin = 4.0 * __builtin_sqrt(middle * (1.0 - share)) + 8.0;
  const int64 low_rank = static_cast<int64>(middle - margin);
  const int64 high_rank = static_cast<int64>(middle + margin);
  const K high = high_rank < size ? key_of_rank(scratch, size, high_rank) : max_rank_key<K>;
  const K low =
      low_rank > 0 ? key_of_rank(scratch, size, low_rank) : static_cast<K>(~max_rank_key<K>);
  return {low, high};
}

/// Writes the keys in [low, high] of a part of a row to `to`, which has room for all.
template <class T>
struct CollectedKeys {
  using K = rank_key_t<T>;

  int64 below = 0;  ///< how many are less than low
  int64 count = 0;

  SKERRY_INLINE void collect(const RankedRow<T>& row, int64 begin, int64 end,
                             EnclosingKeys<K> bounds, K* destination) {
    constexpr int64 block = 64;
    K encoded[block];
    for (; begin < end; begin += block) {
      const int64 n = minimum(block, end - begin);
      const K* const keys = row.keys_of(begin, n, encoded);
      n == block ? keep_block(keys, bounds, destination) : keep(keys, n, bounds, destination);
    }
  }

 private:
  /// What is written behind the last one kept is written again, or is none that is kept: no more is
  /// written than was read.
  SKERRY_SHARED void keep(const K* keys, int64 n, EnclosingKeys<K> bounds, K* destination) {
    int64 position = count;
    int64 less = 0;
    for (int64 i = 0; i < n; ++i) {
      const K key = keys[i];
      less += key < bounds.low ? 1 : 0;
      destination[position] = key;
      position += (key >= bounds.low) & (key <= bounds.high) ? 1 : 0;
    }
    below += less;
    count = position;
  }

  SKERRY_INLINE void keep_block(const K* keys, EnclosingKeys<K> bounds, K* destination) {
    constexpr int64 block = 64;
#if defined(SKERRY_PACKS_LANES)
    if constexpr (sizeof(K) >= 4) {
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

/// Parts of a row for the threads: any number gives the same result.
inline int64 parts_of_row(int64 n) {
  return maximum(1, minimum(minimum(n >> 16, cpu::thread_count()), max_parts));
}

/// `scratch` has place for n keys.
template <class T>
SKERRY_SHARED OrderStatistic<rank_key_t<T>> find_statistic(const RankedRow<T>& row, int64 n,
                                                           int64 rank, rank_key_t<T>* scratch) {
  using K = rank_key_t<T>;
  if (n >= sampled_from) {
    const EnclosingKeys<K> bounds = enclose(row, n, rank, scratch);
    const int64 parts = parts_of_row(n);
    const int64 length = ceil_div(n, parts);
    CollectedKeys<T> collected_parts[max_parts];
    cpu::parallel_for(parts, 1, [&](int64 begin, int64 end) {
      for (int64 part_index = begin; part_index < end; ++part_index) {
        CollectedKeys<T> collected;
        collected.collect(row, part_index * length, minimum(n, (part_index + 1) * length), bounds,
                          scratch + part_index * length);
        collected_parts[part_index] = collected;
      }
    });
    int64 below = collected_parts[0].below;
    int64 count = collected_parts[0].count;
    for (int64 part_index = 1; part_index < parts; ++part_index) {
      __builtin_memmove(scratch + count, scratch + part_index * length,
                        static_cast<unsigned long>(collected_parts[part_index].count) * sizeof(K));
      below += collected_parts[part_index].below;
      count += collected_parts[part_index].count;
    }
    if (rank >= below && rank < below + count) {
      return select_statistic(scratch, count, rank, below);
    }
  }
  row.block(0, n, scratch);
  return select_statistic(scratch, n, rank, 0);
}

/// The least key that is greater than that of `statistic`, if there is one.
template <class T>
rank_key_t<T> next_key(const RankedRow<T>& row, int64 n,
                       const OrderStatistic<rank_key_t<T>>& statistic) {
  using K = rank_key_t<T>;
  K next = max_rank_key<K>;
  if (statistic.less + statistic.equal < statistic.below + statistic.candidate_count) {
    for (int64 i = 0; i < statistic.candidate_count; ++i) {
      const K key = statistic.candidates[i];
      next = key > statistic.key && key < next ? key : next;
    }
    return next;
  }
  for (int64 i = 0; i < n; ++i) {
    const K key = row.key(i);
    next = key > statistic.key && key < next ? key : next;
  }
  return next;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
