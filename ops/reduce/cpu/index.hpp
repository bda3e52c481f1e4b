// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/extrema.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// argmax and argmin. A run is first searched for the block with the best value. In a block of
/// rows, indices are as narrow as the elements: 256 rows fit in a byte.
template <class Op, class T>
struct IndexLoops : AccumulatorLoops<Op, T> {
  using base = AccumulatorLoops<Op, T>;
  using base::size;
  using A = typename base::A;
  using B = ops::bits_t<T>;
  using best = Extremum<ops::same_v<Op, ops::argmax>, T>;
  static constexpr int64 block_rows = sizeof(T) == 1 ? 256 : tuning::max_block_rows;
  static constexpr int64 max_run_length = endless;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * int64(sizeof(T))); }
  static SKERRY_INLINE typename VectorOf<T>::type vector(const char* source) {
    // Load once: otherwise GCC 12 loads twice, to compare and to select. int64 (1000, 1000) over
    // axis 0, one thread, AVX2: 101 us instead of 142.
    return in_register(load_vector<typename VectorOf<T>::type>(source));
  }

  SKERRY_SHARED static void find_columns(T* __restrict value, B* __restrict indices,
                                         const ElementRows& input_block) {
    const ElementRows block = input_block;  // local copy: stores cannot alias it
    if (find_numbers(value, indices, block)) return;
    find_row_by_row(value, indices, block);
  }

  static void columns(char* acc, const ElementRows& block) noexcept {
    alignas(64) T value[max_block_columns];
    alignas(64) B indices[max_block_columns];
    find_columns(value, indices, block);
    if (block.width >= block.n) {  // each row has the same index in all columns
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(indices[i]) * block.per_row};
      });
    } else {
      base::deliver(acc, block, [&](int64 i) -> A {
        return {value[i], block.first + int64(indices[i]) * block.per_row + i / block.width};
      });
    }
  }

  static void direct(char* out, int64 step, const ElementRows& block,
                     const ops::Reduced&) noexcept {
    if (base::is_dense(step) && block.rows <= few) return direct_of_few(out, block);
    alignas(64) T value[max_block_columns];
    alignas(64) B indices[max_block_columns];
    find_columns(value, indices, block);
    if (base::is_dense(step)) {
      SKERRY_IVDEP
      for (int64 i = 0; i < block.n; ++i) store<int64>(out + i * 8, int64(indices[i]));
    } else {
      for (int64 i = 0; i < block.n; ++i) store<int64>(out + i * step, int64(indices[i]));
    }
  }

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n,
                         [[maybe_unused]] const ops::Reduced& reduced) noexcept {
    if constexpr (Length == 3) {
      direct_of_short_rows<IndexLoops, T, Length>(out, x, n, reduced);
    } else {
      int64 i = 0;
      for (; i + V::lanes <= n; i += V::lanes) {
        typename V::type columns[Length];
        load_columns(columns, x + i * Length * int64(sizeof(T)));
        Leaders leaders = {columns[0], {}};
        SKERRY_UNROLL(4)
        for (int k = 1; k < Length; ++k) leaders.meet(columns[k], static_cast<B>(k));
        leaders.put(out + i * 8);
      }
      for (; i < n; ++i) {
        const char* row = x + i * Length * int64(sizeof(T));
        store<int64>(out + i * 8, scan(row, Length).index);
      }
    }
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      A winner = block.n < 64 ? scan(x, block.n) : search(x, block.n);
      winner.index += block.first;
      store<A>(acc + j * size, winner);
    }
  }

 private:
  using V = VectorOf<T>;
  static constexpr int64 few = 16;
  /// Number of independent chains in lead(), as a compare and a select take 5 cycles. With two
  /// chains, rows of 1000 int64, (1000, 1000), take 124 us on one thread of an EPYC (Zen 4).
  static constexpr int chains = 4;

  /// The best values of some columns so far, in registers.
  struct Leaders {
    typename V::type value;
    typename V::bits indices;

    /// Like Op::wins: a better value or the first NaN takes the lead.
    SKERRY_INLINE void meet(const typename V::type& now, B number) {
      const typename V::bits here = number - typename V::bits{};
      if constexpr (ops::real_floating<T>) {
        const auto stays = best::is_no_better(now, value) | (value != value);
        indices = stays ? indices : here;
        value = stays ? value : now;
      } else {
        best::keep_better(value, indices, now, here);
      }
    }
    SKERRY_INLINE void put(char* out) const {
      B lane_indices[V::lanes];
      __builtin_memcpy(lane_indices, &indices, sizeof indices);
      for (int64 k = 0; k < V::lanes; ++k) store<int64>(out + k * 8, int64(lane_indices[k]));
    }
  };

  /// Reduces few rows in one pass: initializing the arrays of find_columns would cost more than
  /// reducing the elements.
  static SKERRY_INLINE void direct_of_few(char* out, const ElementRows& block) {
    int64 i = 0;
    for (; i + V::lanes <= block.n; i += V::lanes) {
      const char* x = block.x + i * int64(sizeof(T));
      Leaders leaders = {vector(x), {}};
      for (int64 j = 1; j < block.rows; ++j) {
        leaders.meet(vector(x + j * block.row), static_cast<B>(j));
      }
      leaders.put(out + i * 8);
    }
    for (; i < block.n; ++i) {
      T best_value = item(block.x, i);
      B best_index = 0;
      for (int64 j = 1; j < block.rows; ++j) {
        choose(best_value, best_index, item(block.x + j * block.row, i), static_cast<B>(j));
      }
      store<int64>(out + i * 8, int64(best_index));
    }
  }

  /// Reduces `Rows` rows from row j on; `nan` accumulates the lanes that are NaN.
  template <int Rows, bool First = false>
  static SKERRY_INLINE void find_in(T* __restrict value, B* __restrict indices,
                                    const ElementRows& block, int64 j, typename V::bits& nan) {
    const int64 row = block.row;
    const int64 n = block.n;
    const char* x = block.x + j * row;
    const int64 next = j + Rows + Rows <= block.rows ? Rows * row : 0;
    int64 i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
      typename V::type best_values;
      typename V::bits best_indices;
      if constexpr (First) {
        best_values = vector(x + i * int64(sizeof(T)));
        best_indices = typename V::bits{};
        if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(best_values != best_values);
      } else {
        __builtin_memcpy(&best_values, value + i, sizeof best_values);
        __builtin_memcpy(&best_indices, indices + i, sizeof best_indices);
      }
      SKERRY_UNROLL(4)
      for (int k = First ? 1 : 0; k < Rows; ++k) {
        const char* source = x + k * row + i * int64(sizeof(T));
        const typename V::type now = vector(source);
        if constexpr (Rows == 4) __builtin_prefetch(source + next);
        const typename V::bits here = static_cast<B>(j + k) - typename V::bits{};
        best::keep_better(best_values, best_indices, now, here);
        if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(now != now);
      }
      __builtin_memcpy(value + i, &best_values, sizeof best_values);
      __builtin_memcpy(indices + i, &best_indices, sizeof best_indices);
    }
    for (; i < n; ++i) {
      if constexpr (First) {
        value[i] = item(x, i);
        indices[i] = 0;
        nan[0] |= static_cast<B>(best::is_nan(value[i]));
      }
      for (int k = First ? 1 : 0; k < Rows; ++k) {
        const T now = item(x + k * row, i);
        best::keep_better(value[i], indices[i], now, static_cast<B>(j + k));
        nan[0] |= static_cast<B>(best::is_nan(now));
      }
    }
  }

  /// Returns false if there is a NaN.
  static SKERRY_INLINE bool find_numbers(T* __restrict value, B* __restrict indices,
                                         const ElementRows& block) {
    typename V::bits nan = {};
    int64 j = block.rows < 4 ? 1 : 4;
    if (j == 4) {
      find_in<4, true>(value, indices, block, 0, nan);
    } else {
      find_in<1, true>(value, indices, block, 0, nan);
    }
    for (; j + 4 <= block.rows; j += 4) find_in<4>(value, indices, block, j, nan);
    for (; j < block.rows; ++j) find_in<1>(value, indices, block, j, nan);
    B any = 0;
    for (int k = 0; k < V::lanes; ++k) any = static_cast<B>(any | nan[k]);
    return any == 0;
  }

  static SKERRY_INLINE void find_row_by_row(T* value, B* indices, const ElementRows& block) {
    for (int64 i = 0; i < block.n; ++i) {
      value[i] = item(block.x, i);
      indices[i] = 0;
    }
    for (int64 j = 1; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      for (int64 i = 0; i < block.n; ++i) {
        choose(value[i], indices[i], item(x, i), static_cast<B>(j));
      }
    }
  }

  static SKERRY_INLINE void choose(T& best_value, B& best_index, T x, B index) {
    const bool wins = Op::wins(x, best_value);
    best_value = wins ? x : best_value;
    best_index = wins ? index : best_index;
  }

  static SKERRY_INLINE A scan(const char* x, int64 n) {
    A winner = {item(x, 0), 0};
    for (int64 i = 1; i < n; ++i) {
      const T now = item(x, i);
      if (Op::wins(now, winner.value)) winner = {now, i};
    }
    return winner;
  }

  /// Reduces a run of moderate length in one pass: searching for the index of the best value in a
  /// second pass takes longer and does not overlap with loads.
  static SKERRY_INLINE A lead(const char* x, int64 n) {
    typename V::type value[chains];
    typename V::bits indices[chains], here;
    typename V::bits nan = {};
    for (int k = 0; k < V::lanes; ++k) here[k] = static_cast<B>(k);
    const typename V::bits first = here;
    unroll<chains>([&](auto chain) __attribute__((always_inline)) {
      constexpr int k = decltype(chain)::value;
      value[k] = vector(x + k * V::lanes * int64(sizeof(T)));
      indices[k] = here;
      here += V::lanes;
      if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(value[k] != value[k]);
    });
    const auto meet = [&](int k, int64 i) __attribute__((always_inline)) {
      const char* source = x + i * int64(sizeof(T));
      const typename V::type now = vector(source);
      best::keep_better(value[k], indices[k], now, here);
      if constexpr (ops::real_floating<T>) nan |= (typename V::bits)(now != now);
      here += V::lanes;
    };
    int64 i = chains * V::lanes;
    for (; i + chains * V::lanes <= n; i += chains * V::lanes) {
      unroll<chains>([&](auto chain) __attribute__((always_inline)) {
        constexpr int k = decltype(chain)::value;
        meet(k, i + k * V::lanes);
      });
    }
    for (; i + V::lanes <= n; i += V::lanes) meet(0, i);
    here = first + static_cast<B>(n - V::lanes);  // overlaps the last full step: harmless
    meet(1, n - V::lanes);
    if constexpr (ops::real_floating<T>) {
      if (is_any(nan)) return first_of<true>(x, 0, n);
    }
    typename V::type all = value[0];
    for (int k = 1; k < chains; ++k) all = best::pick(all, value[k]);
    all = across_lanes(all, best::template pick<typename V::type>);
    const auto nearest = [](const auto& a, const auto& b) { return a < b ? a : b; };
    typename V::bits best_indices = ~typename V::bits{};
    for (int k = 0; k < chains; ++k) {
      best_indices = nearest(best_indices, value[k] == all ? indices[k] : ~typename V::bits{});
    }
    return {all[0], int64(across_lanes(best_indices, nearest)[0])};
  }

  static A search(const char* x, int64 n) {
    if constexpr (sizeof(T) >= 4) {
      if (n <= tuning::max_led_row_bytes / int64(sizeof(T))) return lead(x, n);
    }
    constexpr int64 block = tuning::extremum_block_bytes / int64(sizeof(T));
    T value = item(x, 0);
    int64 start = 0;
    for (int64 position = 0; position < n; position += block) {
      const int64 length = minimum(block, n - position);
      const auto extremum = best::find_extremum(x + position * int64(sizeof(T)), length);
      if (extremum.gives_nan()) return first_of<true>(x, position, n);
      if (Op::wins(extremum.value, value)) {
        value = extremum.value;
        start = position;
      }
    }
    return first_of<false>(x, start, n, value);
  }

  /// Returns the first element from `start` on that is NaN or, if not `Nan`, equals `value`.
  template <bool Nan>
  static SKERRY_INLINE A first_of(const char* x, int64 start, int64 n, T value = T(0)) {
    const auto hits = [&](int64 i) {
      const T now = item(x, i);
      return Nan ? best::is_nan(now) : now == value;
    };
    constexpr int64 together = 8 * V::lanes;
    for (; start + together <= n; start += together) {
      typename V::bits any = {};
      SKERRY_UNROLL(8)
      for (int k = 0; k < 8; ++k) {
        const auto now = vector(x + (start + k * V::lanes) * int64(sizeof(T)));
        any |= Nan ? (typename V::bits)(now != now) : (typename V::bits)(now == value);
      }
      if (is_any(any)) break;
    }
    while (start + 1 < n && !hits(start)) ++start;
    return {item(x, start), start};
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
