// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/indices.hpp"
#include "ops/sort/cpu/quicksort.hpp"
#include "ops/sort/cpu/radix.hpp"
#include "ops/sort/cpu/sort_network.hpp"
#include "ops/sort/cpu/sort_split.hpp"
#include "ops/sort/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

// ---- values

/// Restores the NaNs and signed zeros that encoding merged, in the order of the input.
template <ops::real_floating T>
void restore_specials(const char* row, char* out, int64 n, RowOrder order) {
  using key = SortKey<T>;
  using K = typename key::type;
  const EncodedRow<T> items(row, order);
  const K zero = key::encode(K{0}, items.flip);
  int64 zero_position = 0;
  int64 nans = 0;
  constexpr int64 block = 32768;  // counters of type K suffice: more lanes per vector
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

#if defined(SKERRY_PACKS_LANES)
/// Sorts a row with vector instructions; `alone`: use all threads if it is long.
template <class T>
void sort_row_by_lanes(const char* row, char* out, char* scratch, int64 n, RowOrder order,
                       bool alone) {
  using K = lane_key_t<T>;
  const auto code = LaneCode<K>::template create<T>(order);
  const ItemsAsKeys<K> items{reinterpret_cast<const K*>(row), code};
  K* const destination = reinterpret_cast<K*>(out);
  K* const scratch_keys = reinterpret_cast<K*>(scratch);
  // Sorting loses NaN payloads and zero signs.
  [[maybe_unused]] const bool special =
      alone ? sort_all_keys<K>(items, destination, scratch_keys, n, code)
            : sort_keys<K>(items, destination, scratch_keys, n, code);
  if constexpr (ops::real_floating<T>) {
    if (special) restore_specials<T>(row, out, n, order);
  }
}
#endif

/// Minimum length for counting items of one and two bytes. 1e6 float16 take 0.6 ms by counting and
/// 6.7 ms by bytes (EPYC of Zen 4, x86-64-v4). From this length on, the counters of two-byte items
/// fit in the scratch memory.
template <class T>
inline constexpr int64 counted_from = sizeof(T) == 1 ? 512 : int64{1} << 18;

/// Counts each item, then writes it that many times. The counters of two-byte items are in
/// `scratch`.
template <class T>
void sort_by_counting(EncodedRow<T>& source, char* out, char* scratch, int64 n) {
  using K = typename SortKey<T>::type;
  constexpr int64 block = 512;
  constexpr int64 values = int64{1} << (8 * sizeof(K));
  int64 few_counts[256];
  int64* const counts = sizeof(K) == 1 ? few_counts : reinterpret_cast<int64*>(scratch);
  K* destination = reinterpret_cast<K*>(out);
  for (int64 key = 0; key < values; ++key) counts[key] = 0;
  for (int64 position = 0; position < n; position += block) {
    K keys[block];
    const int64 count = minimum(block, n - position);
    source.encode(position, count, keys);
    for (int64 i = 0; i < count; ++i) ++counts[keys[i]];
  }
  for (int64 key = 0; key < values; ++key) {
    const K item = SortKey<T>::decode(static_cast<K>(key), source.flip);
    const int64 count = counts[key];
    for (int64 i = 0; i < count; ++i) destination[i] = item;
    destination += count;
  }
}

/// Sorts bools by one sum, which has no dependent counters.
SKERRY_INLINE void sort_booleans(const char* row, char* out, int64 n, bool descending) {
  int64 true_count = 0;
  for (int64 i = 0; i < n; ++i) true_count += load<bool>(row + i) ? 1 : 0;
  const int64 leading = descending ? true_count : n - true_count;
  for (int64 i = 0; i < n; ++i) out[i] = (i < leading) == descending ? 1 : 0;
}

/// Sorts the keys of a row and decodes them to items.
template <class T>
void sort_encoded(EncodedRow<T>& source, char* out, char* scratch, int64 n) {
  using K = typename SortKey<T>::type;
  if constexpr (sizeof(T) <= 2) {
    if (n >= counted_from<T>) return sort_by_counting<T>(source, out, scratch, n);
  }
  K* const keys = reinterpret_cast<K*>(out);
  source.encode(0, n, keys);
  decode_keys<T>(sort_by_bytes(keys, reinterpret_cast<K*>(scratch), n), out, n, source.flip);
}

template <class T>
void sort_row_by_keys(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  if constexpr (ops::boolean<T>) return sort_booleans(row, out, n, order.descending);
  EncodedRow<T> source(row, order);
  sort_encoded<T>(source, out, scratch, n);
  if constexpr (ops::real_floating<T>) {
    if (source.special != 0) restore_specials<T>(row, out, n, order);
  }
}

// ---- without vectors, in parallel: threads sort runs, then merge chunks of the result, whose
// inputs a binary search finds in both runs ("merge path")

/// Two sorted runs; items of the first come before equal ones of the second.
template <class T>
struct RunPair {
  using K = typename SortKey<T>::type;

  const K* first;
  int64 first_size;
  const K* second;
  int64 second_size;
  K flip;

  [[nodiscard]] SKERRY_INLINE K key(K bits) const { return SortKey<T>::encode(bits, flip); }

  /// Returns how many of the first `count` results are from the first run.
  [[nodiscard]] int64 split(int64 count) const {
    int64 low = maximum(0, count - second_size);
    int64 high = minimum(count, first_size);
    while (low < high) {
      const int64 middle = low + (high - low) / 2;
      if (key(second[count - middle - 1]) < key(first[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// Merges results [begin, end) to `destination`.
  void merge(int64 begin, int64 end, K* destination) const {
    int64 i = split(begin);
    int64 j = begin - i;
    const int64 stop = split(end);
    const int64 second_stop = end - stop;
    while (i < stop && j < second_stop) {
      const K a = first[i];
      const K b = second[j];
      const bool takes_second = key(b) < key(a);
      *destination++ = takes_second ? b : a;
      j += takes_second;
      i += !takes_second;
    }
    __builtin_memcpy(destination, first + i, static_cast<unsigned long>(stop - i) * sizeof(K));
    destination += stop - i;
    __builtin_memcpy(destination, second + j,
                     static_cast<unsigned long>(second_stop - j) * sizeof(K));
  }
};

/// Merges adjacent runs of `length` (the last may be shorter) from one array into another.
template <class T>
void merge_runs(const typename SortKey<T>::type* source, typename SortKey<T>::type* destination,
                int64 n, int64 length, RowOrder order) {
  using K = typename SortKey<T>::type;
  const int64 chunk_size = tuning::merged_chunk_size;
  const K flip = order.flip<T>();
  cpu::parallel_for(ceil_div(n, chunk_size), 1, [=](int64 begin_chunk, int64 end_chunk) {
    for (int64 position = begin_chunk * chunk_size;
         position < minimum(n, end_chunk * chunk_size);) {
      const int64 start = position / (2 * length) * (2 * length);
      const int64 middle = minimum(n, start + length);
      const int64 stop = minimum(n, middle + length);
      const RunPair<T> runs{source + start, middle - start, source + middle, stop - middle, flip};
      const int64 end =
          minimum(minimum(stop, minimum(n, end_chunk * chunk_size)), position + chunk_size);
      runs.merge(position - start, end - start, destination + position);
      position = end;
    }
  });
}

/// Returns the number of runs for the threads to sort: a power of two, 1 if the row is short.
SKERRY_INLINE int64 parallel_runs(int64 n) {
  const int64 threads = cpu::thread_count();
  int64 runs = 1;
  while (runs < threads && n / (2 * runs) >= tuning::min_run_size) runs *= 2;
  return runs;
}

/// Sorts one row by several threads: runs first, then merges that alternate between the arrays.
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
      sort_row_by_keys<T>(row + offset, source + offset, destination + offset,
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

// ---- rows

/// Sorts a row of any length; `alone`: use all threads if it is long. Compiled only in the
/// translation units of sort; those of sets link to it.
template <class T>
[[gnu::used, gnu::noinline]] void sort_row(const char* row, char* out, char* scratch, int64 n,
                                           RowOrder order, [[maybe_unused]] bool alone) {
#if defined(SKERRY_PACKS_LANES)
  if constexpr (has_lanes<T>) {
    return sort_row_by_lanes<T>(row, out, scratch, n, order, alone);
  }
#endif
  if constexpr (sizeof(T) >= 4 && !has_lanes<T>) {
    const int64 runs = alone ? parallel_runs(n) : 1;
    if (runs > 1) return sort_long_row<T>(row, out, scratch, n, runs, order);
  }
  if constexpr (!has_lanes<T>) sort_row_by_keys<T>(row, out, scratch, n, order);
}

template <class T, bool Indices>
SKERRY_INLINE void sort_one(const SortParams& p, RowOrder order, int64 row, char* scratch) {
  const char* source = p.input + row * p.length * int64(sizeof(T));
  if constexpr (Indices) {
    argsort_row<T>(source, reinterpret_cast<int64*>(p.output.get()) + row * p.length,
                   reinterpret_cast<int64*>(scratch), p.length, order, p.rows == 1);
  } else {
    char* const out = p.output + row * p.length * int64(sizeof(T));
    sort_row<T>(source, out, scratch, p.length, order, p.rows == 1);
  }
}

template <class T, bool Indices>
SKERRY_SHARED void sort_rows(const SortParams& p, RowOrder order) {
  if (p.length <= 0 || p.rows <= 0) return;
  if (p.rows == 1) return sort_one<T, Indices>(p, order, 0, p.scratch);
  const int64 slot_bytes = sort_scratch(p.length, Indices ? 8 : int64(sizeof(T)));
  const int64 share = ceil_div(p.rows, p.slots);
  const int64 grain_size = maximum(1, tuning::sort_grain_size / (share * p.length));
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
