// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/radix.hpp"

// The order of the indices of items: 32 bits of their keys are sorted at a time, above the index,
// so that no two are equal and any sort of them is stable. Items that these bits leave equal are
// then sorted by further ones.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Keys of a row in parts of up to 64 bits, the first of which decides.
template <class T>
struct RowKeys {
  static constexpr int parts = 1;
  static constexpr int part_bits = 8 * static_cast<int>(sizeof(T));

  EncodedRow<T> row;

  RowKeys(const char* row_data, RowOrder order) : row(row_data, order) {}
  [[nodiscard]] SKERRY_INLINE uint64 key_part(int64 i, int) const { return row.key(i); }
  [[nodiscard]] bool is_nan(int64 i) const {
    if constexpr (ops::floating<T>) return row.key(i) == static_cast<bits_of<T>>(~bits_of<T>{0});
    return false;
  }

 private:
  template <class U>
  using bits_of = typename SortKey<U>::type;
};

template <>
struct RowKeys<complex128> {
  static constexpr int parts = 2;
  static constexpr int part_bits = 64;

  const char* row;

  RowKeys(const char* row_data, RowOrder) : row(row_data) {}
  [[nodiscard]] SKERRY_INLINE uint64 key_part(int64 i, int part_index) const {
    if (is_nan(i)) return ~uint64{0};
    return SortKey<float64>::encode(load<uint64>(row + i * 16 + int64{part_index} * 8), 0);
  }
  [[nodiscard]] SKERRY_INLINE bool is_nan(int64 i) const {
    const char* item = row + i * 16;
    return SortKey<float64>::is_nan(load<uint64>(item)) ||
           SortKey<float64>::is_nan(load<uint64>(item + 8));
  }
};

inline constexpr int index_bits = 32;
/// Above the index of an item that differs from the one before it.
inline constexpr uint64 differs = uint64{1} << index_bits;

/// Runs up to this length are sorted by insertion of whole keys.
inline constexpr int64 few_indices = 16;

SKERRY_INLINE int64 index_of(uint64 placed) { return static_cast<int64>(placed & 0xffffffffu); }

/// Bits [shift, shift + 32) of a part of the keys of the row, with the indices.
template <class Keys>
struct PlacedRow {
  const Keys& keys;
  int part_index;
  int shift;

  SKERRY_INLINE const uint64* block(int64 position, int64 n, uint64* workspace) const {
    for (int64 i = 0; i < n; ++i) {
      workspace[i] = keys.key_part(position + i, part_index) >> shift << index_bits |
                     static_cast<uint64>(position + i);
    }
    return workspace;
  }
};

template <class Keys>
void order_indices(const Keys& keys, uint64* placed, uint64* alternate, int64 n, int part_index,
                   int bits);

/// Orders a few items, stably, by insertion; leaves `differs` and indices.
template <class Keys>
void order_few_indices(const Keys& keys, uint64* placed, int64 n) {
  uint64 sorted[few_indices];
  for (int64 i = 0; i < n; ++i) {
    const int64 index = index_of(placed[i]);
    const uint64 key = keys.key_part(index, 0);
    int64 position = i;
    for (; position > 0 && sorted[position - 1] > key; --position) {
      sorted[position] = sorted[position - 1];
      placed[position] = placed[position - 1];
    }
    sorted[position] = key;
    placed[position] = static_cast<uint64>(index);
  }
  placed[0] |= differs;
  for (int64 i = 1; i < n; ++i) placed[i] |= sorted[i] != sorted[i - 1] ? differs : 0;
}

/// `placed` is in the order of bits [shift, shift + 32) of a part, which it holds: orders it fully,
/// and leaves `differs` and indices.
template <class Keys>
void order_runs_of_indices(const Keys& keys, uint64* placed, uint64* alternate, int64 n,
                           int part_index, int shift) {
  const bool is_last = shift == 0 && part_index + 1 == Keys::parts;
  for (int64 i = 0; i < n;) {
    const uint64 word = placed[i] >> index_bits;
    int64 end = i + 1;
    while (end < n && placed[end] >> index_bits == word) ++end;
    if (is_last || end == i + 1) {
      placed[i] = differs | static_cast<uint64>(index_of(placed[i]));
      for (++i; i < end; ++i) placed[i] = static_cast<uint64>(index_of(placed[i]));
    } else if (Keys::parts == 1 && end - i <= few_indices) {
      order_few_indices(keys, placed + i, end - i);
      i = end;
    } else {
      order_indices(keys, placed + i, alternate + i, end - i,
                    shift > 0 ? part_index : part_index + 1, shift > 0 ? shift : Keys::part_bits);
      i = end;
    }
  }
}

/// Orders items that are equal in all before the lowest `bits` of a part; leaves `differs` (with
/// the first one too) and indices.
template <class Keys>
void order_indices(const Keys& keys, uint64* placed, uint64* alternate, int64 n, int part_index,
                   int bits) {
  const uint64 mask = ~uint64{0} >> (64 - bits);
  const uint64 first = keys.key_part(index_of(placed[0]), part_index);
  uint64 differing = 0;
  for (int64 i = 1; i < n; ++i) differing |= keys.key_part(index_of(placed[i]), part_index) ^ first;
  const int high = bit_width(differing & mask);
  const int shift = static_cast<int>(maximum(0, high - index_bits));
  for (int64 i = 0; i < n; ++i) {
    const int64 index = index_of(placed[i]);
    const uint64 word = (keys.key_part(index, part_index) & mask) >> shift;
    placed[i] = word << index_bits | static_cast<uint64>(index);
  }
  sort_window(placed, alternate, n, index_bits, index_bits + high - shift);
  order_runs_of_indices(keys, placed, alternate, n, part_index, shift);
}

/// The same for a whole row: `placed` need not be set.
template <class Keys>
void order_row(const Keys& keys, uint64* placed, uint64* alternate, int64 n) {
  const uint64 first = keys.key_part(0, 0);
  uint64 differing = 0;
  for (int64 i = 1; i < n; ++i) differing |= keys.key_part(i, 0) ^ first;
  const int high = bit_width(differing);
  const int shift = static_cast<int>(maximum(0, high - index_bits));
  PlacedRow<Keys> source{keys, 0, shift};
  if (n <= short_run) {
    source.block(0, n, placed);
    insertion_sort(placed, n);
  } else {
    RadixSort<uint64> radix;
    radix.count(source, n, index_bits, index_bits + high - shift);
    if (radix.passes() == 0) {
      source.block(0, n, placed);
    } else {
      radix.run(source, n, placed, alternate, KeepKeys<uint64>{placed});
    }
  }
  order_runs_of_indices(keys, placed, alternate, n, 0, shift);
}

SKERRY_INLINE int64 count_booleans(const char* row, int64 n) {
  int64 count = 0;
  for (int64 i = 0; i < n; ++i) count += load<bool>(row + i) ? 1 : 0;
  return count;
}

/// The first `count` indices of what is true, or of what is not. Each is written, and kept if it
/// belongs; 32 at a time where there is room.
SKERRY_INLINE void index_booleans(const char* row, int64 n, bool value, int64* destination,
                                  int64 count) {
  constexpr int64 group = 32;
  int64 position = 0;
  int64 i = 0;
  for (; i + group <= n && position + group <= count; i += group) {
    const uint32 set = value ? bytes_unequal_zero(row + i) : ~bytes_unequal_zero(row + i);
    for (int shift = 0; shift < group; shift += 8) {
      store_numbers_of_lanes(destination + position, set >> shift & 255, i + shift);
      position += __builtin_popcount(set >> shift & 255);
    }
  }
  for (; position < count; ++i) {
    destination[position] = i;
    position += load<bool>(row + i) == value ? 1 : 0;
  }
}

/// The indices of truths, or of the rest, then of the others.
inline void argsort_booleans(const char* row, int64* out, int64 n, RowOrder order) {
  const int64 booleans = count_booleans(row, n);
  const int64 leading_count = order.descending ? booleans : n - booleans;
  index_booleans(row, n, order.descending, out, leading_count);
  index_booleans(row, n, !order.descending, out + leading_count, n - leading_count);
}

struct IndexSink {
  using type = uint64;

  uint64* destination;

  static SKERRY_INLINE uint64 result(uint64 placed) {
    return static_cast<uint64>(index_of(placed));
  }
};

/// The indices as int64 in `out`, which has room for n of them.
template <class T>
void argsort_row(const char* row, char* out, char* scratch, int64 n, RowOrder order) {
  const RowKeys<T> keys(row, order);
  uint64* const indices = reinterpret_cast<uint64*>(out);
  uint64* const alternate = reinterpret_cast<uint64*>(scratch);
  if constexpr (sizeof(T) <= 4) {
    if (n > short_run) {
      PlacedRow<RowKeys<T>> source{keys, 0, 0};
      RadixSort<uint64> radix;
      radix.count(source, n, index_bits, index_bits + RowKeys<T>::part_bits);
      if (radix.passes() > 0) {
        return radix.run(source, n, indices, alternate, IndexSink{indices});
      }
    }
  }
  order_row(keys, indices, alternate, n);
  for (int64 i = 0; i < n; ++i) indices[i] = static_cast<uint64>(index_of(indices[i]));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
