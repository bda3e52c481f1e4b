// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernels/cpu/encoded_row.hpp"
#include "ops/kernels/cpu/places.hpp"
#include "ops/kernels/cpu/radix.hpp"
#include "ops/kernels/sort.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

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
struct decode_sink {
  using type = typename sort_key<T>::type;

  type* to;
  type flip;

  [[nodiscard]] SKERRY_INLINE type result(type key) const { return sort_key<T>::decode(key, flip); }
};

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
      if (bit_width(source.differing) > high) {
        high = bit_width(source.differing);
        low = static_cast<int>(greatest(0, high - window_bits(n)));
        radix.count(source, n, low, high);
      }
      if (radix.passes() == 0) {
        for (int64 at = 0; at < n; at += radix.block_size) {
          source.block(at, least(radix.block_size, n - at), keys + at);
        }
        if (low == 0) decode_keys<T>(keys, out, n, source.flip);
      } else if (low == 0) {
        radix.run(source, n, keys, spare, decode_sink<T>{keys, source.flip});
      } else {
        radix.run(source, n, keys, spare, keep_keys<K>{keys});
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
