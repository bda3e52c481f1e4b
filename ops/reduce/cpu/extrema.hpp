// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/reduce/cpu/loops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// The maximum or minimum of the numbers of a run, and whether the run has a NaN (or, if NaNs are
/// ignored, a number). Propagating a NaN in every step would take four instructions instead of two.
template <bool IsMax, class T, bool IgnoresNan = false>
struct Extremum {
  T value;
  bool is_marked;  ///< a NaN was seen (IgnoresNan: a number)

  /// Ignores x if it is NaN.
  template <class X>
  static SKERRY_INLINE X pick(const X& best, const X& x) {
    if constexpr (IsMax) {
      return x > best ? x : best;
    } else {
      return x < best ? x : best;
    }
  }
  template <class X>
  static SKERRY_INLINE auto is_better(const X& x, const X& best) {
    if constexpr (IsMax) {
      return x > best;
    } else {
      return x < best;
    }
  }
  /// Keeps the better value and its index. For 64-bit integers, one mask selects both: with pick(),
  /// GCC 12 would compare twice.
  template <class X, class Index>
  static SKERRY_INLINE void keep_better(X& best, Index& index, const X& x, const Index& here) {
    const auto better = is_better(x, best);
    index = better ? here : index;
    if constexpr (ops::integral<T> && sizeof(T) == 8) {
      best = better ? x : best;
    } else {
      best = pick(best, x);
    }
  }
  template <class X>
  static SKERRY_INLINE auto is_no_better(const X& x, const X& best) {
    if constexpr (IsMax) {
      return x <= best;
    } else {
      return x >= best;
    }
  }
  static SKERRY_INLINE bool is_nan([[maybe_unused]] T x) {
    if constexpr (ops::real_floating<T>) return x != x;
    return false;
  }
  template <class X>
  static SKERRY_INLINE auto marks(const X& x) {
    if constexpr (IgnoresNan) {
      return x == x;
    } else {
      return x != x;
    }
  }
  [[nodiscard]] SKERRY_INLINE bool gives_nan() const { return is_marked != IgnoresNan; }
  static constexpr T worst() { return IsMax ? ops::lowest<T>() : ops::highest<T>(); }

  static SKERRY_INLINE Extremum find_extremum(const char* x, int64 n, int64 step = sizeof(T)) {
    constexpr int64 size = sizeof(T);
    using V = VectorOf<T>;
    constexpr int64 together = 4 * V::lanes;
    Extremum best = {worst(), false};
    if (n < together) {
      for (int64 i = 0; i < n; ++i) best.add(load<T>(x + i * step));
      return best;
    }
    typename V::type value[4];
    typename V::bits marked[2] = {};
    for (auto& v : value) v = worst() - typename V::type{};
    const auto add_four = [&](int64 position) __attribute__((always_inline)) {
      typename V::type now[4];
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) {
        const char* const source = x + (position + k * V::lanes) * step;
        now[k] =
            step == size ? load_vector<typename V::type>(source) : gather_lanes<T>(source, step);
        value[k] = pick(value[k], now[k]);
        if constexpr (ops::real_floating<T>) marked[k & 1] |= (typename V::bits)marks(now[k]);
      }
    };
    for (int64 i = 0; i + together <= n; i += together) add_four(i);
    if (n % together != 0) add_four(n - together);  // overlaps the last full step: harmless
    value[0] = pick(pick(value[0], value[1]), pick(value[2], value[3]));
    const auto choose = [](const auto& a, const auto& b) { return pick(a, b); };
    best.value = across_lanes(value[0], choose)[0];
    if constexpr (ops::real_floating<T>) best.is_marked = is_any(marked[0] | marked[1]);
    return best;
  }

 private:
  SKERRY_INLINE void add(T x) {
    value = pick(value, x);
    if constexpr (ops::real_floating<T>) is_marked = is_marked | marks(x);
  }
};

/// Splits n contiguous rows of `Length` elements into columns; n is at most max_block_columns.
template <class T, int Length>
SKERRY_INLINE void deinterleave_rows(T (&parts)[Length][max_block_columns], const char* x,
                                     int64 n) {
  for (int64 i = 0; i < n; ++i) {
    SKERRY_UNROLL(4)
    for (int k = 0; k < Length; ++k) {
      parts[k][i] = load<T>(x + (i * Length + k) * int64(sizeof(T)));
    }
  }
}

template <class Loops, class T, int Length>
void direct_of_short_rows(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept {
  alignas(64) T parts[Length][max_block_columns];
  deinterleave_rows(parts, x, n);
  const ElementRows block = {.x = reinterpret_cast<const char*>(parts),
                             .row = sizeof parts[0],
                             .step = sizeof(T),
                             .rows = Length,
                             .n = n,
                             .overwrites = true,
                             .first = 0};
  Loops::direct(out, Loops::result_size, block, reduced);
}

/// max and min, nanmax and nanmin.
template <class Op, class T>
struct ExtremumLoops : AccumulatorLoops<Op, T> {
  using base = AccumulatorLoops<Op, T>;
  using base::size;
  static constexpr bool ignores_nan = ops::one_of_v<Op, ops::nanmax, ops::nanmin>;
  using best = Extremum<ops::one_of_v<Op, ops::max, ops::nanmax>, T, ignores_nan>;
  static constexpr int64 block_rows = tuning::max_block_rows;
  static constexpr int64 max_run_length = endless;
  static constexpr bool splits_runs = true;
  static constexpr bool takes_strided_rows = sizeof(T) == 8;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * size); }
  static SKERRY_INLINE T nan() { return static_cast<T>(ops::math::nan<float32>()); }
  static SKERRY_INLINE T value_of(const best& extremum) {
    if constexpr (ops::real_floating<T>) return extremum.gives_nan() ? nan() : extremum.value;
    return extremum.value;
  }
  /// Returns the better of the accumulator, which may be NaN, and x, which is ignored if it is NaN.
  template <class X>
  static SKERRY_INLINE X pick_number(const X& best_value, const X& x) {
    const X value = best::pick(best_value, x);
    return best_value != best_value ? x : value;
  }
  /// Like Op::combine: of two zeros with different signs, keeps the accumulator's.
  template <class X>
  static SKERRY_INLINE X first_best(const X& best_value, const X& x) {
    const X value = best::pick(best_value, x);
    if constexpr (ops::real_floating<T>) return x != x ? x : value;
    return value;
  }
  /// Replaces NaN results, where all elements are NaN, by the canonical NaN.
  static SKERRY_INLINE auto with_one_nan(const typename VectorOf<T>::type& value) {
    if constexpr (ignores_nan) {
      return value != value ? all_lanes<T>(nan()) : value;
    } else {
      return value;
    }
  }
  template <int Count>
  static SKERRY_INLINE auto of_columns(const typename VectorOf<T>::type (&now)[Count]) {
    using V = VectorOf<T>;
    typename V::type value = now[0];
    if constexpr (ignores_nan) {
      SKERRY_UNROLL(4)
      for (int k = 1; k < Count; ++k) value = pick_number(value, now[k]);
      return value;
    }
    SKERRY_UNROLL(4)
    for (int k = 1; k < Count; ++k) value = best::pick(value, now[k]);
    if constexpr (ops::real_floating<T>) {  // pick() ignores NaNs
      auto nan = now[0] != now[0];
      SKERRY_UNROLL(4)
      for (int k = 1; k < Count; ++k) nan |= now[k] != now[k];
      value = nan ? all_lanes<T>(ExtremumLoops::nan()) : value;
    }
    return value;
  }
  /// Uses explicit vectors: the compiler's loop takes four times as long.
  template <bool Overwrites>
  static SKERRY_INLINE void four_rows(char* acc, const char* x, int64 row, int64 n, bool goes_on) {
    using V = VectorOf<T>;
    const int64 next = goes_on ? 4 * row : 0;
    int64 i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
      typename V::type now[4];
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) now[k] = load_vector<typename V::type>(x + k * row + i * size);
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) __builtin_prefetch(x + k * row + next + i * size);
      typename V::type value = of_columns(now);
      if constexpr (!Overwrites) {
        const auto accumulators = load_vector<typename V::type>(acc + i * size);
        if constexpr (ignores_nan) {
          value = pick_number(accumulators, value);
        } else {
          value = first_best(accumulators, value);
        }
      }
      store_vector(acc + i * size, value);
    }
    for (; i < n; ++i) {
      T value = Overwrites ? item(x, i) : Op::combine(load<T>(acc + i * size), item(x, i));
      for (int k = 1; k < 4; ++k) value = Op::combine(value, item(x + k * row, i));
      store<T>(acc + i * size, value);
    }
  }

  SKERRY_SHARED static void columns(char* acc, const ElementRows& block) noexcept {
    base::template columns_by_four<ExtremumLoops>(acc, block);
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      const bool is_strided = takes_strided_rows && base::is_strided(block);
      const best extremum = is_strided ? best::find_extremum(x, block.n, block.step)
                                       : best::find_extremum(x, block.n);
      store<T>(acc + j * size, value_of(extremum));
    }
  }

  static constexpr auto direct = finish_columns<ExtremumLoops>;

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::Reduced&) noexcept {
    using V = VectorOf<T>;
    int64 i = 0;
    if constexpr (Length == 3) {
      alignas(64) T parts[Length][max_block_columns];
      deinterleave_rows(parts, x, n);
      for (; i + V::lanes <= n; i += V::lanes) {
        typename V::type columns[Length];
        SKERRY_UNROLL(4)
        for (int k = 0; k < Length; ++k) columns[k] = load_lanes(parts[k] + i);
        store_vector(out + i * size, with_one_nan(of_columns(columns)));
      }
    } else {
      for (; i + V::lanes <= n; i += V::lanes) {
        typename V::type columns[Length];
        load_columns(columns, x + i * Length * size);
        store_vector(out + i * size, with_one_nan(of_columns(columns)));
      }
    }
    rows(out + i * size, {.x = x + i * Length * size,
                          .row = Length * size,
                          .step = size,
                          .rows = n - i,
                          .n = Length,
                          .overwrites = true,
                          .first = 0});
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
