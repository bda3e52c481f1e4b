// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/sort_network.hpp"

// Vectorized quicksort of items of 4 and 8 bytes. Two arrays, the output and a scratch array, act
// as stacks of unsorted parts. A partition of the top part of one stack moves keys below the pivot
// down to where the part begins, and pushes the others on the other stack. So both arrays are read
// and written forwards, and a vector's worth of overwritten keys has always been read before. The
// upper part is finished first: the output fills from its end, and the unsorted parts still in it
// never overlap finished keys.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class T>
inline constexpr bool has_lanes = false;

#if defined(SKERRY_PACKS_LANES)

// ---- items as keys

template <class T>
  requires(sizeof(T) == 4 || sizeof(T) == 8) && ops::real_numeric<T>
inline constexpr bool has_lanes<T> = true;

template <class T>
struct lane_key {
  using type = lane_integer<T>;
};
template <ops::real_floating T>
struct lane_key<T> {
  using type = T;
};
template <class T>
using lane_key_t = typename lane_key<T>::type;

/// Converts items to keys and back. Integers become signed integers that sort as requested; floats
/// stay as they are or are negated, and NaN becomes infinity. Unsigned integers share the signed
/// sort: their code flips one more bit.
template <class T>
struct LaneCode {
  using K = lane_key_t<T>;
  using bits = ops::bits_t<T>;
  using lanes_of_bits = typename VectorOf<K>::bits;

  bits flip;

  template <class Item>
  [[nodiscard]] static SKERRY_INLINE LaneCode create(RowOrder order) {
    constexpr bits top = ops::sign_bit<T>;
    if constexpr (ops::real_floating<Item>) {
      return {order.descending ? top : bits{0}};
    } else {
      return {(order.is_signed ? bits{0} : top) ^ (order.descending ? ~bits{0} : bits{0})};
    }
  }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> flipped(lanes_of<K> v) const {
    return lanes_of<K>(lanes_of_bits(v) ^ flip);
  }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> encode(lanes_of<K> v) const {
    if constexpr (ops::real_floating<T>) {
      const lanes_of<K> key = flipped(v);
      return v == v ? key : all_lanes<K>(max_key<K>());
    } else {
      return flipped(v);
    }
  }
  [[nodiscard]] SKERRY_INLINE K encode(K item) const {
    if constexpr (ops::real_floating<T>) {
      if (item != item) return max_key<K>();
      return flip != 0 ? -item : item;
    } else {
      return static_cast<K>(static_cast<bits>(item) ^ flip);
    }
  }
};

// A source of keys notes special items (NaN and -0) while it is read. The reader owns these notes,
// so that the source itself can be passed in registers.

template <class K>
struct EncodedKeys {
  struct Notes {};

  const K* keys;

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const { return keys[i]; }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> lanes(int64 position, Notes&) const {
    return load_lanes(keys + position);
  }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> some_lanes(int64 position, int64 n, lanes_of<K> rest,
                                                     Notes&) const {
    return load_some_lanes(keys + position, n, rest);
  }
  [[nodiscard]] static SKERRY_INLINE bool any_special(const Notes&) { return false; }
};

/// The items of a row as keys; NaNs and -0 are recorded in the notes.
template <class T>
struct ItemsAsKeys {
  using K = lane_key_t<T>;
  using lanes_of_bits = typename VectorOf<K>::bits;

  struct Notes {
    lanes_of_bits special{};
  };

  const K* items;
  LaneCode<T> code;

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const {
    return code.encode(load<K>(reinterpret_cast<const char*>(items + i)));
  }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> lanes(int64 position, Notes& notes) const {
    return noted(load_lanes(items + position), notes);
  }
  [[nodiscard]] SKERRY_INLINE lanes_of<K> some_lanes(int64 position, int64 n, lanes_of<K> rest,
                                                     Notes& notes) const {
    return noted(load_some_lanes(items + position, n, code.flipped(rest)), notes);
  }
  [[nodiscard]] static SKERRY_INLINE bool any_special(const Notes& notes) {
    if constexpr (!ops::real_floating<T>) return false;
    using integer = lane_integer<K>;
    return lanes_unequal<integer>(lanes_of<integer>(notes.special), lanes_of<integer>{}) != 0;
  }

 private:
  SKERRY_INLINE lanes_of<K> noted(lanes_of<K> v, [[maybe_unused]] Notes& notes) const {
    if constexpr (ops::real_floating<T>) {
      constexpr auto top = ops::bits_t<T>{1} << (8 * sizeof(T) - 1);
      notes.special |= lanes_of_bits(v != v) | lanes_of_bits(lanes_of_bits(v) == top);
    }
    return code.encode(v);
  }
};

template <class T>
struct KeysToItems {
  using K = lane_key_t<T>;

  K* items;
  LaneCode<T> code;

  SKERRY_INLINE void put(int64 position, lanes_of<K> v) const {
    store_lanes(items + position, code.flipped(v));
  }
  SKERRY_INLINE void put_some(int64 position, int64 n, lanes_of<K> v) const {
    store_some_lanes(items + position, n, code.flipped(v));
  }
  SKERRY_INLINE void put_key(int64 position, K key) const {
    items[position] = code.flipped(all_lanes<K>(key))[0];
  }
};

// ---- partitions

/// Moves the keys above the pivot (or equal to it, unless `Strict`) to `high` and the others to
/// `low`, which may be the source's memory. Returns the number above.
template <bool Strict, class K, class Source>
int64 part_keys(const Source& source, int64 n, K pivot, K* low, K* high,
                typename Source::Notes& notes) {
  constexpr int lanes = lane_count<K>;
  const lanes_of<K> pivots = all_lanes<K>(pivot);
  int64 above = 0;
  int64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    const lanes_of<K> v = source.lanes(i, notes);
    const unsigned set = lanes_above<Strict, K>(v, pivots);
    // Store whole vectors: lanes past the packed ones are overwritten later, or were read before.
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

/// Draws a sorted pseudo-random sample of Rows vectors of keys.
template <class K, int Rows, class Source>
void draw_sample(const Source& source, int64 n, K* sample) {
  constexpr int size = Rows * lane_count<K>;
  uint64 state = static_cast<uint64>(n);
  for (int i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto scaled = static_cast<unsigned __int128>(state) * static_cast<uint64>(n);
    sample[i] = source.key(static_cast<int64>(scaled >> 64));
  }
  sort_in_registers<K, Rows>(EncodedKeys<K>{sample}, KeysToItems<K>{sample, {}}, size);
}

/// Returns the median of a one-vector sample. With four vectors, rows of 1000 float32 take 14 %
/// longer, and rows of 1e6 as long (EPYC of Zen 4, x86-64-v4).
template <class K, class Source>
K choose_pivot(const Source& source, int64 n) {
  K sample[lane_count<K>];
  draw_sample<K, 1>(source, n, sample);
  return sample[lane_count<K> / 2];
}

/// Sorts in place: the fallback for parts on which quicksort makes no progress.
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

/// Keys on top of one stack, with as much room on top of the other.
template <class K>
struct StackedKeys {
  K* keys;
  K* scratch;
  int64 count;
  int depth;  ///< remaining partitions before heap sort
  K bound;    ///< no key is less
};

template <class K>
StackedKeys<K> whole_row(K* keys, K* scratch, int64 n) {
  return {.keys = keys,
          .scratch = scratch,
          .count = n,
          .depth = 2 * bit_width(static_cast<uint64>(n)),
          .bound = min_key<K>()};
}

/// Sorts a part, whose keys are in `source` and may be in part.keys. Returns true if any is
/// special.
template <class T, class K, class Source>
bool sort_stacked(const Source& source, const StackedKeys<K>& part, K* destination,
                  LaneCode<T> code) {
  const KeysToItems<T> items{destination, code};
  const int64 n = part.count;
  if (n <= network_keys<K>) return sort_few<K>(source, items, n);
  if (part.depth == 0) {
    heap_sort(part.keys, n);
    // Backwards: `destination` may be higher up in the same array.
    for (int64 i = n - 1; i >= 0; --i) items.put_key(i, part.keys[i]);
    return false;
  }
  typename Source::Notes notes{};
  const K pivot = choose_pivot<K>(source, n);
  const bool is_bound = pivot == part.bound;
  const int64 above = is_bound ? part_keys<true>(source, n, pivot, part.keys, part.scratch, notes)
                               : part_keys<false>(source, n, pivot, part.keys, part.scratch, notes);
  const int64 rest = n - above;
  const StackedKeys<K> upper{.keys = part.scratch,
                             .scratch = part.keys + rest,
                             .count = above,
                             .depth = part.depth - 1,
                             .bound = pivot};
  sort_stacked<T>(EncodedKeys<K>{upper.keys}, upper, destination + rest, code);
  if (is_bound) {
    for (int64 i = 0; i < rest; ++i) items.put_key(i, pivot);
  } else {
    const StackedKeys<K> lower{.keys = part.keys,
                               .scratch = part.scratch,
                               .count = rest,
                               .depth = part.depth - 1,
                               .bound = part.bound};
    sort_stacked<T>(EncodedKeys<K>{lower.keys}, lower, destination, code);
  }
  return Source::any_special(notes);
}

/// Sorts n keys of a source and writes items, possibly in place. Returns true if any is special.
/// `scratch` has room for n keys, unless n <= network_keys<K>.
template <class T, class K, class Source>
bool sort_keys(const Source& source, K* destination, K* scratch, int64 n, LaneCode<T> code) {
  // Checked here, too: sorting a few items takes no longer than a few calls.
  if (n <= network_keys<K>) return sort_few<K>(source, KeysToItems<T>{destination, code}, n);
  return sort_stacked<T>(source, whole_row(destination, scratch, n), destination, code);
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
