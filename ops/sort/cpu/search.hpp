// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/math/integer.hpp"
#include "ops/sort/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Maps a signed integer's bits to an unsigned integer of the same order.
template <class T>
SKERRY_INLINE T ordered(T item, [[maybe_unused]] T sign) {
  if constexpr (ops::real_floating<T>) {
    return item;
  } else {
    return static_cast<T>(item ^ sign);
  }
}

/// The sorted items, read directly or through a sorter.
template <class T, bool Sorter>
struct SortedItems {
  const char* items;
  const char* sorter;
  int64 size;
  ops::computed_t<T> sign;
  int64 out_of_range_index = 0;  ///< an out-of-bounds index of the sorter, or 0

  SortedItems(const SearchParams& p, ops::computed_t<T> sign_bit)
      : items(p.sorted),
        sorter(reinterpret_cast<const char*>(p.sorter.get())),
        size(p.sorted_size),
        sign(sign_bit) {}

  SKERRY_INLINE ops::computed_t<T> operator[](int64 i) {
    if constexpr (Sorter) {
      i = load<int64>(sorter + i * 8);
      if (static_cast<uint64>(i) >= static_cast<uint64>(size)) {
        out_of_range_index = i;
        i = 0;
      }
    }
    return ordered<ops::computed_t<T>>(load<T>(items + i * int64(sizeof(T))), sign);
  }
};

/// True if `item` comes before the insertion point of `value`. A NaN item never does.
template <bool Right, class T>
SKERRY_INLINE bool is_before(T item, T value) {
  return Right ? item <= value : item < value;
}

/// Searches for `count` values at a time: all take the same steps without branches, and their cache
/// misses overlap.
template <bool Right, class T, class Items>
SKERRY_INLINE void search_block(Items& sorted_items, const T* values, int64* indices, int count) {
  Items items = sorted_items;  // local copy: stores of indices cannot alias it
  for (int k = 0; k < count; ++k) indices[k] = 0;
  int64 left = items.size;
  for (; left > 1; left -= left / 2) {
    const int64 half = left / 2;
    SKERRY_IVDEP
    for (int k = 0; k < count; ++k) {
      // Use a mask: the compiler turns a conditional into a branch, and half of them are
      // mispredicted.
      const int64 precedes = is_before<Right>(items[indices[k] + half - 1], values[k]);
      indices[k] += half & -precedes;
    }
  }
  for (int k = 0; k < count; ++k) indices[k] += is_before<Right>(items[indices[k]], values[k]);
  sorted_items.out_of_range_index = items.out_of_range_index;
}

/// Returns the insertion point of NaN, which is greater than everything else.
template <bool Right, class T, class Items>
int64 index_of_nan(Items& items) {
  if (Right) return items.size;
  const T infinity = static_cast<T>(__builtin_inf());
  int64 index = 0;
  search_block<true>(items, &infinity, &index, 1);
  return index;
}

template <bool Right, class T, class Items>
void search_range(const SearchParams& p, Items& items, int64 begin, int64 end) {
  constexpr int64 block = tuning::searched_block;
  ops::computed_t<T> values[block];
  for (int64 position = begin; position < end; position += block) {
    const int64 n = minimum(block, end - position);
    for (int64 i = 0; i < n; ++i) {
      const char* const value = p.values + (position + i) * int64(sizeof(T));
      values[i] = ordered<ops::computed_t<T>>(load<T>(value), items.sign);
    }
    int64* const out = p.output + position;
    if (n == block) {
      search_block<Right>(items, values, out, block);
    } else {
      search_block<Right>(items, values, out, static_cast<int>(n));
    }
    if constexpr (ops::real_floating<ops::computed_t<T>>) {
      for (int64 i = 0; i < n; ++i) {
        if (values[i] != values[i]) out[i] = index_of_nan<Right, ops::computed_t<T>>(items);
      }
    }
  }
}

/// Searches once for each of the 256 values of one-byte items, and looks the results up.
template <class T, bool Right>
void search_bytes(const SearchParams& p, T sign) {
  SortedItems<T, false> items(p, sign);
  int64 indices[256];
  for (int value = 0; value < 256; ++value) {
    const T item = ordered<T>(static_cast<T>(value), sign);
    search_block<Right>(items, &item, indices + value, 1);
  }
  for (int64 i = 0; i < p.size; ++i) p.output[i] = indices[load<uint8>(p.values + i)];
}

template <class T, bool Right, bool Sorter>
void search_all(const SearchParams& p, ops::computed_t<T> sign) {
  if constexpr (sizeof(T) == 1 && !Sorter) {
    if (p.size >= tuning::min_byte_searches) return search_bytes<T, Right>(p, sign);
  }
  cpu::parallel_for(p.size, tuning::search_grain_size, [&](int64 begin, int64 end) {
    SortedItems<T, Sorter> items(p, sign);
    search_range<Right, T>(p, items, begin, end);
    if (Sorter && items.out_of_range_index != 0)
      __atomic_store_n(p.out_of_range_index.get(), items.out_of_range_index, __ATOMIC_RELAXED);
  });
}

template <class T>
SKERRY_SHARED void search(const SearchParams& p, ops::computed_t<T> sign) {
  if (p.sorter != nullptr) *p.out_of_range_index = 0;
  if (p.sorted_size == 0) {
    for (int64 i = 0; i < p.size; ++i) p.output[i] = 0;
  } else if (p.sorter != nullptr) {
    p.right ? search_all<T, true, true>(p, sign) : search_all<T, false, true>(p, sign);
  } else {
    p.right ? search_all<T, true, false>(p, sign) : search_all<T, false, false>(p, sign);
  }
}

template <class T>
void run_search(const SearchParams& p) {
  using U = row_item_t<T>;
  using C = ops::computed_t<U>;
  constexpr C sign = ops::signed_integral<T> ? static_cast<C>(ops::sign_bit<C>) : C(0);
  search<U>(p, sign);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
