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
template <int Most, class T>
struct TinyIndices {
  using joined = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64>;
  static constexpr int index_bits = 8;

  joined at[Most];

  SKERRY_INLINE TinyIndices(const EncodedRow<T>& row, int64 n) {
    repeat<Most>([&](auto i) __attribute__((always_inline)) {
      constexpr int index = decltype(i)::value;
      at[index] = index < n ? joined{row.key(index)} << index_bits | joined{index} : ~joined{0};
    });
    constexpr auto network = make_network<Most>();
    repeat<count_comparators<Most>()>([&](auto i) __attribute__((always_inline)) {
      constexpr Comparator which = network.at[decltype(i)::value];
      const joined low = at[which.low];
      const joined high = at[which.high];
      const bool turned = high < low;
      at[which.low] = turned ? high : low;
      at[which.high] = turned ? low : high;
    });
  }
};

template <class T, bool Indices, int Most>
SKERRY_INLINE void sort_tiny_row(const char* row, char* out, int64 n, RowOrder order) {
  const TinyIndices<Most, T> indices(EncodedRow<T>(row, order), n);
  repeat<Most>([&](auto i) __attribute__((always_inline)) {
    constexpr int64 at = decltype(i)::value;
    if (at >= n) return;
    const auto index = static_cast<int64>(indices.at[at] & 255);
    if constexpr (Indices) {
      store(out + at * 8, index);
    } else {
      store(out + at * int64(sizeof(T)), load<ops::bits_t<T>>(row + index * int64(sizeof(T))));
    }
  });
}

/// Sorts rows [begin, end) of n items each, at most tiny_row<T>; leaves indices, or items.
template <class T, bool Indices>
SKERRY_INLINE void sort_tiny_rows(const char* rows, char* out, int64 n, int64 begin, int64 end,
                                  RowOrder order) {
  const int64 from_step = n * int64(sizeof(T));
  const int64 to_step = Indices ? n * 8 : from_step;
  const auto each = [&]<int Most>(number<Most>) {
    for (int64 i = begin; i < end; ++i) {
      sort_tiny_row<T, Indices, Most>(rows + i * from_step, out + i * to_step, n, order);
    }
  };
  if (n <= 4) {
    each(number<4>{});
  } else {
    each(number<8>{});
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
