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

/// max and min.
template <class Op, class T>
struct extremum_loops : accumulator_loops<Op, T> {
  using base = accumulator_loops<Op, T>;
  using base::size;
  using best = extremum<ops::same_v<Op, ops::max>, T>;
  static constexpr int64 longest_run = int64(1) << 62;
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
  static SKERRY_INLINE bool unordered([[maybe_unused]] T a, [[maybe_unused]] T b) {
    if constexpr (ops::real_floating<T>) return __builtin_isunordered(a, b);
    return false;
  }

  template <bool Fresh>
  static SKERRY_INLINE void four_rows(char* acc, const char* x0, int64 row, int64 n) {
    const char* x1 = x0 + row;
    const char* x2 = x1 + row;
    const char* x3 = x2 + row;
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      const T a = item(x0, i);
      const T b = item(x1, i);
      const T c = item(x2, i);
      const T d = item(x3, i);
      const T value = best::pick(best::pick(a, b), best::pick(c, d));
      const T four = with_nan(value, unordered(a, b) | unordered(c, d));
      store<T>(acc + i * size, Fresh ? four : Op::combine(load<T>(acc + i * size), four));
    }
  }

  static void columns(char* acc, const element_rows& block) noexcept {
    const int64 n = block.n;
    int64 j = 0;
    if (block.is_fresh && block.rows >= 4) {
      four_rows<true>(acc, block.x, block.row, n);
      j = 4;
    } else if (block.is_fresh) {
      for (int64 i = 0; i < n; ++i) store<T>(acc + i * size, item(block.x, i));
      j = 1;
    }
    for (; j + 4 <= block.rows; j += 4)
      four_rows<false>(acc, block.x + j * block.row, block.row, n);
    for (; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
#pragma GCC ivdep
      for (int64 i = 0; i < n; ++i) {
        store<T>(acc + i * size, Op::combine(load<T>(acc + i * size), item(x, i)));
      }
    }
  }

  static void rows(char* acc, const char* x, int64 row, int64 rows, int64 n, int64) noexcept {
    for (int64 j = 0; j < rows; ++j) {
      const best found = best::of(x + j * row, n);
      store<T>(acc + j * size, with_nan(found.value, found.has_nan));
    }
  }
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
  static constexpr int64 longest_run = int64(1) << 62;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * int64(sizeof(T))); }

  static void columns(char* acc, const element_rows& block) noexcept {
    const int64 n = block.n;
    alignas(64) T value[widest_block];
    alignas(64) B place[widest_block];
    for (int64 i = 0; i < n; ++i) {
      value[i] = item(block.x, i);
      place[i] = 0;
    }
    int64 j = 1;
    for (; j + 2 <= block.rows; j += 2) {
      const char* x0 = block.x + j * block.row;
      const char* x1 = x0 + block.row;
      const B place0 = static_cast<B>(j);
      const B place1 = static_cast<B>(j + 1);
      for (int64 i = 0; i < n; ++i) {
        T held = value[i];
        B at = place[i];
        choose(held, at, item(x0, i), place0);
        choose(held, at, item(x1, i), place1);
        value[i] = held;
        place[i] = at;
      }
    }
    if (j < block.rows) {
      const char* x0 = block.x + j * block.row;
      for (int64 i = 0; i < n; ++i) choose(value[i], place[i], item(x0, i), static_cast<B>(j));
    }
    if (block.width >= n) {  // all in one column of the matrix
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(place[i]) * block.per_row};
      });
    } else {
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(place[i]) * block.per_row + i / block.width};
      });
    }
  }

  static void rows(char* acc, const char* x, int64 row, int64 rows, int64 n, int64 first) noexcept {
    for (int64 j = 0; j < rows; ++j) {
      A found = n < 64 ? scan(x + j * row, n) : search(x + j * row, n);
      if (found.index >= 0) found.index += first;
      store<A>(acc + j * size, found);
    }
  }

 private:
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

  /// Index of the first element that is `value`, or NaN; `value` becomes it.
  template <bool Nan>
  static SKERRY_INLINE int64 first_of(const char* x, int64 from, int64 n, T& value) {
    const auto hits = [&](int64 i) { return Nan ? best::is_nan(item(x, i)) : item(x, i) == value; };
    constexpr int64 together = 64;
    for (; from + together <= n; from += together) {
      B any = 0;
      for (int64 i = 0; i < together; ++i)
        any = static_cast<B>(any | static_cast<B>(hits(from + i)));
      if (any != 0) break;
    }
    while (from + 1 < n && !hits(from)) ++from;
    value = item(x, from);
    return from;
  }
};

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
