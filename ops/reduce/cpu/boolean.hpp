// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/extrema.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// any and all; a run is searched for the value that decides the result.
template <class Op, class T>
struct BooleanLoops : SimpleLoops<Op, T> {
  using base = SimpleLoops<Op, T>;
  using A = typename base::A;
  using base::size;
  static constexpr int64 block_rows = tuning::max_block_rows;
  static constexpr int64 max_run_length = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = ops::same_v<Op, ops::any> ? 1 : 0;

  /// Searches in lanes as wide as the elements.
  static SKERRY_INLINE A search(const char* x, int64 n) {
    using B = ops::bits_t<ops::real_part_t<T>>;
    constexpr A decisive = absorbing;
    constexpr int64 block = tuning::bool_block;
    for (int64 position = 0; position < n; position += block) {
      const int64 end = minimum(position + block, n);
      B hits = 0;
      for (int64 i = position; i < end; ++i) {
        hits = static_cast<B>(hits | static_cast<B>(base::item(x, i) == decisive));
      }
      if (hits != 0) return decisive;
    }
    return 1 - decisive;
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      store<A>(acc + j * size, search(block.x + j * block.row, block.n));
    }
  }
};

/// Counts in lanes as wide as the elements, in chunks that cannot overflow.
template <class Op, class T>
struct CountLoops : AccumulatorLoops<Op, T> {
  using base = AccumulatorLoops<Op, T>;
  using base::size;
  using B = ops::bits_t<ops::real_part_t<T>>;
  static constexpr int64 block_rows = sizeof(B) == 1 ? 255 : tuning::max_block_rows;
  static constexpr int64 max_run_length = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE bool is_true(const char* x, int64 i) {
    return ops::is_true(load<T>(x + i * int64(sizeof(T))));
  }
  /// Subtracts zeros instead of adding ones: a comparison's mask is -1, and x86 has no "not equal".
  static SKERRY_INLINE B less_zero(B count, const char* x, int64 i) {
    return static_cast<B>(count - (is_true(x, i) ? 0 : 1));
  }

  static SKERRY_INLINE void count_columns(B* count, const ElementRows& block) {
    for (int64 i = 0; i < block.n; ++i) count[i] = static_cast<B>(block.rows);
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      for (int64 i = 0; i < block.n; ++i) count[i] = less_zero(count[i], x, i);
    }
  }

  SKERRY_SHARED static void columns(char* acc, const ElementRows& block) noexcept {
    alignas(64) B count[max_block_columns];
    count_columns(count, block);
    base::deliver(acc, block, [&](int64 i) { return static_cast<int64>(count[i]); });
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    constexpr int64 chunk_size = sizeof(B) == 1 ? 192 : 16384;
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      int64 total = 0;
      for (int64 position = 0; position < block.n; position += chunk_size) {
        const int64 end = minimum(position + chunk_size, block.n);
        B count = static_cast<B>(end - position);
        for (int64 i = position; i < end; ++i) count = less_zero(count, x, i);
        total += static_cast<int64>(count);
      }
      store<int64>(acc + j * size, total);
    }
  }

  static constexpr auto direct = finish_columns<CountLoops>;

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept {
    finish_short_rows<Op>(out, n, reduced, [x](int64 i) {
      // Count in int64: for sums of bytes, GCC 12 generates a remainder loop that adds the
      // comparison masks, -1, instead of ones.
      int64 count = 0;
      SKERRY_UNROLL(4)
      for (int k = 0; k < Length; ++k) count += is_true(x, i * Length + k) ? 1 : 0;
      return count;
    });
  }
};

/// argmax and argmin of bools; a run is searched for the first element that decides the result.
template <class Op>
struct PlaceLoops : AccumulatorLoops<Op, uint8> {
  using base = AccumulatorLoops<Op, uint8>;
  using base::size;
  using A = typename base::A;
  static constexpr int64 block_rows = 256;  ///< indices fit in a byte
  static constexpr int64 max_run_length = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = ops::same_v<Op, ops::argmax> ? 1 : 0;

  static SKERRY_INLINE bool is_hit(const char* x) { return load<bool>(x) == (absorbing != 0); }

  SKERRY_SHARED static void columns(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    alignas(64) uint8 values[max_block_columns];
    alignas(64) uint8 indices[max_block_columns];
    find_columns(values, indices, block);
    base::deliver(acc, block, [&](int64 i) -> A {
      const int64 column = block.width < block.n ? i / block.width : 0;
      return {values[i], block.first + indices[i] * block.per_row + column};
    });
  }

  static void direct(char* out, int64 step, const ElementRows& block,
                     const ops::Reduced&) noexcept {
    alignas(64) uint8 values[max_block_columns];
    alignas(64) uint8 indices[max_block_columns];
    find_columns(values, indices, block);
    for (int64 i = 0; i < block.n; ++i) store<int64>(out + i * step, indices[i]);
  }

  template <int Length>
  static constexpr auto short_rows = direct_of_short_rows<PlaceLoops, uint8, Length>;

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      const int64 position = first_hit(block.x + j * block.row, block.n);
      const bool is_found = position < block.n;
      store<A>(acc + j * size, {value_of(is_found), block.first + (is_found ? position : 0)});
    }
  }

 private:
  static SKERRY_INLINE uint8 value_of(bool is_found) {
    return static_cast<uint8>(is_found ? absorbing : 1 - absorbing);
  }

  /// Runs from the last row to the first, so that the first hit remains.
  static SKERRY_INLINE void find_columns(uint8* __restrict value, uint8* __restrict indices,
                                         const ElementRows& block) {
    for (int64 i = 0; i < block.n; ++i) {
      value[i] = value_of(false);
      indices[i] = 0;
    }
    for (int64 j = block.rows - 1; j >= 0; --j) {
      const char* x = block.x + j * block.row;
      for (int64 i = 0; i < block.n; ++i) {
        const bool is_found = is_hit(x + i);
        value[i] = is_found ? value_of(true) : value[i];
        indices[i] = is_found ? static_cast<uint8>(j) : indices[i];
      }
    }
  }

  /// Returns the index of the first hit, or n if there is none.
  static SKERRY_INLINE int64 first_hit(const char* x, int64 n) {
    using V = typename VectorOf<uint8>::type;
    constexpr int64 together = int64{4} * vector_bytes;
    int64 position = 0;
    while (position < minimum(n, 16) && !is_hit(x + position)) ++position;
    if (position < 16) return position;
    const auto has_hit = [&](int64 begin) {
      V any = {};
      SKERRY_UNROLL(4)
      for (int64 k = 0; k < 4; ++k) {
        const V some = load_vector<V>(x + begin + k * vector_bytes);
        any |= absorbing != 0 ? some : V(some == V{});
      }
      return is_any(any);
    };
    if (n >= together) {
      while (position + together <= n && !has_hit(position)) position += together;
      if (position + together > n && !has_hit(n - together)) return n;  // overlaps
    }
    while (position < n && !is_hit(x + position)) ++position;
    return position;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
