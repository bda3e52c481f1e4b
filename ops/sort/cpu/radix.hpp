// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"
#include "ops/math/integer.hpp"
#include "ops/sort/kernels.hpp"

// Radix sort by bytes, least significant first: stable. Each pass reads sequentially and appends to
// 256 runs, whose ends stay in L1. Few keys are sorted by insertion.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Sorts by the bits from `low_bit` up, stably.
template <class K>
SKERRY_INLINE void insertion_sort(K* keys, int64 n, int low_bit) {
  for (int64 i = 1; i < n; ++i) {
    const K key = keys[i];
    int64 position = i;
    for (; position > 0 && keys[position - 1] >> low_bit > key >> low_bit; --position)
      keys[position] = keys[position - 1];
    keys[position] = key;
  }
}

/// Sorts unsigned keys by their bytes [first_byte, end_byte), stably; the other bytes are equal in
/// all keys. `alternate` has room for n keys unless n <= short_row. Returns whichever of the two
/// arrays has the result.
template <class K>
K* sort_by_bytes(K* keys, K* alternate, int64 n, int first_byte = 0, int end_byte = sizeof(K)) {
  if (n <= short_row) {
    insertion_sort(keys, n, 8 * first_byte);
    return keys;
  }
  int64 offsets[sizeof(K)][256];
  const auto digit = [](K key, int byte) __attribute__((always_inline)) {
    return static_cast<int>(key >> (8 * byte) & 255);
  };
  for (int byte = first_byte; byte < end_byte; ++byte) {
    for (int64& offset : offsets[byte]) offset = 0;
  }
  // Count all bytes of a key at once: the chains of increments overlap.
  for (int64 i = 0; i < n; ++i) {
    for (int byte = first_byte; byte < end_byte; ++byte) ++offsets[byte][digit(keys[i], byte)];
  }
  for (int byte = first_byte; byte < end_byte; ++byte) {
    if (offsets[byte][digit(keys[0], byte)] == n) continue;  // all keys share it
    int64 begin = 0;
    for (int64& offset : offsets[byte]) {
      const int64 count = offset;
      offset = begin;
      begin += count;
    }
    for (int64 i = 0; i < n; ++i) alternate[offsets[byte][digit(keys[i], byte)]++] = keys[i];
    K* const sorted = alternate;
    alternate = keys;
    keys = sorted;
  }
  return keys;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
