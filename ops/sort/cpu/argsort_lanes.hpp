// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/indices.hpp"
#include "ops/sort/cpu/sort_split.hpp"
#include "ops/sort/kernels.hpp"

// The order of indices by vectors: as many bits of the keys as there is room for, from the highest
// that differs, are sorted above the index, as integers of 8 bytes, of which no two are equal.

namespace skerry::inline SKERRY_TARGET::kernels {

/// The indices of a row of has_lanes<T> in `out`; `scratch` has room for as many unless there are
/// short_row at most. By all threads, if the row is `alone`.
template <class T>
void argsort_by_lanes(const char* row, int64* out, int64* scratch, int64 n, RowOrder order,
                      bool alone);

#if defined(SKERRY_PACKS_LANES)

/// How a key and an index share 8 bytes.
struct IndexCode {
  int unused;  ///< bits of the key that all keys share, from the top of 8 bytes
  int bits;    ///< for the index

  SKERRY_INLINE int64 joined(uint64 key, int64 index) const {
    constexpr uint64 top = uint64{1} << 63;
    const uint64 high_bits = key << unused >> bits << bits;
    return static_cast<int64>((high_bits | static_cast<uint64>(index)) ^ top);
  }
  [[nodiscard]] SKERRY_INLINE int64 index(int64 joined) const {
    return joined & ((int64{1} << bits) - 1);
  }
  [[nodiscard]] bool is_exact() const { return unused >= bits; }
};

template <class T>
IndexCode code_indices(const EncodedRow<T>& row, int64 n) {
  uint64 differing = 0;
  for (int64 i = 0; i < n; ++i) differing |= row.key(i) ^ row.first;
  return {.unused = static_cast<int>(minimum(63, 64 - bit_width(differing))),
          .bits = bit_width(static_cast<uint64>(n - 1))};
}

SKERRY_INLINE bool has_ties(const int64* joined, int64 n, IndexCode code) {
  int64 ties = 0;
  for (int64 i = 1; i < n; ++i) ties += (joined[i] ^ joined[i - 1]) >> code.bits == 0;
  return ties > 0;
}

/// Orders what is left in no order, where keys differ in bits that had no room; leaves indices.
template <class T>
void order_ties(const RowKeys<T>& keys, uint64* placed, uint64* scratch, int64 n, IndexCode code) {
  for (int64 i = 0; i < n;) {
    int64 end = i + 1;
    const uint64 high = placed[i] >> code.bits;
    while (end < n && placed[end] >> code.bits == high) ++end;
    for (int64 j = i; j < end; ++j) {
      placed[j] = static_cast<uint64>(code.index(static_cast<int64>(placed[j])));
    }
    if (end - i > 1) {
      if (end - i <= few_indices) {
        order_few_indices(keys, placed + i, end - i);
      } else {
        order_indices(keys, placed + i, scratch + i, end - i, 0, RowKeys<T>::part_bits);
      }
      for (int64 j = i; j < end; ++j) placed[j] = static_cast<uint64>(index_of(placed[j]));
    }
    i = end;
  }
}

template <class T>
void argsort_by_lanes(const char* row, int64* out, int64* scratch, int64 n, RowOrder order,
                      bool alone) {
  const EncodedRow<T> items(row, order);
  const IndexCode code = code_indices(items, n);
  for (int64 i = 0; i < n; ++i) out[i] = code.joined(items.key(i), i);
  const LaneCode<int64> identity_code{};
  const EncodedKeys<int64> source{out};
  if (n <= network_keys<int64>) {
    sort_few<int64>(source, KeysToItems<int64>{out, identity_code}, n);
  } else if (!alone || n < parallel_keys || cpu::thread_count() == 1) {
    sort_at_place<int64>(whole_row(out, scratch, n), identity_code);
  } else {
    sort_whole<int64>(source, whole_row(out, scratch, n), identity_code);
  }
  if (code.is_exact() || !has_ties(out, n, code)) {
    for (int64 i = 0; i < n; ++i) out[i] = code.index(out[i]);
    return;
  }
  uint64 few[short_row];
  order_ties<T>(RowKeys<T>(row, order), reinterpret_cast<uint64*>(out),
                n <= short_row ? few : reinterpret_cast<uint64*>(scratch), n, code);
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
