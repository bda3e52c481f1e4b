// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/argsort_lanes.hpp"
#include "ops/sort/cpu/counting.hpp"
#include "ops/sort/cpu/distribute.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/indices.hpp"
#include "ops/sort/cpu/merge.hpp"
#include "ops/sort/cpu/radix.hpp"
#include "ops/sort/cpu/sort_split.hpp"
#include "ops/sort/cpu/tiny_rows.hpp"
#include "ops/sort/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

// ---- values

/// Undoes what encoding merged: puts NaNs and zeros where they belong, in the order of the input.
template <ops::real_floating T>
void restore_specials(const char* row, char* out, int64 n, RowOrder order) {
  using key = SortKey<T>;
  using K = typename key::type;
  const EncodedRow<T> items(row, order);
  const K zero = key::encode(K{0}, items.flip);
  int64 zero_position = 0;
  int64 nans = 0;
  constexpr int64 block = 32768;  // counters of K's size do, of which vectors hold the most
  for (int64 position = 0; position < n; position += block) {
    const int64 end = minimum(n, position + block);
    K fewer = 0;
    K lost = 0;
    for (int64 i = position; i < end; ++i) {
      fewer = static_cast<K>(fewer + (items.key(i) < zero));
      lost = static_cast<K>(lost + (items.key(i) == key::max_key));
    }
    zero_position += fewer;
    nans += lost;
  }
  K* const destination = reinterpret_cast<K*>(out);
  int64 tail = n - nans;
  for (int64 i = 0; i < n; ++i) {
    const K item = load<K>(row + i * int64(sizeof(K)));
    const K coded = key::encode(item, items.flip);
    if (coded == zero) destination[zero_position++] = item;
    if (coded == key::max_key) destination[tail++] = item;
  }
}

template <class T>
void sort_row_by_lanes(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  [[maybe_unused]] const bool special = sort_lanes<T>(row, out, scratch, n, order);
  if constexpr (ops::real_floating<T>) {
    if (special) restore_specials<T>(row, out, n, order);
  }
}

template <class T>
struct DecodeSink {
  using type = typename SortKey<T>::type;

  type* destination;
  type flip;

  [[nodiscard]] SKERRY_INLINE type result(type key) const { return SortKey<T>::decode(key, flip); }
};

template <class T>
void sort_short_row(const char* row, char* out, int64 n, RowOrder order) {
  if constexpr (has_lanes<T>) {
    sort_row_by_lanes<T>(row, out, nullptr, n, order);
  } else {
    using K = typename SortKey<T>::type;
    EncodedRow<T> source(row, order);
    K keys[short_row];
    source.block(0, n, keys);
    insertion_sort(keys, n);
    decode_keys<T>(keys, out, n, source.flip);
    if constexpr (ops::real_floating<T>) {
      if (source.special != 0) restore_specials<T>(row, out, n, order);
    }
  }
}

/// Items of one byte are counted.
template <class T>
void count_row(const char* row, char* out, int64 n, RowOrder order) {
  constexpr int lanes = 4;
  int64 count[lanes][256];
  // Clearing all takes longer than counting a short row.
  const int used = n < 1024 ? 1 : lanes;
  __builtin_memset(count, 0, static_cast<unsigned long>(used) * sizeof count[0]);
  EncodedRow<T> source(row, order);
  int64 i = 0;
  for (; used == lanes && i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) ++count[lane][source.key(i + lane)];
  }
  for (; i < n; ++i) ++count[0][source.key(i)];
  for (int key = 0; key < 256; ++key) {
    int64 total = 0;
    for (int lane = 0; lane < used; ++lane) total += count[lane][key];
    if (total == 0) continue;
    const auto item = SortKey<T>::decode(static_cast<uint8>(key), source.flip);
    __builtin_memset(out, item, static_cast<unsigned long>(total));
    out += total;
  }
}

template <class T>
  requires ops::boolean<T>
void count_row(const char* row, char* out, int64 n, RowOrder order) {
  const int64 booleans = count_booleans(row, n);
  const int64 leading_count = order.descending ? booleans : n - booleans;
  __builtin_memset(out, order.descending ? 1 : 0, static_cast<unsigned long>(leading_count));
  __builtin_memset(out + leading_count, order.descending ? 0 : 1,
                   static_cast<unsigned long>(n - leading_count));
}

/// By digits of the keys, the least significant first.
template <class T>
void sort_digits(EncodedRow<T>& source, char* out, typename SortKey<T>::type* alternate, int64 n) {
  using K = typename SortKey<T>::type;
  K* const keys = reinterpret_cast<K*>(out);
  int high = source.guess_high(n);
  int low = static_cast<int>(maximum(0, high - window_bits(n)));
  {
    RadixSort<K> radix;
    radix.count(source, n, low, high);
    if (bit_width(source.differing) > high) {
      high = bit_width(source.differing);
      low = static_cast<int>(maximum(0, high - window_bits(n)));
      radix.count(source, n, low, high);
    }
    if (radix.passes() == 0) {
      for (int64 position = 0; position < n; position += radix.block_size) {
        source.block(position, minimum(radix.block_size, n - position), keys + position);
      }
    } else if (low == 0) {
      return radix.run(source, n, keys, alternate, DecodeSink<T>{keys, source.flip});
    } else {
      radix.run(source, n, keys, alternate, KeepKeys<K>{keys});
    }
  }
  order_runs(keys, alternate, n, low);
  decode_keys<T>(keys, out, n, source.flip);
}

/// A long row of items of two bytes.
template <class T>
void sort_counted_row(const char* row, char* out, char* scratch, int64 n, int64 threads,
                      RowOrder order) {
  [[maybe_unused]] const bool special = sort_by_counting<T>(row, out, scratch, n, threads, order);
  if constexpr (ops::real_floating<T>) {
    if (special) restore_specials<T>(row, out, n, order);
  }
}

/// From this length on values are distributed first. From half of it on rows of 2^18 take 6 % less
/// (float32) or 19 % more (int64), from twice those of 6e5 7 to 20 % more (EPYC of Zen 4,
/// x86-64-v2).
inline constexpr int64 distributed_from = 1 << 19;

template <class T>
void sort_row(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  using K = typename SortKey<T>::type;
  if constexpr (has_lanes<T>) {
    sort_row_by_lanes<T>(row, out, scratch, n, order);
  } else if constexpr (sizeof(T) == 1) {
    count_row<T>(row, out, n, order);
  } else {
    if constexpr (sizeof(T) == 2) {
      if (n >= counted_from<T>) return sort_counted_row<T>(row, out, scratch, n, 1, order);
    }
    EncodedRow<T> source(row, order);
    K* const alternate = reinterpret_cast<K*>(scratch);
    bool is_sorted = false;
    if constexpr (sizeof(T) >= 4) {
      is_sorted = n >= distributed_from && sort_distributed(source, out, alternate, n);
    }
    if (!is_sorted) sort_digits(source, out, alternate, n);
    if constexpr (ops::real_floating<T>) {
      if (source.special != 0) restore_specials<T>(row, out, n, order);
    }
  }
}

// ---- rows

/// Items for which it pays to give a thread its own run: two runs of as many and their merge take
/// up to 1.4 times the work of one run of all, those of half as many up to 1.7 times (EPYC of Zen
/// 4, x86-64-v2).
inline constexpr int64 run_per_thread = 1 << 17;

/// Runs for the threads to sort, a power of 2: 1 if there is no use in more.
SKERRY_INLINE int64 parallel_runs(int64 n) {
  const int64 threads = cpu::thread_count();
  int64 runs = 1;
  while (runs < threads && n / (2 * runs) >= run_per_thread) runs *= 2;
  return runs;
}

/// One row by several threads: sorted runs, then merges from one array to the other and back.
template <class T>
void sort_long_row(const char* row, char* out, char* scratch, int64 n, int64 runs, RowOrder order) {
  using K = typename SortKey<T>::type;
  constexpr int64 size = sizeof(T);
  const int64 length = ceil_div(n, runs);
  const bool ends_in_scratch = __builtin_ctzll(static_cast<uint64>(runs)) % 2 != 0;
  char* source = ends_in_scratch ? scratch : out;
  char* destination = ends_in_scratch ? out : scratch;
  cpu::parallel_for(runs, 1, [=](int64 begin, int64 end) {
    for (int64 run_index = begin; run_index < end; ++run_index) {
      const int64 offset = run_index * length * size;
      sort_row<T>(row + offset, source + offset, destination + offset,
                  minimum(length, n - run_index * length), order);
    }
  });
  for (int64 width = length; width < n; width *= 2) {
    merge_runs<T>(reinterpret_cast<const K*>(source), reinterpret_cast<K*>(destination), n, width,
                  order);
    char* const merged = destination;
    destination = source;
    source = merged;
  }
}

/// A row of any length, by all threads where it is long. Compiled in the units of this family only:
/// those of sets call it, too.
template <class T>
[[gnu::used, gnu::noinline]] void sort_whole_row(const char* row, char* out, char* scratch, int64 n,
                                                 RowOrder order) {
  if (n <= short_row) return sort_short_row<T>(row, out, n, order);
  if constexpr (has_lanes<T>) {
    if (n >= parallel_keys && cpu::thread_count() > 1) {
      [[maybe_unused]] const bool special = sort_by_threads<T>(row, out, scratch, n, order);
      if constexpr (ops::real_floating<T>) {
        if (special) restore_specials<T>(row, out, n, order);
      }
      return;
    }
  } else if constexpr (sizeof(T) > 1) {
    const int64 runs = parallel_runs(n);
    if constexpr (sizeof(T) == 2) {
      if (runs > 1) return sort_counted_row<T>(row, out, scratch, n, runs, order);
    } else {
      if (runs > 1) return sort_long_row<T>(row, out, scratch, n, runs, order);
    }
  }
  sort_row<T>(row, out, scratch, n, order);
}

template <class T>
SKERRY_INLINE void order_row_of_indices(const char* row, char* out, char* scratch, int64 n,
                                        RowOrder order, [[maybe_unused]] bool alone = false) {
  if constexpr (has_lanes<T>) {
    argsort_by_lanes<T>(row, reinterpret_cast<int64*>(out), reinterpret_cast<int64*>(scratch), n,
                        order, alone);
  } else if constexpr (ops::boolean<T>) {
    argsort_booleans(row, reinterpret_cast<int64*>(out), n, order);
  } else {
    argsort_row<T>(row, out, scratch, n, order);
  }
}

template <class T, bool Indices>
SKERRY_INLINE void sort_one(const SortParams& p, RowOrder order, int64 row, char* scratch) {
  const char* source = p.input + row * p.length * int64(sizeof(T));
  if constexpr (Indices) {
    order_row_of_indices<T>(source, p.output + row * p.length * 8, scratch, p.length, order);
  } else {
    char* destination = p.output + row * p.length * int64(sizeof(T));
    if (p.length <= short_row) {
      sort_short_row<T>(source, destination, p.length, order);
    } else {
      sort_row<T>(source, destination, scratch, p.length, order);
    }
  }
}

template <class T, bool Indices>
SKERRY_SHARED void sort_rows(const SortParams& p, RowOrder order) {
  if (p.length <= 0 || p.rows <= 0) return;
  if (p.rows == 1) {
    if constexpr (Indices) {
      order_row_of_indices<T>(p.input, p.output, p.scratch, p.length, order, true);
    } else {
      sort_whole_row<T>(p.input, p.output, p.scratch, p.length, order);
    }
    return;
  }
  const int64 slot_bytes = sort_scratch(p.length, Indices ? 8 : int64(sizeof(T)));
  const int64 share = ceil_div(p.rows, p.slots);
  const int64 grain_size = maximum(1, 8192 / (share * p.length));
  cpu::parallel_for(ceil_div(p.rows, share), grain_size, [&](int64 begin, int64 end) {
    if constexpr (Indices || (sizeof(T) < 8 && !ops::boolean<T>)) {
      if (p.length <= tiny_row<T>) {
        return sort_tiny_rows<T, Indices>(p.input, p.output, p.length, begin * share,
                                          minimum(p.rows, end * share), order);
      }
    }
    for (int64 slot = begin; slot < end; ++slot) {
      const int64 last = minimum(p.rows, (slot + 1) * share);
      for (int64 row = slot * share; row < last; ++row) {
        sort_one<T, Indices>(p, order, row, p.scratch + slot * slot_bytes);
      }
    }
  });
}

template <class T, bool Indices>
void run_sort(const SortParams& p) {
  sort_rows<row_item_t<T>, Indices>(p, RowOrder::create<T>(p.descending));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
