// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cpu/reduce.hpp"
#include "ops/kernels/cpu/vector.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

/// The greatest or least of a contiguous run, apart from NaNs, and whether there are any: to let a
/// NaN through in every step would take four instructions instead of two.
template <bool Greatest, class T>
struct extremum {
  T value;
  bool has_nan;

  /// NaN for x is dropped.
  template <class X>
  static SKERRY_INLINE X pick(const X& best, const X& x) {
    if constexpr (Greatest) {
      return x > best ? x : best;
    } else {
      return x < best ? x : best;
    }
  }
  template <class X>
  static SKERRY_INLINE auto is_better(const X& x, const X& best) {
    if constexpr (Greatest) {
      return x > best;
    } else {
      return x < best;
    }
  }
  static SKERRY_INLINE bool is_nan([[maybe_unused]] T x) {
    if constexpr (ops::real_floating<T>) return x != x;
    return false;
  }
  static constexpr T worst() { return Greatest ? ops::lowest<T>() : ops::highest<T>(); }

  static SKERRY_INLINE extremum of(const char* x, int64 n) {
    constexpr int64 size = sizeof(T);
    using V = vector_of<T>;
    constexpr int64 step = 4 * V::lanes;
    extremum best = {worst(), false};
    if (n < step) {
      for (int64 i = 0; i < n; ++i) best.add(load<T>(x + i * size));
      return best;
    }
    typename V::type value[4];
    typename V::bits nan[2] = {};
    for (auto& v : value) v = worst() - typename V::type{};
    const auto add_four = [&](int64 at) __attribute__((always_inline)) {
      typename V::type now[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        load_vector(now[k], x + (at + k * V::lanes) * size);
        value[k] = pick(value[k], now[k]);
        if constexpr (ops::real_floating<T>) nan[k & 1] |= (typename V::bits)(now[k] != now[k]);
      }
    };
    for (int64 i = 0; i + step <= n; i += step) add_four(i);
    if (n % step != 0) add_four(n - step);  // some elements twice, which changes nothing
    value[0] = pick(pick(value[0], value[1]), pick(value[2], value[3]));
    nan[0] |= nan[1];
    ops::bits_t<T> any_nan = 0;
    for (int k = 0; k < V::lanes; ++k) {
      best.value = pick(best.value, T(value[0][k]));
      any_nan |= nan[0][k];
    }
    best.has_nan = any_nan != 0;
    return best;
  }

 private:
  SKERRY_INLINE void add(T x) {
    value = pick(value, x);
    has_nan = has_nan | is_nan(x);
  }
};

/// n contiguous rows of `Length` elements, taken apart into columns; n is at most widest_block.
template <class Loops, class T, int Length>
void direct_of_short_rows(char* out, const char* x, int64 n, const ops::reduced& of) noexcept {
  alignas(64) T parts[Length][widest_block];
  for (int64 i = 0; i < n; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < Length; ++k) {
      parts[k][i] = load<T>(x + (i * Length + k) * int64(sizeof(T)));
    }
  }
  const element_rows block = {.x = reinterpret_cast<const char*>(parts),
                              .row = sizeof parts[0],
                              .rows = Length,
                              .n = n,
                              .is_fresh = true,
                              .first = 0};
  Loops::direct(out, Loops::result_size, block, of);
}

/// max and min.
template <class Op, class T>
struct extremum_loops : accumulator_loops<Op, T> {
  using base = accumulator_loops<Op, T>;
  using base::size;
  using best = extremum<ops::same_v<Op, ops::max>, T>;
  static constexpr int64 block_rows = 4096;
  static constexpr int64 longest_run = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * size); }
  static SKERRY_INLINE T nan() {
    return static_cast<T>(ops::highest<float32>() - ops::highest<float32>());
  }
  static SKERRY_INLINE T with_nan(T value, [[maybe_unused]] bool has_nan) {
    if constexpr (ops::real_floating<T>) return has_nan ? nan() : value;
    return value;
  }
  /// The vectors' own loop: the compiler's takes four times as long.
  template <bool Fresh>
  static SKERRY_INLINE void four_rows(char* acc, const char* x, int64 row, int64 n) {
    using V = vector_of<T>;
    int64 i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
      typename V::type now[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) load_vector(now[k], x + k * row + i * size);
      typename V::type value = best::pick(best::pick(now[0], now[1]), best::pick(now[2], now[3]));
      if constexpr (ops::real_floating<T>) {  // pick drops NaNs; a sum would keep them
        const auto nan =
            (now[0] != now[0]) | (now[1] != now[1]) | (now[2] != now[2]) | (now[3] != now[3]);
        value = nan ? with_nan(T(0), true) - typename V::type{} : value;
      }
      if constexpr (!Fresh) {
        typename V::type held;
        load_vector(held, acc + i * size);
        value = best::pick(value, held);
        if constexpr (ops::real_floating<T>) value = held != held ? held : value;
      }
      __builtin_memcpy(acc + i * size, &value, sizeof value);
    }
    for (; i < n; ++i) {
      T value = Fresh ? item(x, i) : Op::combine(load<T>(acc + i * size), item(x, i));
      for (int k = 1; k < 4; ++k) value = Op::combine(value, item(x + k * row, i));
      store<T>(acc + i * size, value);
    }
  }

  static void columns(char* acc, const element_rows& block) noexcept {
    base::template columns_by_four<extremum_loops>(acc, block);
  }

  static void rows(char* acc, const char* x, int64 row, int64 rows, int64 n, int64) noexcept {
    for (int64 j = 0; j < rows; ++j) {
      const best found = best::of(x + j * row, n);
      store<T>(acc + j * size, with_nan(found.value, found.has_nan));
    }
  }

  static constexpr auto direct = finish_columns<extremum_loops>;

  template <int Length>
  static constexpr auto short_rows = direct_of_short_rows<extremum_loops, T, Length>;
};

/// argmax and argmin. A run is searched for the block with the best value first, a block of rows
/// with indices as narrow as the elements: 128 rows fit a byte.
template <class Op, class T>
struct index_loops : accumulator_loops<Op, T> {
  using base = accumulator_loops<Op, T>;
  using base::size;
  using A = typename base::A;
  using B = ops::bits_t<T>;
  using best = extremum<ops::same_v<Op, ops::argmax>, T>;
  static constexpr int64 block_rows = sizeof(T) == 1 ? 256 : 4096;
  static constexpr int64 longest_run = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * int64(sizeof(T))); }

  static SKERRY_INLINE void find_columns(T* value, B* place, const element_rows& block) {
    if (find_numbers(value, place, block)) return;
    find_row_by_row(value, place, block);
  }

  static void columns(char* acc, const element_rows& block) noexcept {
    alignas(64) T value[widest_block];
    alignas(64) B place[widest_block];
    find_columns(value, place, block);
    if (block.width >= block.n) {  // all in one column of the matrix
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(place[i]) * block.per_row};
      });
    } else {
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(place[i]) * block.per_row + i / block.width};
      });
    }
  }

  static void direct(char* out, int64 step, const element_rows& block,
                     const ops::reduced&) noexcept {
    alignas(64) T value[widest_block];
    alignas(64) B place[widest_block];
    find_columns(value, place, block);
    if (base::is_dense(step)) {
#pragma GCC ivdep
      for (int64 i = 0; i < block.n; ++i) store<int64>(out + i * 8, int64(place[i]));
    } else {
      for (int64 i = 0; i < block.n; ++i) store<int64>(out + i * step, int64(place[i]));
    }
  }

  template <int Length>
  static constexpr auto short_rows = direct_of_short_rows<index_loops, T, Length>;

  static void rows(char* acc, const char* x, int64 row, int64 rows, int64 n, int64 first) noexcept {
    for (int64 j = 0; j < rows; ++j) {
      A found = n < 64 ? scan(x + j * row, n) : search(x + j * row, n);
      if (found.index >= 0) found.index += first;
      store<A>(acc + j * size, found);
    }
  }

 private:
  using V = vector_of<T>;

  /// Of `Rows` rows, from number j on; `nan` gathers what is not equal to itself.
  template <int Rows, bool First = false>
  static SKERRY_INLINE void find_in(T* value, B* place, const char* x, int64 row, int64 n, int64 j,
                                    typename V::bits& nan) {
    int64 i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
      typename V::type held;
      typename V::bits at;
      if constexpr (First) {
        load_vector(held, x + i * int64(sizeof(T)));
        at = typename V::bits{};
        if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(held != held);
      } else {
        __builtin_memcpy(&held, value + i, sizeof held);
        __builtin_memcpy(&at, place + i, sizeof at);
      }
#pragma GCC unroll 4
      for (int k = First ? 1 : 0; k < Rows; ++k) {
        typename V::type now;
        load_vector(now, x + k * row + i * int64(sizeof(T)));
        at = best::is_better(now, held) ? static_cast<B>(j + k) - typename V::bits{} : at;
        held = best::pick(held, now);
        if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(now != now);
      }
      __builtin_memcpy(value + i, &held, sizeof held);
      __builtin_memcpy(place + i, &at, sizeof at);
    }
    for (; i < n; ++i) {
      if constexpr (First) {
        value[i] = item(x, i);
        place[i] = 0;
        nan[0] |= static_cast<B>(best::is_nan(value[i]));
      }
      for (int k = First ? 1 : 0; k < Rows; ++k) {
        const T now = item(x + k * row, i);
        place[i] = best::is_better(now, value[i]) ? static_cast<B>(j + k) : place[i];
        value[i] = best::pick(value[i], now);
        nan[0] |= static_cast<B>(best::is_nan(now));
      }
    }
  }

  /// False if there is a NaN.
  static SKERRY_INLINE bool find_numbers(T* value, B* place, const element_rows& block) {
    typename V::bits nan = {};
    int64 j = block.rows < 4 ? 1 : 4;
    if (j == 4) {
      find_in<4, true>(value, place, block.x, block.row, block.n, 0, nan);
    } else {
      find_in<1, true>(value, place, block.x, block.row, block.n, 0, nan);
    }
    for (; j + 4 <= block.rows; j += 4) {
      find_in<4>(value, place, block.x + j * block.row, block.row, block.n, j, nan);
    }
    for (; j < block.rows; ++j) {
      find_in<1>(value, place, block.x + j * block.row, block.row, block.n, j, nan);
    }
    B any = 0;
    for (int k = 0; k < V::lanes; ++k) any = static_cast<B>(any | nan[k]);
    return any == 0;
  }

  static SKERRY_INLINE void find_row_by_row(T* value, B* place, const element_rows& block) {
    for (int64 i = 0; i < block.n; ++i) {
      value[i] = item(block.x, i);
      place[i] = 0;
    }
    for (int64 j = 1; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      for (int64 i = 0; i < block.n; ++i) choose(value[i], place[i], item(x, i), static_cast<B>(j));
    }
  }

  static SKERRY_INLINE void choose(T& held, B& at, T x, B place) {
    const bool wins = Op::wins(x, held);
    held = wins ? x : held;
    at = wins ? place : at;
  }

  static SKERRY_INLINE A scan(const char* x, int64 n) {
    A held = {n > 0 ? item(x, 0) : T(0), n > 0 ? 0 : -1};
    for (int64 i = 1; i < n; ++i) {
      if (Op::wins(item(x, i), held.value)) held = {item(x, i), i};
    }
    return held;
  }

  static A search(const char* x, int64 n) {
    constexpr int64 block = 8192 / int64(sizeof(T));
    T value = item(x, 0);
    int64 start = 0;
    for (int64 at = 0; at < n; at += block) {
      const int64 length = least(block, n - at);
      const best found = best::of(x + at * int64(sizeof(T)), length);
      if (found.has_nan) return {value, first_of<true>(x, at, n, value)};
      if (Op::wins(found.value, value)) {
        value = found.value;
        start = at;
      }
    }
    return {value, first_of<false>(x, start, n, value)};
  }

  static SKERRY_INLINE bool is_any(const typename V::bits& mask) {
    uint64 words[vector_bytes / 8];
    __builtin_memcpy(words, &mask, sizeof words);
    uint64 all = 0;
    for (const uint64 word : words) all |= word;
    return all != 0;
  }

  /// Index of the first element that is `value`, or NaN; `value` becomes it.
  template <bool Nan>
  static SKERRY_INLINE int64 first_of(const char* x, int64 from, int64 n, T& value) {
    const auto hits = [&](int64 i) { return Nan ? best::is_nan(item(x, i)) : item(x, i) == value; };
    constexpr int64 together = 8 * V::lanes;
    for (; from + together <= n; from += together) {
      typename V::bits any = {};
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        typename V::type now;
        load_vector(now, x + (from + k * V::lanes) * int64(sizeof(T)));
        any |= Nan ? (typename V::bits)(now != now) : (typename V::bits)(now == value);
      }
      if (is_any(any)) break;
    }
    while (from + 1 < n && !hits(from)) ++from;
    value = item(x, from);
    return from;
  }
};

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
