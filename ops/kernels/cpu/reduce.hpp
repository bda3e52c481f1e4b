// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cpu/memory.hpp"
#include "ops/kernels/reduce.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

/// The loops of one reduction and dtype, over arrays of accumulators: what the driver, which is
/// compiled once, needs to know of them.
struct reducer {
  int64 itemsize;
  int64 accumulator_size;
  /// acc[i] = identity for i < n
  void (*clear)(char* acc, int64 n) noexcept;
  /// acc[i] = combine(acc[i], load(x[j, i])) for j < rows, i < n, with rows `row` bytes apart
  void (*columns)(char* acc, const char* x, int64 row, int64 rows, int64 n) noexcept;
  /// acc[j] = combine of load(x[j, i]) for i < n, for j < rows, with rows `row` bytes apart
  void (*rows)(char* acc, const char* x, int64 row, int64 rows, int64 n) noexcept;
  /// acc[i] = combine(acc[i], other[i]) for i < n
  void (*merge)(char* acc, const char* other, int64 n) noexcept;
  /// out[i] = finish(acc[i], count) for i < n
  void (*finish)(char* out, int64 step, const char* acc, int64 n, int64 count) noexcept;
  /// Whether a finished answer may be known before all elements are seen: a one-byte accumulator
  /// of this value absorbs everything. -1 if there is none.
  int absorbing;
};

void run_reduction(const reduce_params& work, const reducer& how) noexcept;

/// Truth values are bytes of 0 or 1, on which the compiler vectorises & and |.
template <class A>
struct lane_type {
  using type = A;
};
template <>
struct lane_type<bool> {
  using type = uint8;
};

template <class Op, class T>
struct reduction_loops {
  using A = typename lane_type<ops::accumulator_t<Op, T>>::type;
  static constexpr int64 size = sizeof(A);

  static constexpr int absorbing() {
    if constexpr (ops::same_v<Op, ops::any>) return 1;
    if constexpr (ops::same_v<Op, ops::all>) return 0;
    return -1;
  }

  static void clear(char* acc, int64 n) noexcept {
    const A value = Op::template identity<A>();
    for (int64 i = 0; i < n; ++i) store<A>(acc + i * size, value);
  }

  static SKERRY_INLINE A item(const char* x, int64 i) {
    if constexpr (ops::boolean<T> && sizeof(A) == 1) {
      return load<A>(x + i);
    } else {
      return static_cast<A>(Op::load(load<T>(x + i * int64(sizeof(T)))));
    }
  }

  // Four rows at a time, as a tree: one read and write of the accumulator for four elements.
  static void columns(char* acc, const char* x, int64 row, int64 rows, int64 n) noexcept {
    int64 j = 0;
    for (; j + 4 <= rows; j += 4) {
      const char* x0 = x + j * row;
      const char* x1 = x0 + row;
      const char* x2 = x1 + row;
      const char* x3 = x2 + row;
#pragma GCC ivdep
      for (int64 i = 0; i < n; ++i) {
        const A low = Op::combine(item(x0, i), item(x1, i));
        const A high = Op::combine(item(x2, i), item(x3, i));
        store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), Op::combine(low, high)));
      }
    }
    for (; j < rows; ++j) {
      const char* x0 = x + j * row;
#pragma GCC ivdep
      for (int64 i = 0; i < n; ++i) {
        store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), item(x0, i)));
      }
    }
  }

  /// In as many lanes as fill four vectors.
  static SKERRY_INLINE A run_of(const char* x, int64 n) {
    constexpr int lanes = size >= 4 ? 128 / size : 32;
    if (n < lanes) {
      A total = Op::template identity<A>();
      for (int64 i = 0; i < n; ++i) total = Op::combine(total, item(x, i));
      return total;
    }
    alignas(64) A lane[lanes];
    for (int k = 0; k < lanes; ++k) lane[k] = item(x, k);
    int64 i = lanes;
    for (; i + lanes <= n; i += lanes) {
      for (int k = 0; k < lanes; ++k) lane[k] = Op::combine(lane[k], item(x, i + k));
    }
    for (int k = 0; i + k < n; ++k) lane[k] = Op::combine(lane[k], item(x, i + k));
#pragma GCC unroll 5
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lane[k] = Op::combine(lane[k], lane[k + half]);
    }
    return lane[0];
  }

  /// Looks for the one value that decides, in lanes as wide as the elements.
  static SKERRY_INLINE A search(const char* x, int64 n) {
    using B = ops::bits_t<ops::real_part_t<T>>;
    constexpr A decisive = absorbing();
    constexpr int64 block = 2048;
    for (int64 at = 0; at < n; at += block) {
      const int64 end = least(at + block, n);
      B found = 0;
      for (int64 i = at; i < end; ++i) {
        found = static_cast<B>(found | static_cast<B>(item(x, i) == decisive));
      }
      if (found != 0) return decisive;
    }
    return 1 - decisive;
  }

  static void rows(char* acc, const char* x, int64 row, int64 rows, int64 n) noexcept {
    for (int64 j = 0; j < rows; ++j) {
      if constexpr (absorbing() >= 0) {
        store<A>(acc + j * size, search(x + j * row, n));
      } else {
        store<A>(acc + j * size, run_of(x + j * row, n));
      }
    }
  }

  static void merge(char* acc, const char* other, int64 n) noexcept {
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      store<A>(acc + i * size, Op::combine(load<A>(acc + i * size), load<A>(other + i * size)));
    }
  }

  static void finish(char* out, int64 step, const char* acc, int64 n, int64 count) noexcept {
    for (int64 i = 0; i < n; ++i) {
      store(out + i * step, Op::finish(load<A>(acc + i * size), count));
    }
  }

  static void run(const void* params) {
    run_reduction(*static_cast<const reduce_params*>(params),
                  {sizeof(T), size, clear, columns, rows, merge, finish, absorbing()});
  }
};

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
