// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/reduce/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

using tuning::max_block_columns;
inline constexpr int64 endless = int64(1) << 62;

/// A matrix of elements. Reducer::columns reduces column i to accumulator i; Reducer::rows reduces
/// row j, of any length, to accumulator j.
struct ElementRows {
  const char* x;
  int64 row;          ///< distance of rows, in bytes
  int64 step;         ///< bytes between the elements of a row; the itemsize if they are contiguous
  int64 rows;         ///< not 0; for `columns`, at most the reducer's block_rows
  int64 n;            ///< elements of a row; for `columns`, at most max_block_columns
  bool overwrites;    ///< the accumulators are uninitialized
  int64 first;        ///< index of (j, i) along the reduced axis: first + j * per_row + i / width
  int64 per_row = 1;  ///< indices from one row to the next
  int64 width = max_block_columns;
  bool is_out_of_cache = false;  ///< in memory, not in the caches
};

/// The loops of one reduction and dtype over arrays of accumulators, for the driver, which is
/// compiled once.
struct Reducer {
  int64 itemsize;
  int64 accumulator_size;
  /// acc[i] = identity for i < n
  void (*clear)(char* acc, int64 n) noexcept;
  /// acc[i] = combine(acc[i], all of column i)
  void (*columns)(char* acc, const ElementRows& block) noexcept;
  /// acc[j] = combine(all of row j), of any length; element (j, 0) has index `first`
  void (*rows)(char* acc, const ElementRows& block) noexcept;
  /// acc[i] = combine(acc[i], other[i]) for i < n
  void (*merge)(char* acc, const char* other, int64 n) noexcept;
  /// out[i] = finish(acc[i], reduced) for i < n
  void (*finish)(char* out, int64 step, const char* acc, int64 n,
                 const ops::Reduced& reduced) noexcept;
  /// out[i] = finish(all of column i, reduced)
  void (*direct)(char* out, int64 step, const ElementRows& block,
                 const ops::Reduced& reduced) noexcept;
  /// out[i] = finish(all of row i, reduced), dense, for n contiguous rows of 2, 3 and 4 elements
  void (*short_rows[3])(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept;
  int64 result_size;
  int64 block_rows;  ///< maximum number of rows of a `columns` block
  /// Maximum number of elements that `rows` accumulates in one run, for accuracy. Longer runs go to
  /// `columns` or, if `splits_runs`, to `rows` in chunks.
  int64 max_run_length;
  bool splits_runs;
  bool takes_strided_rows;  ///< otherwise `rows` takes contiguous elements only, as `columns` does
  /// First byte of an accumulator that absorbs everything after it, so that the reduction can stop
  /// early; -1 if there is none.
  int absorbing;
};

/// `header` is the base of a ReduceParams, or of a copy with another row range.
void run_reduction(const RowReduction& header, const Reducer& reducer) noexcept;

/// Booleans are bytes of 0 or 1, so that the compiler vectorizes & and |.
template <class A>
struct lane_type {
  using type = A;
};
template <>
struct lane_type<bool> {
  using type = uint8;
};

template <class T, int... I>
SKERRY_INLINE lanes_of<T> gather_lanes(const char* source, int64 step,
                                       std::integer_sequence<int, I...>) {
  return lanes_of<T>{load<T>(source + I * step)...};
}
/// Returns a vector of elements that are `step` bytes apart.
template <class T>
SKERRY_INLINE lanes_of<T> gather_lanes(const char* source, int64 step) {
  asm("" : "+r"(source));  // otherwise GCC keeps all lane addresses in registers and spills
  return gather_lanes<T>(source, step, lane_numbers<lanes_of<T>>{});
}

/// Shared by all kinds of loops.
template <class Op, class T>
struct AccumulatorLoops {
  using A = typename lane_type<ops::accumulator_t<Op, T>>::type;
  static constexpr int64 size = sizeof(A);
  static constexpr bool takes_strided_rows = false;
  static SKERRY_INLINE bool is_strided(const ElementRows& block) {
    return block.step != int64(sizeof(T));
  }

  static void clear(char* acc, int64 n) noexcept {
    const A value = Op::template identity<A>();
    for (int64 i = 0; i < n; ++i) store<A>(acc + i * size, value);
  }

  static void merge(char* acc, const char* other, int64 n) noexcept {
    SKERRY_IVDEP
    for (int64 i = 0; i < n; ++i) {
      store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), load<A>(other + i * size)));
    }
  }

  SKERRY_SHARED static void finish(char* out, int64 step, const char* acc, int64 n,
                                   const ops::Reduced& reduced) noexcept {
    using R = decltype(Op::finish(A{}, reduced));
    const ops::Reduced reduced_copy = reduced;  // local copy: stores to `out` cannot alias it
    if (step == int64(sizeof(R))) {
      SKERRY_IVDEP
      for (int64 i = 0; i < n; ++i) {
        store(out + i * int64(sizeof(R)), Op::finish(load<A>(acc + i * size), reduced_copy));
      }
    } else {
      for (int64 i = 0; i < n; ++i)
        store(out + i * step, Op::finish(load<A>(acc + i * size), reduced_copy));
    }
  }

  static constexpr int64 result_size = sizeof(decltype(Op::finish(A{}, ops::Reduced{})));
  static SKERRY_INLINE bool is_dense(int64 step) { return step == result_size; }

  /// Combines four rows of a block at a time with `Loops::four_rows`: one load and store of the
  /// accumulator for four elements. The last argument of four_rows says whether four more rows
  /// follow.
  template <class Loops>
  static SKERRY_INLINE void columns_by_four(char* acc, const ElementRows& input_block) {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    const int64 n = block.n;
    int64 j = 0;
    if (block.overwrites && block.rows >= 4) {
      Loops::template four_rows<true>(acc, block.x, block.row, n, block.rows >= 8);
      j = 4;
    } else if (block.overwrites) {
      for (int64 i = 0; i < n; ++i) store<A>(acc + i * size, Loops::item(block.x, i));
      j = 1;
    }
    // Prefetch four rows ahead when out of cache, in blocks of columns: a prefetch inside the loop
    // stops GCC from vectorizing it. In cache, prefetching costs a fifth more time. The target is
    // L2: rows of 4 KiB map to the same sets of L1, which cannot hold eight of them (128 MB of
    // float64, one thread of an EPYC of Zen 4: 7.1 ms without, 4.6 ms with prefetch).
    const int64 max_columns = block.is_out_of_cache ? 128 : maximum(n, 1);
    for (; j + 4 <= block.rows; j += 4) {
      for (int64 i = 0; i < n; i += max_columns) {
        const int64 now = minimum(max_columns, n - i);
        const char* x = block.x + j * block.row + i * int64(sizeof(T));
        if (block.is_out_of_cache && j + 8 <= block.rows) {
          for (int k = 4; k < 8; ++k) {
            const char* const next = x + k * block.row;
            for (int64 byte = 0; byte < now * int64(sizeof(T)); byte += 64) {
              __builtin_prefetch(next + byte, 0, 2);
            }
          }
        }
        Loops::template four_rows<false>(acc + i * size, x, block.row, now, j + 8 <= block.rows);
      }
    }
    for (; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      SKERRY_IVDEP
      for (int64 i = 0; i < n; ++i) {
        store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), Loops::item(x, i)));
      }
    }
  }

  /// Combines column totals of a block into the accumulators; `total(i)` returns that of column i.
  template <class Total>
  static SKERRY_INLINE void deliver(char* acc, const ElementRows& block, Total total) {
    if (block.overwrites) {
      for (int64 i = 0; i < block.n; ++i) store<A>(acc + i * size, total(i));
    } else {
      for (int64 i = 0; i < block.n; ++i) {
        store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), total(i)));
      }
    }
  }
};

/// Reduces a block's columns, then finishes them.
template <class Loops>
void finish_columns(char* out, int64 step, const ElementRows& block,
                    const ops::Reduced& reduced) noexcept {
  alignas(64) char acc[max_block_columns * Loops::size];
  Loops::columns(acc, block);
  Loops::finish(out, step, acc, block.n, reduced);
}

/// `total(i)` is the accumulator of row i.
template <class Op, class Total>
SKERRY_INLINE void finish_short_rows(char* out, int64 n, const ops::Reduced& reduced, Total total) {
  const ops::Reduced reduced_copy = reduced;  // local copy: stores to `out` cannot alias it
  SKERRY_IVDEP
  for (int64 i = 0; i < n; ++i) {
    const auto result = Op::finish(total(i), reduced_copy);
    store(out + i * int64(sizeof result), result);
  }
}

/// Sums, products, any and all.
template <class Op, class T>
struct SimpleLoops : AccumulatorLoops<Op, T> {
  using base = AccumulatorLoops<Op, T>;
  using A = typename base::A;
  using base::size;
  static constexpr int64 block_rows = 128;  ///< as in NumPy's pairwise sum
  /// Integer results do not depend on the order, and one run streams from memory faster than
  /// several rows.
  static constexpr bool splits_runs = ops::integral<T> && sizeof(T) == 8;
  static constexpr int64 max_run_length = splits_runs ? endless : 1024;
  /// 8-byte numbers; out of cache, `columns` takes them row by row.
  static constexpr bool is_wide = ops::same_v<A, T> && sizeof(T) == 8 && ops::real_numeric<T>;
  static constexpr bool takes_strided_rows = is_wide || (ops::same_v<A, T> && sizeof(T) == 16);
  static constexpr int absorbing = -1;

  static SKERRY_INLINE A item(const char* x, int64 i, int64 step = sizeof(T)) {
    return static_cast<A>(Op::load(load<T>(x + i * step)));
  }

  template <bool Overwrites>
  static SKERRY_INLINE void four_rows(char* acc, const char* x0, int64 row, int64 n, bool) {
    const char* x1 = x0 + row;
    const char* x2 = x1 + row;
    const char* x3 = x2 + row;
    SKERRY_IVDEP
    for (int64 i = 0; i < n; ++i) {
      const A low = Op::combine(item(x0, i), item(x1, i));
      const A four = Op::combine(low, Op::combine(item(x2, i), item(x3, i)));
      store<A>(acc + i * size, Overwrites ? four : Op::combine(load<A>(acc + i * size), four));
    }
  }

  SKERRY_SHARED static void columns(char* acc, const ElementRows& block) noexcept {
    if constexpr (is_wide) {
      const bool is_run = block.row == block.n * size;
      if (block.is_out_of_cache && is_run) return columns_by_row(acc, block);
    }
    base::template columns_by_four<SimpleLoops>(acc, block);
  }

  /// Sets destination[i] to x[i] combined with element i of each of `accumulators`, in order.
  template <class... Held>
  static SKERRY_INLINE void put_row(char* destination, const char* x, int64 n,
                                    Held... accumulators) {
    // GCC 12 does not vectorize this loop for signed integers.
    using lane = std::conditional_t<ops::integral<T>, ops::bits_t<T>, T>;
    using V = VectorOf<lane>;
    int64 i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
      auto now = load_vector<typename V::type>(x + i * size);
      [[maybe_unused]] const auto put =
          [&](const char* accumulator) __attribute__((always_inline)) {
            const auto accumulated = load_vector<typename V::type>(accumulator + i * size);
            for (int k = 0; k < V::lanes; ++k) now[k] = Op::combine(accumulated[k], now[k]);
          };
      (put(accumulators), ...);
      store_vector(destination + i * size, now);
    }
    for (; i < n; ++i) {
      A now = item(x, i);
      ((now = Op::combine(load<A>(accumulators + i * size), now)), ...);
      store<A>(destination + i * size, now);
    }
  }

  /// Like columns_by_four, but one row after another: one row streams from memory faster than four.
  static SKERRY_INLINE void columns_by_row(char* acc, const ElementRows& input_block) {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    alignas(64) char low[2 * max_block_columns * size];
    char* const high = low + block.n * size;
    const auto put = [&](char* destination, int64 j, auto... accumulators)
                         __attribute__((always_inline)) {
                           put_row(destination, block.x + j * block.row, block.n, accumulators...);
                         };
    int64 j = 0;
    for (; j + 4 <= block.rows; j += 4) {
      put(low, j);
      put(low, j + 1, low);
      put(high, j + 2);
      if (block.overwrites && j == 0) {
        put(acc, j + 3, high, low);
      } else {
        put(acc, j + 3, high, low, acc);
      }
    }
    if (block.overwrites && j == 0) put(acc, j++);
    for (; j < block.rows; ++j) put(acc, j, acc);
  }

  /// Combines a run in at most 32 lanes, which take up to 128 bytes.
  static SKERRY_INLINE A run_of(const char* x, int64 n, int64 step = sizeof(T)) {
    constexpr int lanes = size >= 4 ? 128 / size : 32;
    if (n < lanes) {
      A total = Op::template identity<A>();
      for (int64 i = 0; i < n; ++i) total = Op::combine(total, item(x, i, step));
      return total;
    }
    alignas(64) A lane[lanes];
    for (int k = 0; k < lanes; ++k) lane[k] = item(x, k, step);
    int64 i = lanes;
    for (; i + lanes <= n; i += lanes) {
      for (int k = 0; k < lanes; ++k) lane[k] = Op::combine(lane[k], item(x, i + k, step));
    }
    for (int k = 0; i + k < n; ++k) lane[k] = Op::combine(lane[k], item(x, i + k, step));
    SKERRY_UNROLL(5)
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lane[k] = Op::combine(lane[k], lane[k + half]);
    }
    return lane[0];
  }

  SKERRY_SHARED static void rows(char* acc, const ElementRows& input_block) noexcept {
    const ElementRows block = input_block;  // local copy: stores to `acc` cannot alias it
    for (int64 j = 0; j < block.rows; ++j) {
      const char* x = block.x + j * block.row;
      const bool is_strided = takes_strided_rows && base::is_strided(block);
      store<A>(acc + j * size, is_strided ? run_of(x, block.n, block.step) : run_of(x, block.n));
    }
  }

  static constexpr auto direct = finish_columns<SimpleLoops>;

  template <int Length>
  static void short_rows(char* out, const char* x, int64 n, const ops::Reduced& reduced) noexcept {
    finish_short_rows<Op>(out, n, reduced, [x](int64 i) {
      A total = item(x, i * Length);
      SKERRY_UNROLL(4)
      for (int k = 1; k < Length; ++k) total = Op::combine(total, item(x, i * Length + k));
      return total;
    });
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
