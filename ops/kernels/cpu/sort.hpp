// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernels/cpu/radix.hpp"
#include "ops/kernels/cpu/sort_key.hpp"
#include "ops/kernels/sort.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

/// The items of a row as keys; notes on the way which bits differ, and items that decode does not
/// give back.
template <class T>
struct encoded_row {
  using K = typename sort_key<T>::type;

  const char* row;
  K flip;
  K first;
  K differing = 0;
  K special = 0;

  encoded_row(const char* at, bool descending)
      : row(at),
        flip(descending ? static_cast<K>(~K{0}) : K{0}),
        first(sort_key<T>::encode(load<K>(at), flip)) {}

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const {
    return sort_key<T>::encode(load<K>(row + i * int64(sizeof(K))), flip);
  }

  SKERRY_INLINE const K* block(int64 at, int64 n, K* room) {
    const char* from = row + at * int64(sizeof(K));
    K differ = 0;
    K odd = 0;
    for (int64 i = 0; i < n; ++i) {
      const K bits = load<K>(from + i * int64(sizeof(K)));
      const K key = sort_key<T>::encode(bits, flip);
      differ |= static_cast<K>(key ^ first);
      odd |= static_cast<K>(sort_key<T>::is_special(bits));
      room[i] = key;
    }
    differing |= differ;
    special |= odd;
    return room;
  }

  /// One more than the highest bit in which any of a few keys differ.
  [[nodiscard]] int guess_high(int64 n) const {
    K differ = 0;
    const int64 step = greatest(1, n / 64);
    for (int64 i = 0; i < n; i += step) differ |= static_cast<K>(key(i) ^ first);
    return bit_width(differ);
  }

  [[nodiscard]] static SKERRY_INLINE int bit_width(K bits) {
    return bits == 0 ? 0 : 64 - __builtin_clzll(bits);
  }
};

// ---- values

/// Undoes what encoding merged: puts NaNs and zeros where they belong, in the order of the input.
template <ops::real_floating T>
void restore_specials(const char* row, T* out, int64 n, bool descending) {
  int64 before = 0;
  int64 nans = 0;
  for (int64 i = 0; i < n; ++i) {
    const T x = load<T>(row + i * int64(sizeof(T)));
    before += descending ? x > 0 : x < 0;
    nans += x != x;
  }
  int64 tail = n - nans;
  for (int64 i = 0; i < n; ++i) {
    const T x = load<T>(row + i * int64(sizeof(T)));
    if (x == 0) out[before++] = x;
    if (x != x) out[tail++] = x;
  }
}

/// `from` and `to` may be the same memory.
template <class T, class K>
void decode_keys(const K* from, char* to, int64 n, K flip) {
  for (int64 i = 0; i < n; ++i) {
    store(to + i * int64(sizeof(K)), sort_key<T>::decode(from[i], flip));
  }
}

template <class T>
void sort_short_row(const char* row, char* out, int64 n, bool descending) {
  using K = typename sort_key<T>::type;
  encoded_row<T> source(row, descending);
  K keys[short_row];
  source.block(0, n, keys);
  insertion_sort(keys, n);
  decode_keys<T>(keys, out, n, source.flip);
  if constexpr (ops::real_floating<T>) {
    if (source.special != 0) restore_specials(row, reinterpret_cast<T*>(out), n, descending);
  }
}

/// Items of one byte are counted.
template <class T>
void count_row(const char* row, char* out, int64 n, bool descending) {
  constexpr int lanes = 4;
  int64 count[lanes][256] = {};
  encoded_row<T> source(row, descending);
  int64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) ++count[lane][source.key(i + lane)];
  }
  for (; i < n; ++i) ++count[0][source.key(i)];
  for (int key = 0; key < 256; ++key) {
    int64 total = 0;
    for (int lane = 0; lane < lanes; ++lane) total += count[lane][key];
    const auto item = sort_key<T>::decode(static_cast<uint8>(key), source.flip);
    __builtin_memset(out, item, static_cast<unsigned long>(total));
    out += total;
  }
}

template <class T>
void sort_row(const char* row, char* out, char* scratch, int64 n, bool descending) {
  using K = typename sort_key<T>::type;
  if constexpr (sizeof(T) == 1) {
    return count_row<T>(row, out, n, descending);
  } else {
    encoded_row<T> source(row, descending);
    K* const keys = reinterpret_cast<K*>(out);
    K* const spare = reinterpret_cast<K*>(scratch);
    int low = 0;
    {
      radix_sort<K> radix;
      int high = source.guess_high(n);
      low = static_cast<int>(greatest(0, high - window_bits(n)));
      radix.count(source, n, low, high);
      if (source.bit_width(source.differing) > high) {
        high = source.bit_width(source.differing);
        low = static_cast<int>(greatest(0, high - window_bits(n)));
        radix.count(source, n, low, high);
      }
      const K flip = source.flip;
      if (radix.passes() == 0) {
        for (int64 at = 0; at < n; at += radix.block_size) {
          source.block(at, least(radix.block_size, n - at), keys + at);
        }
        if (low == 0) decode_keys<T>(keys, out, n, flip);
      } else if (low == 0) {
        radix.run(source, n, keys, spare, [keys, flip](int64 place, K key) {
          keys[place] = sort_key<T>::decode(key, flip);
        });
      } else {
        radix.run(source, n, keys, spare, [keys](int64 place, K key) { keys[place] = key; });
      }
    }
    if (low > 0) {
      order_runs(keys, spare, n, low);
      decode_keys<T>(keys, out, n, source.flip);
    }
    if constexpr (ops::real_floating<T>) {
      if (source.special != 0) restore_specials(row, reinterpret_cast<T*>(out), n, descending);
    }
  }
}

// ---- places: keys of 32 bits above the index of their item, so that no two are equal and any
// sort of them is stable

inline constexpr int place_bits = 32;

/// Bits [shift, shift + 32) of the keys with the index.
template <class T>
struct placed_row {
  encoded_row<T> row;
  int shift;

  SKERRY_INLINE const uint64* block(int64 at, int64 n, uint64* room) const {
    for (int64 i = 0; i < n; ++i) {
      const uint32 word = static_cast<uint32>(row.key(at + i) >> shift);
      room[i] = uint64{word} << place_bits | static_cast<uint64>(at + i);
    }
    return room;
  }
};

SKERRY_INLINE int64 place_of(uint64 placed) { return static_cast<int64>(placed & 0xffffffffu); }

/// Orders n items that are equal above bit `shift` by the bits below.
template <class T>
void order_places(const encoded_row<T>& row, uint64* placed, uint64* spare, int64 n, int shift) {
  const uint64 mask = (uint64{1} << shift) - 1;
  for (int64 i = 0; i < n; ++i) {
    const int64 place = place_of(placed[i]);
    placed[i] = (row.key(place) & mask) << place_bits | static_cast<uint64>(place);
  }
  if (n <= short_row) return insertion_sort(placed, n);
  radix_sort<uint64> radix;
  key_array<uint64> source{placed};
  radix.count(source, n, place_bits, place_bits + shift);
  if (radix.passes() == 0) return;
  if (radix.passes() % 2 != 0) {
    __builtin_memcpy(spare, placed, static_cast<unsigned long>(n) * sizeof(uint64));
    source.keys = spare;
  }
  radix.run(source, n, placed, spare, [placed](int64 at, uint64 key) { placed[at] = key; });
}

template <class T>
void argsort_row(const char* row, char* out, char* scratch, int64 n, bool descending) {
  using K = typename sort_key<T>::type;
  encoded_row<T> keys(row, descending);
  uint64* const placed = reinterpret_cast<uint64*>(out);
  uint64* const spare = reinterpret_cast<uint64*>(scratch);
  for (int64 i = 0; i < n; ++i) keys.differing |= static_cast<K>(keys.key(i) ^ keys.first);
  const int high = keys.bit_width(keys.differing);
  const int shift = static_cast<int>(greatest(0, high - place_bits));
  placed_row<T> source{keys, shift};
  const auto emit = [placed](int64 at, uint64 key) {
    placed[at] = static_cast<uint64>(place_of(key));
  };
  if (n <= short_row) {
    source.block(0, n, placed);
    insertion_sort(placed, n);
  } else {
    radix_sort<uint64> radix;
    radix.count(source, n, place_bits, place_bits + high - shift);
    if (radix.passes() == 0) {
      source.block(0, n, placed);
    } else if (shift == 0) {
      return radix.run(source, n, placed, spare, emit);
    } else {
      radix.run(source, n, placed, spare, [placed](int64 at, uint64 key) { placed[at] = key; });
    }
  }
  for (int64 i = 0; i < n;) {
    int64 end = i + 1;
    const uint64 word = placed[i] >> place_bits;
    while (end < n && placed[end] >> place_bits == word) ++end;
    if (shift > 0 && end > i + 1) order_places(keys, placed + i, spare + i, end - i, shift);
    for (; i < end; ++i) emit(i, placed[i]);
  }
}

// ---- rows

template <class T, bool Places>
SKERRY_INLINE void run_row(const sort_params& p, int64 row, char* scratch) {
  const char* from = p.input + row * p.length * int64(sizeof(T));
  if constexpr (Places) {
    argsort_row<T>(from, p.output + row * p.length * 8, scratch, p.length, p.descending);
  } else {
    char* to = p.output + row * p.length * int64(sizeof(T));
    if (p.length <= short_row) {
      sort_short_row<T>(from, to, p.length, p.descending);
    } else {
      sort_row<T>(from, to, scratch, p.length, p.descending);
    }
  }
}

template <class T, bool Places>
void run_sort(const void* params) {
  const auto& p = *static_cast<const sort_params*>(params);
  if (p.length <= 0 || p.rows <= 0) return;
  const int64 piece = sort_scratch(p.length, Places ? 8 : int64(sizeof(T)));
  const int64 share = ceil_div(p.rows, p.slots);
  const int64 grain = greatest(1, 8192 / (share * p.length));
  cpu::parallel_for(ceil_div(p.rows, share), grain, [&](int64 begin, int64 end) {
    for (int64 slot = begin; slot < end; ++slot) {
      const int64 last = least(p.rows, (slot + 1) * share);
      for (int64 row = slot * share; row < last; ++row) {
        run_row<T, Places>(p, row, p.scratch + slot * piece);
      }
    }
  });
}

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
