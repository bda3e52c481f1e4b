// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/vector.hpp"
#include "ops/reduce/cpu/loops.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// var and std. Eight rows at a time get their own mean and are then merged with the rows before. A
/// run is read twice, the second time from L1.
template <class Op, class T>
struct MomentLoops : AccumulatorLoops<Op, T> {
  using base = AccumulatorLoops<Op, T>;
  using base::size;
  using A = typename base::A;
  static constexpr int64 block_rows = 512;
  static constexpr int64 max_run_length = 4096;
  static constexpr bool splits_runs = true;
  static constexpr int absorbing = -1;

  static SKERRY_INLINE T item(const char* x, int64 i) { return load<T>(x + i * int64(sizeof(T))); }

  SKERRY_SHARED static void total_columns(T* __restrict mean, T* __restrict squares,
                                          const ElementRows& input_block) {
    const ElementRows block = input_block;  // local copy: stores cannot alias it
    int64 j = 0;
    for (; j + 8 <= block.rows; j += 8) add_rows<8>(mean, squares, block, j);
    if (j + 4 <= block.rows) {
      add_rows<4>(mean, squares, block, j);
      j += 4;
    }
    for (; j < block.rows; ++j) add_rows<1>(mean, squares, block, j);
  }

  static void columns(char* acc, const ElementRows& block) noexcept {
    alignas(64) T mean[max_block_columns];
    alignas(64) T squares[max_block_columns];
    total_columns(mean, squares, block);
    const T count = static_cast<T>(block.rows);
    base::deliver(acc, block, [&](int64 i) -> A { return {mean[i], squares[i], count}; });
  }

  static void direct(char* out, int64 step, const ElementRows& block,
                     const ops::Reduced& reduced) noexcept {
    alignas(64) T mean[max_block_columns];
    alignas(64) T squares[max_block_columns];
    total_columns(mean, squares, block);
    const ops::Reduced reduced_copy = reduced;  // local copy: stores to `out` cannot alias it
    const T count = static_cast<T>(block.rows);
    if (base::is_dense(step)) {
      SKERRY_IVDEP
      for (int64 i = 0; i < block.n; ++i) {
        store(out + i * int64(sizeof(T)), Op::finish(A{mean[i], squares[i], count}, reduced_copy));
      }
    } else {
      for (int64 i = 0; i < block.n; ++i) {
        store(out + i * step, Op::finish(A{mean[i], squares[i], count}, reduced_copy));
      }
    }
  }

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept {
    finish_short_rows<Op>(out, n, reduced, [x](int64 i) {
      const Pair moments = of_rows<Length>(x + i * Length * int64(sizeof(T)), int64(sizeof(T)), 0);
      return A{moments.mean, moments.squares, T(Length)};
    });
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      store<A>(acc + j * size, run(block.x + j * block.row, block.n));
    }
  }

 private:
  using V = VectorOf<T>;

  /// Merges `Rows` rows from row j on with those before.
  template <int Rows>
  static SKERRY_INLINE void add_rows(T* mean, T* squares, const ElementRows& block, int64 j) {
    const char* x = block.x + j * block.row;
    if (j == 0) {
      SKERRY_IVDEP
      for (int64 i = 0; i < block.n; ++i) {
        const Pair moments = of_rows<Rows>(x, block.row, i);
        mean[i] = moments.mean;
        squares[i] = moments.squares;
      }
      return;
    }
    const T previous_count = static_cast<T>(j);
    const T share = T(Rows) / static_cast<T>(j + Rows);
    SKERRY_IVDEP
    for (int64 i = 0; i < block.n; ++i) {
      const Pair moments = of_rows<Rows>(x, block.row, i);
      const T distance = moments.mean - mean[i];
      const T shift = distance * share;
      mean[i] = mean[i] + shift;
      squares[i] = squares[i] + (moments.squares + distance * (shift * previous_count));
    }
  }

  struct Pair {
    T mean;
    T squares;
  };

  /// Returns the moments of element i over `Rows` rows.
  template <int Rows>
  static SKERRY_INLINE Pair of_rows(const char* x, int64 row, int64 i) {
    if constexpr (Rows == 1) {
      const T only = item(x, i);
      return {only, only - only};  // 0, or NaN if it is NaN or infinite
    } else {
      T v[Rows];
      SKERRY_UNROLL(8)
      for (int k = 0; k < Rows; ++k) v[k] = item(x + k * row, i);
      const T mean = sum_of<Rows>(v) * (T(1) / T(Rows));
      SKERRY_UNROLL(8)
      for (int k = 0; k < Rows; ++k) {
        v[k] = v[k] - mean;
        v[k] = v[k] * v[k];
      }
      return {mean, sum_of<Rows>(v)};
    }
  }
  template <int Rows>
  static SKERRY_INLINE T sum_of(const T* v) {
    if constexpr (Rows == 2) return v[0] + v[1];
    if constexpr (Rows == 3) return (v[0] + v[1]) + v[2];
    if constexpr (Rows == 4) return (v[0] + v[1]) + (v[2] + v[3]);
    if constexpr (Rows == 8) return sum_of<4>(v) + sum_of<4>(v + 4);
  }

  static SKERRY_INLINE T total_of(const typename V::type (&lanes)[4]) {
    const typename V::type all = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    T lane_sums[V::lanes];
    __builtin_memcpy(lane_sums, &all, sizeof lane_sums);
    for (int half = V::lanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lane_sums[k] = lane_sums[k] + lane_sums[k + half];
    }
    return lane_sums[0];
  }

  static SKERRY_INLINE A run(const char* x, int64 n) {
    if (n == 0) return Op::template identity<A>();
    constexpr int64 width = V::lanes;
    constexpr int64 bytes = width * int64(sizeof(T));
    const int64 vectors = n / width;
    typename V::type sum[4] = {};
    int64 i = 0;
    for (; i + 4 <= vectors; i += 4) {
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) {
        sum[k] = sum[k] + load_vector<typename V::type>(x + (i + k) * bytes);
      }
    }
    const int64 whole = i * width;
    T rest = T(0);
    for (int64 k = whole; k < n; ++k) rest = rest + item(x, k);
    const T mean = (total_of(sum) + rest) / static_cast<T>(n);
    typename V::type squared_distances[4] = {};
    for (i = 0; i + 4 <= vectors; i += 4) {
      SKERRY_UNROLL(4)
      for (int k = 0; k < 4; ++k) {
        const auto v = load_vector<typename V::type>(x + (i + k) * bytes) - mean;
        squared_distances[k] = squared_distances[k] + v * v;
      }
    }
    T squares = T(0);
    for (int64 k = whole; k < n; ++k) {
      const T distance = item(x, k) - mean;
      squares = squares + distance * distance;
    }
    return {mean, total_of(squared_distances) + squares, static_cast<T>(n)};
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
