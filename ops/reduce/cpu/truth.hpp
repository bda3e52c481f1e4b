// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/cpu/loops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// any and all, whose runs are searched for the one value that decides.
template <class Op, class T>
struct truth_loops : plain_loops<Op, T> {
  using base = plain_loops<Op, T>;
  using A = typename base::A;
  using base::size;
  static constexpr int64 block_rows = 4096;
  static constexpr int64 longest_run = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = ops::same_v<Op, ops::any> ? 1 : 0;

  /// In lanes as wide as the elements.
  static SKERRY_INLINE A search(const char* x, int64 n) {
    using B = ops::bits_t<ops::real_part_t<T>>;
    constexpr A decisive = absorbing;
    constexpr int64 block = 2048;
    for (int64 at = 0; at < n; at += block) {
      const int64 end = least(at + block, n);
      B found = 0;
      for (int64 i = at; i < end; ++i) {
        found = static_cast<B>(found | static_cast<B>(base::item(x, i) == decisive));
      }
      if (found != 0) return decisive;
    }
    return 1 - decisive;
  }

  SKERRY_SHARED static void rows(char* acc, const element_rows& of) noexcept {
    const element_rows block = of;  // not changed by what is stored
    for (int64 j = 0; j < block.rows; ++j) {
      store<A>(acc + j * size, search(block.x + j * block.row, block.n));
    }
  }
};

/// Counts in lanes as wide as the elements, while they can't overflow.
template <class Op, class T>
struct count_loops : accumulator_loops<Op, T> {
  using base = accumulator_loops<Op, T>;
  using base::size;
  using B = ops::bits_t<ops::real_part_t<T>>;
  static constexpr int64 block_rows = sizeof(B) == 1 ? 255 : 4096;
  static constexpr int64 longest_run = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE bool is_true(const char* x, int64 i) {
    return ops::is_true(load<T>(x + i * int64(sizeof(T))));
  }
  /// Zeros are taken off: the mask of a comparison is -1, and x86 has none for what differs.
  static SKERRY_INLINE B less_zero(B count, const char* x, int64 i) {
    return static_cast<B>(count - (is_true(x, i) ? 0 : 1));
  }

  static SKERRY_INLINE void count_columns(B* count, const element_rows& block) {
    for (int64 i = 0; i < block.n; ++i) count[i] = static_cast<B>(block.rows);
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      for (int64 i = 0; i < block.n; ++i) count[i] = less_zero(count[i], x, i);
    }
  }

  SKERRY_SHARED static void columns(char* acc, const element_rows& block) noexcept {
    alignas(64) B count[widest_block];
    count_columns(count, block);
    base::deliver(acc, block, [&](int64 i) { return static_cast<int64>(count[i]); });
  }

  SKERRY_SHARED static void rows(char* acc, const element_rows& of) noexcept {
    const element_rows block = of;  // not changed by what is stored
    constexpr int64 piece = sizeof(B) == 1 ? 192 : 16384;
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      int64 total = 0;
      for (int64 at = 0; at < block.n; at += piece) {
        const int64 end = least(at + piece, block.n);
        B count = static_cast<B>(end - at);
        for (int64 i = at; i < end; ++i) count = less_zero(count, x, i);
        total += static_cast<int64>(count);
      }
      store<int64>(acc + j * size, total);
    }
  }

  static constexpr auto direct = finish_columns<count_loops>;

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::reduced& of) noexcept {
    finish_short_rows<Op>(out, n, of, [x](int64 i) {
      // In int64: of sums of bytes GCC 12 makes a remainder loop that adds the masks of the
      // comparisons, -1, instead of ones.
      int64 count = 0;
#pragma GCC unroll 4
      for (int k = 0; k < Length; ++k) count += is_true(x, i * Length + k) ? 1 : 0;
      return count;
    });
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
