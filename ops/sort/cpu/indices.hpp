// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/radix.hpp"
#include "ops/sort/cpu/sort_split.hpp"

// Argsort with int64 indices. The highest differing bits of each key are joined with its index in
// the low bits, and then sorted. No two joined keys are equal, so any sort of them is stable.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Keys of a row in parts of up to 64 bits, the most significant first.
template <class T>
struct RowKeys {
  static constexpr int parts = 1;
  static constexpr int part_bits = 8 * static_cast<int>(sizeof(T));

  EncodedRow<T> row;

  RowKeys(const char* row_data, RowOrder order) : row(row_data, order) {}
  [[nodiscard]] SKERRY_INLINE uint64 key_part(int64 i, int) const { return row.key(i); }
};

template <>
struct RowKeys<complex128> {
  static constexpr int parts = 2;
  static constexpr int part_bits = 64;

  const char* row;

  RowKeys(const char* row_data, RowOrder) : row(row_data) {}
  [[nodiscard]] SKERRY_INLINE uint64 key_part(int64 i, int part_index) const {
    const uint64 re = load<uint64>(row + i * 16);
    const uint64 im = load<uint64>(row + i * 16 + 8);
    if (SortKey<float64>::is_nan(re) || SortKey<float64>::is_nan(im)) return ~uint64{0};
    return SortKey<float64>::encode(part_index == 0 ? re : im, 0);
  }
};

/// Sorts indices by 32 bits of the keys at a time, lowest first; the index breaks ties. `scratch`
/// has room for n indices unless n <= short_row.
template <class Keys>
void order_indices(const Keys& keys, uint64* indices, uint64* scratch, int64 n) {
  constexpr int index_bits = 32;
  constexpr int end_byte = (index_bits + static_cast<int>(minimum(32, Keys::part_bits))) / 8;
  constexpr uint64 index_mask = (uint64{1} << index_bits) - 1;
  uint64* joined = indices;
  for (int part_index = Keys::parts - 1; part_index >= 0; --part_index) {
    for (int shift = 0; shift < Keys::part_bits; shift += index_bits) {
      for (int64 i = 0; i < n; ++i) {
        const uint64 index = joined[i] & index_mask;
        const uint64 key = keys.key_part(static_cast<int64>(index), part_index);
        joined[i] = key >> shift << index_bits | index;
      }
      uint64* const alternate = joined == indices ? scratch : indices;
      joined = sort_by_bytes(joined, alternate, n, index_bits / 8, end_byte);
    }
  }
  for (int64 i = 0; i < n; ++i) indices[i] = joined[i] & index_mask;
}

/// The highest differing bits of a key, joined with an index below them.
struct JoinedBits {
  int unused;      ///< leading bits shared by all keys, in 8 bytes
  int index_bits;  ///< low bits that hold the index
  uint64 flip;     ///< the sign bit if the joined keys are sorted as signed integers

  [[nodiscard]] SKERRY_INLINE uint64 join(uint64 key, int64 index) const {
    return (key << unused >> index_bits << index_bits | static_cast<uint64>(index)) ^ flip;
  }
  [[nodiscard]] SKERRY_INLINE uint64 index(uint64 joined) const {
    return joined & ((uint64{1} << index_bits) - 1);
  }
  [[nodiscard]] bool has_ties(const uint64* joined, int64 n) const {
    int64 ties = 0;
    for (int64 i = 1; i < n; ++i) ties += (joined[i] ^ joined[i - 1]) >> index_bits == 0;
    return ties > 0;
  }
};

/// Sorts runs of keys that differ only in bits that the joined keys lack, and replaces joined keys
/// by indices.
template <class Keys>
void order_ties(const Keys& keys, uint64* joined, uint64* scratch, int64 n, JoinedBits bits) {
  for (int64 begin = 0; begin < n;) {
    const uint64 high_bits = joined[begin] >> bits.index_bits;
    int64 end = begin;
    for (; end < n && joined[end] >> bits.index_bits == high_bits; ++end) {
      joined[end] = bits.index(joined[end]);
    }
    if (end - begin > 1) order_indices(keys, joined + begin, scratch, end - begin);
    begin = end;
  }
}

/// Sorts n joined keys, which are distinct and in the order of their indices. Returns whichever of
/// the two arrays has the result. `alone`: use all threads if there are many keys.
[[gnu::noinline]] inline uint64* sort_joined(uint64* joined, uint64* scratch, int64 n,
                                             JoinedBits bits, [[maybe_unused]] bool alone) {
#if defined(SKERRY_PACKS_LANES)
  if (bits.flip != 0) {
    auto* const keys = reinterpret_cast<int64*>(joined);
    auto* const scratch_keys = reinterpret_cast<int64*>(scratch);
    const EncodedKeys<int64> source{keys};
    const LaneCode<int64> code{};
    alone ? sort_all_keys<int64>(source, keys, scratch_keys, n, code)
          : sort_keys<int64>(source, keys, scratch_keys, n, code);
    return joined;
  }
#endif
  const int low_bit = static_cast<int>(maximum(bits.unused, bits.index_bits));
  return sort_by_bytes(joined, scratch, n, low_bit / 8);
}

// Keys are passed by value, so that the compiler knows that no store changes them.

template <class Keys>
SKERRY_INLINE uint64 differing_bits(Keys keys, int64 n) {
  const uint64 first = keys.key_part(0, 0);
  uint64 differing = 0;
  for (int64 i = 0; i < n; ++i) differing |= keys.key_part(i, 0) ^ first;
  return differing;
}

template <class Keys>
SKERRY_INLINE void join_keys(Keys keys, uint64* joined, int64 n, JoinedBits bits) {
  for (int64 i = 0; i < n; ++i) joined[i] = bits.join(keys.key_part(i, 0), i);
}

/// Writes the argsort of a row's keys to `out`; `alone`: it may use all threads.
template <class Keys>
void argsort_keys(const Keys& keys, uint64* out, uint64* scratch, int64 n, bool alone) {
  const uint64 differing = differing_bits(keys, n);
  const int key_bits = bit_width(differing);
  JoinedBits bits{.unused = static_cast<int>(minimum(63, 64 - key_bits)),
                  .index_bits = bit_width(static_cast<uint64>(n - 1)),
                  .flip = 0};
#if defined(SKERRY_PACKS_LANES)
  if (key_bits >= tuning::min_quicksorted_bits || n <= network_keys<int64>)
    bits.flip = ops::sign_bit<uint64>;
#endif
  join_keys(keys, out, n, bits);
  const uint64* const sorted = sort_joined(out, scratch, n, bits, alone);
  const bool is_exact = Keys::parts == 1 && bits.index(differing << bits.unused) == 0;
  if (is_exact || !bits.has_ties(sorted, n)) {
    for (int64 i = 0; i < n; ++i) out[i] = bits.index(sorted[i]);
  } else {
    if (sorted != out) __builtin_memcpy(out, sorted, static_cast<unsigned long>(n) * sizeof *out);
    order_ties(keys, out, scratch, n, bits);
  }
}

/// Writes the argsort of a row to `out`; `scratch` has room for n indices unless n <= short_row.
template <class T>
void argsort_row(const char* row, int64* out, int64* scratch, int64 n, RowOrder order,
                 bool alone = false) {
  argsort_keys(RowKeys<T>(row, order), reinterpret_cast<uint64*>(out),
               reinterpret_cast<uint64*>(scratch), n, alone);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
