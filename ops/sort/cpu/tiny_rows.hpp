// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/sort_network.hpp"

// Rows of a few items: their keys, each above its index, by a network in registers, without a
// branch that depends on them. No two are equal, so that it is stable.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Rows up to this length are sorted as here. One of 8 items of 8 bytes takes 22 ns so, and 16 in
/// the lanes of one vector (EPYC of Zen 5, x86-64-v4).
template <class T>
inline constexpr int64 tiny_row = sizeof(T) == 8 ? 7 : 8;

/// The indices of a row of n items, at most Most, in their order.
template <int MaxSize, class T>
struct TinyIndices {
  using joined = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64>;
  static constexpr int index_bits = 8;

  joined codes[MaxSize];

  SKERRY_INLINE TinyIndices(const EncodedRow<T>& row, int64 n) {
    unroll<MaxSize>([&](auto i) __attribute__((always_inline)) {
      constexpr int index = decltype(i)::value;
      codes[index] = index < n ? joined{row.key(index)} << index_bits | joined{index} : ~joined{0};
    });
    constexpr auto network = make_network<MaxSize>();
    unroll<count_comparators<MaxSize>()>([&](auto i) __attribute__((always_inline)) {
      constexpr Comparator comparator = network.comparators[decltype(i)::value];
      const joined low = codes[comparator.low];
      const joined high = codes[comparator.high];
      const bool needs_swap = high < low;
      codes[comparator.low] = needs_swap ? high : low;
      codes[comparator.high] = needs_swap ? low : high;
    });
  }
};

template <class T, bool Indices, int MaxSize>
SKERRY_INLINE void sort_tiny_row(const char* row, char* out, int64 n, RowOrder order) {
  const TinyIndices<MaxSize, T> indices(EncodedRow<T>(row, order), n);
  unroll<MaxSize>([&](auto i) __attribute__((always_inline)) {
    constexpr int64 position = decltype(i)::value;
    if (position >= n) return;
    const auto index = static_cast<int64>(indices.codes[position] & 255);
    if constexpr (Indices) {
      store(out + position * 8, index);
    } else {
      store(out + position * int64(sizeof(T)),
            load<ops::bits_t<T>>(row + index * int64(sizeof(T))));
    }
  });
}

/// Sorts rows [begin, end) of n items each, at most tiny_row<T>; leaves indices, or items.
template <class T, bool Indices>
SKERRY_INLINE void sort_tiny_rows(const char* rows, char* out, int64 n, int64 begin, int64 end,
                                  RowOrder order) {
  const int64 from_step = n * int64(sizeof(T));
  const int64 to_step = Indices ? n * 8 : from_step;
  const auto sort_all_rows = [&]<int MaxSize>(number<MaxSize>) {
    for (int64 i = begin; i < end; ++i) {
      sort_tiny_row<T, Indices, MaxSize>(rows + i * from_step, out + i * to_step, n, order);
    }
  };
  if (n <= 4) {
    sort_all_rows(number<4>{});
  } else {
    sort_all_rows(number<8>{});
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
