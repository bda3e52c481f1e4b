// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/sort_network.hpp"

// Items of 4 and 8 bytes as keys that vectors compare.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class T>
inline constexpr bool has_lanes = false;

#if defined(SKERRY_PACKS_LANES)

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

/// Items as keys, and back: integers with the sign that makes them ordered, numbers as they are, or
/// negated; NaN becomes infinity. For an unsigned integer that of the signed one serves, whose
/// code flips one more bit: so both have one sort.
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

// Sources of keys note on the way what their readers have to know in the end. The notes are the
// readers' own: a source then fits into registers where it is handed on.

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

/// The items of a row; NaNs and zeros with a sign are noted.
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

/// A pseudo-random sample of Rows vectors' worth of keys, sorted.
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

/// The median of a sample, of one vector for few keys: four for all take 17 % more in rows of 1000
/// float32. Half and twice the number that counts as few are within 4 % (EPYC of Zen 4, x86-64-v3).
template <class K, class Source>
K choose_pivot(const Source& source, int64 n) {
  constexpr int rows = 4;
  K sample[rows * lane_count<K>];
  if (n < 4096) {
    draw_sample<K, 1>(source, n, sample);
    return sample[lane_count<K> / 2];
  }
  draw_sample<K, rows>(source, n, sample);
  return sample[rows * lane_count<K> / 2];
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
