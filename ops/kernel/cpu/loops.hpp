// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/half.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/ieee.hpp"

// The loops over contiguous operands, one set per operation and dtype. The output may be exactly
// one of the inputs, hence ivdep instead of restrict.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Where a function has a dear case, its form for arguments up to `max_magnitude`, which leaves
/// that out: of blocks without an element of it. `wide_range_form`, if there is one, is such a form
/// of other blocks. Instead of `max_magnitude` it may have `expensive_bits`, a function of the
/// arguments, with the highest bit set where it is not right; and `run`, a loop of its own.
/// Declared for an operation before its loops are used.
template <class Op, class T>
struct NormalRangeForm {
  static constexpr bool exists = false;
};
inline constexpr int64 normal_range_block = 512;

/// The form of an operation that is right for all but a few elements, which are computed once more;
/// `needs_slow_path` has its highest bit set where it may be wrong.
template <class Op, class T>
struct fast_form {
  static constexpr bool exists = false;
};
inline constexpr int64 corrected_block = 512;
inline constexpr int64 filled_block = 256;

/// What an operation by single operands but the first is, where that is simpler: `apply(right,
/// run)` calls `run` with a function of the first one, of the same results; false if there is none.
template <class Op, class T>
struct ScalarForm {
  static constexpr bool exists = false;
};
/// From so many elements on it is worth being made.
inline constexpr int64 min_scalar_form_size = 32;

/// The highest bit is set where the form is not right. By bits: GCC 12 vectorises no reduction by
/// comparison.
template <class Form, class T>
SKERRY_INLINE ops::bits_t<T> expensive_bits(T x) {
  if constexpr (requires { Form::max_magnitude; }) {
    return ops::math::to_bits(Form::max_magnitude) - ops::math::to_bits(ops::math::fabs(x));
  } else {
    return Form::expensive_bits(x);
  }
}

template <class B>
SKERRY_INLINE bool has_highest_bit(const B* bits, int64 n) {
  B any = 0;
  for (int64 i = 0; i < n; ++i) any |= bits[i];
  return (any >> (8 * sizeof(B) - 1)) != 0;
}

/// Whether an operation is one from and to items, without branches.
template <class Op, class T>
inline constexpr bool is_simple = false;
template <class Op, class T>
  requires requires { Op::info; }
inline constexpr bool is_simple<Op, T> =
    !Op::info.expensive && !NormalRangeForm<Op, T>::exists && !fast_form<Op, T>::exists;
/// Whether it does so little that its loop waits for memory, of what is beyond the second cache.
template <class Op, class T, class R>
inline constexpr bool waits_for_memory =
    is_simple<Op, T> && !ops::complex_floating<T> && sizeof(T) == sizeof(R);

/// Two vectors in a step, where that is worth it.
template <bool Twice, class Step>
SKERRY_INLINE void for_each_item(int64 n, Step step) {
  if constexpr (Twice) {
#pragma GCC ivdep
#pragma GCC unroll 2
    for (int64 i = 0; i < n; ++i) step(i);
  } else {
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) step(i);
  }
}

template <class Function, class T>
SKERRY_INLINE void loop_of(Function function, char* out, const char* x, int64 n) {
  using R = decltype(function(T{}));
  for_each_item<waits_for_memory<Function, T, R>>(n, [&](int64 i) __attribute__((always_inline)) {
    store<R>(out + i * int64(sizeof(R)), function(load<T>(x + i * int64(sizeof(T)))));
  });
}

template <class Op, class Form, class T>
SKERRY_INLINE void loop_of_block(char* out, const char* x, int64 n) {
  ops::bits_t<T> any_expensive = 0;
  for (int64 i = 0; i < n; ++i)
    any_expensive |= expensive_bits<Form>(load<T>(x + i * int64(sizeof(T))));
  if ((any_expensive >> (8 * sizeof(T) - 1)) == 0) {
    loop_of<Form, T>(Form{}, out, x, n);
  } else if constexpr (requires { typename Form::wide_range_form; }) {
    loop_of_block<Op, typename Form::wide_range_form, T>(out, x, n);
  } else {
    loop_of<Op, T>(Op{}, out, x, n);
  }
}

template <class Op, class T>
SKERRY_INLINE void unary_items(char* const* data, unsigned, int64 n) {
  char* out = data[0];
  const char* x = data[1];
  using normal_range = NormalRangeForm<Op, T>;
  if constexpr (normal_range::exists) {
    for (int64 begin = 0; begin < n; begin += normal_range_block) {
      const int64 count = minimum(n - begin, normal_range_block);
      const int64 offset = begin * int64(sizeof(T));
      loop_of_block<Op, normal_range, T>(out + offset, x + offset, count);
    }
  } else {
    loop_of<Op, T>(Op{}, out, x, n);
  }
}

inline constexpr unsigned left_single = 1u << 1;
inline constexpr unsigned right_single = 1u << 2;

template <class Function, class T>
SKERRY_INLINE void pair_loop(Function function, char* out, const char* x1, const char* x2,
                             int64 n) {
  using R = decltype(function(T{}, T{}));
  constexpr int64 size = sizeof(T);
  for_each_item<waits_for_memory<Function, T, R>>(n, [&](int64 i) __attribute__((always_inline)) {
    store<R>(out + i * int64(sizeof(R)), function(load<T>(x1 + i * size), load<T>(x2 + i * size)));
  });
}

/// By the form for ordinary elements where a block has no others.
template <class Op, class T>
SKERRY_INLINE void pair_blocks(char* out, const char* x1, const char* x2, int64 n) {
  using normal_range = NormalRangeForm<Op, T>;
  if constexpr (normal_range::exists) {
    for (int64 begin = 0; begin < n; begin += normal_range_block) {
      const int64 count = minimum(n - begin, normal_range_block);
      const int64 offset = begin * int64(sizeof(T));
      decltype(normal_range::expensive_bits(T{}, T{})) any_expensive = 0;
      for (int64 i = offset; i < offset + count * int64(sizeof(T)); i += sizeof(T)) {
        any_expensive |= normal_range::expensive_bits(load<T>(x1 + i), load<T>(x2 + i));
      }
      if ((any_expensive >> (8 * sizeof(any_expensive) - 1)) != 0) {
        pair_loop<Op, T>(Op{}, out + offset, x1 + offset, x2 + offset, count);
      } else if constexpr (requires { normal_range::run; }) {
        normal_range::run(out + offset, x1 + offset, x2 + offset, count);
      } else {
        pair_loop<normal_range, T>(normal_range{}, out + offset, x1 + offset, x2 + offset, count);
      }
    }
  } else {
    pair_loop<Op, T>(Op{}, out, x1, x2, n);
  }
}

template <class Function, class T>
SKERRY_INLINE void binary_loop(Function function, char* out, const char* x1, const char* x2,
                               unsigned single, int64 n) {
  using R = decltype(function(T{}, T{}));
  constexpr int64 size = sizeof(T);
  if (single == right_single) {
    const T x2_value = load<T>(x2);
    for_each_item<waits_for_memory<Function, T, R>>(n, [&](int64 i) __attribute__((always_inline)) {
      store<R>(out + i * int64(sizeof(R)), function(load<T>(x1 + i * size), x2_value));
    });
  } else if (single == left_single) {
    const T x1_value = load<T>(x1);
    for_each_item<waits_for_memory<Function, T, R>>(n, [&](int64 i) __attribute__((always_inline)) {
      store<R>(out + i * int64(sizeof(R)), function(x1_value, load<T>(x2 + i * size)));
    });
  } else {
    pair_loop<Function, T>(function, out, x1, x2, n);
  }
}

/// For a single operand a block is filled, for the loop over pairs: the compiler takes what is the
/// same in all steps out of the loop and leaves branches there, by which it is no vector loop.
template <class Op, class T>
SKERRY_INLINE void filled_loop(char* out, const char* x1, const char* x2, unsigned single,
                               int64 n) {
  using R = ops::result_t<Op, T, T>;
  T filled[filled_block];
  const bool is_left = single == left_single;
  const T value = load<T>(is_left ? x1 : x2);
  for (int64 i = 0; i < minimum(n, filled_block); ++i) filled[i] = value;
  const char* const same = reinterpret_cast<const char*>(filled);
  for (int64 begin = 0; begin < n; begin += filled_block) {
    const char* const x = (is_left ? x2 : x1) + begin * int64(sizeof(T));
    pair_blocks<Op, T>(out + begin * int64(sizeof(R)), is_left ? same : x, is_left ? x : same,
                       minimum(n - begin, filled_block));
  }
}

/// The quick results are kept apart, since the output may be an input.
template <class Op, class T>
SKERRY_INLINE void corrected_loop(char* out, const char* x1, const char* x2, unsigned single,
                                  int64 n) {
  using fast = fast_form<Op, T>;
  using needs_slow_path = typename fast::needs_slow_path;
  const int64 x1_step = single == left_single ? 0 : sizeof(T);
  const int64 x2_step = single == right_single ? 0 : sizeof(T);
  T results[corrected_block];
  ops::bits_t<T> slow_path_flags[corrected_block];
  for (int64 begin = 0; begin < n; begin += corrected_block) {
    const int64 count = minimum(n - begin, corrected_block);
    const char* x1_chunk = x1 + begin * x1_step;
    const char* x2_chunk = x2 + begin * x2_step;
    char* destination = out + begin * int64(sizeof(T));
    binary_loop<needs_slow_path, T>(needs_slow_path{}, reinterpret_cast<char*>(slow_path_flags),
                                    x1_chunk, x2_chunk, single, count);
    if (!has_highest_bit(slow_path_flags, count)) {
      binary_loop<fast, T>(fast{}, destination, x1_chunk, x2_chunk, single, count);
      continue;
    }
    binary_loop<fast, T>(fast{}, reinterpret_cast<char*>(results), x1_chunk, x2_chunk, single,
                         count);
    for (int64 i = 0; i < count; ++i) {
      const T x1_value = load<T>(x1_chunk + i * x1_step);
      const T x2_value = load<T>(x2_chunk + i * x2_step);
      store<T>(destination + i * int64(sizeof(T)), fast::corrected(x1_value, x2_value, results[i]));
    }
  }
}

template <class Op, class T>
SKERRY_INLINE void binary_items(char* const* data, unsigned single, int64 n) {
  if constexpr (ScalarForm<Op, T>::exists) {
    if (single == right_single && n >= min_scalar_form_size) {
      const auto run_loop = [&](auto function) {
        loop_of<decltype(function), T>(function, data[0], data[1], n);
      };
      if (ScalarForm<Op, T>::apply(load<T>(data[2]), run_loop)) return;
    }
  }
  if constexpr (fast_form<Op, T>::exists) {
    corrected_loop<Op, T>(data[0], data[1], data[2], single, n);
  } else if constexpr (Op::info.expensive || NormalRangeForm<Op, T>::exists) {
    if (single == 0) return pair_blocks<Op, T>(data[0], data[1], data[2], n);
    filled_loop<Op, T>(data[0], data[1], data[2], single, n);
  } else {
    binary_loop<Op, T>(Op{}, data[0], data[1], data[2], single, n);
  }
}

inline constexpr unsigned both_single = (1u << 2) | (1u << 3);

/// The second and third operand are usually bounds or parameters: single ones.
template <class Op, class T>
SKERRY_INLINE void ternary_items(char* const* data, unsigned single, int64 n) {
  using R = ops::result_t<Op, T, T, T>;
  constexpr int64 size = sizeof(T);
  char* out = data[0];
  const char* x1 = data[1];
  const char* x2 = data[2];
  const char* x3 = data[3];
  if (single == both_single) {
    const T x2_value = load<T>(x2);
    const T x3_value = load<T>(x3);
    if constexpr (ScalarForm<Op, T>::exists) {
      const auto run_loop = [&](auto function) {
        loop_of<decltype(function), T>(function, out, x1, n);
      };
      if (ScalarForm<Op, T>::apply(x2_value, x3_value, run_loop)) return;
    }
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      store<R>(out + i * int64(sizeof(R)), Op{}(load<T>(x1 + i * size), x2_value, x3_value));
    }
  } else {
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      store<R>(out + i * int64(sizeof(R)),
               Op{}(load<T>(x1 + i * size), load<T>(x2 + i * size), load<T>(x3 + i * size)));
    }
  }
}

template <class T, int>
using same_t = T;

/// Reads and writes elements where they lie.
template <class Op, class T, int... I>
SKERRY_SHARED void strided_loop(char* const* data, const int64* steps, int64 n) noexcept {
  using R = ops::result_t<Op, same_t<T, I>...>;
  char* const out = data[0];
  const char* const inputs[] = {data[I + 1]...};
  const int64 input_steps[] = {steps[I + 1]...};
  const auto run_loop = [&](int64 out_step) __attribute__((always_inline)) {
#pragma GCC ivdep
#pragma GCC unroll 4
    for (int64 i = 0; i < n; ++i) {
      store<R>(out + i * out_step, Op{}(load<T>(inputs[I] + i * input_steps[I])...));
    }
  };
  if (steps[0] == int64(sizeof(R))) {
    run_loop(sizeof(R));
  } else {
    run_loop(steps[0]);
  }
}

/// An element of complex128 is a vector by itself, and to pack some takes as long as a simple
/// function of them: add of x[::2] from 14 to 8 us, conj from 8.3 to 4.6 (10^4; EPYC, AVX-512).
/// Others are packed by vectors, but beyond the second cache that waits for memory while nothing is
/// computed: add of float64, x[::-1], from 1390 to 670 us (10^6).
template <class T>
inline constexpr int64 strided_from = sizeof(T) == 16 ? 0 : int64{4} << 20;

/// None for what is worth its vectors: add of float32, x[::-1], takes 184 us packed, 296 so (10^6,
/// EPYC), clip of float64 by scalars 260 and 640.
template <class Op, class T, int... I>
constexpr strided_body strided_body_of(std::integer_sequence<int, I...>) {
  constexpr bool is_wide = sizeof(T) == 16 || (sizeof(T) == 8 && !ops::complex_floating<T>);
  if constexpr (is_simple<Op, T> && sizeof...(I) < 3 && is_wide) return strided_loop<Op, T, I...>;
  return nullptr;
}

template <class Op, class T, int Arity>
SKERRY_INLINE void items_of(char* const* data, unsigned single, int64 n) {
  if constexpr (Arity == 1) unary_items<Op, T>(data, single, n);
  if constexpr (Arity == 2) binary_items<Op, T>(data, single, n);
  if constexpr (Arity == 3) ternary_items<Op, T>(data, single, n);
}
template <class Op, class T, int Arity>
SKERRY_SHARED void wide_body(char* const* data, unsigned single, int64 n) noexcept {
  items_of<Op, T, Arity>(data, single, n);
}
/// By vectors of 32 bytes, also where there are such of 64: memory gives two of them sooner. Sums
/// of two arrays of 8 MB, one thread of an EPYC (Zen 4): 430 us by one vector of 64, 350 by two of
/// 32; of 4 MB 134 and 130.
template <class Op, class T, int Arity>
SKERRY_SHARED __attribute__((target("prefer-vector-width=256"))) void narrow_body(
    char* const* data, unsigned single, int64 n) noexcept {
  items_of<Op, T, Arity>(data, single, n);
}

/// The body over T of an operation that computes with numbers: over float16, that of float32.
template <class Op, class T, class... Inputs>
constexpr loop_body body_of() {
  constexpr int arity = sizeof...(Inputs);
  if constexpr (ops::stored_only<T> && !requires { Op::of_bits; }) {
    return half_body<Op, wide_body<Op, ops::computed_t<T>, arity>, Inputs...>;
  } else if constexpr (waits_for_memory<Op, T, ops::result_t<Op, Inputs...>>) {
    return narrow_body<Op, T, arity>;
  } else {
    return wide_body<Op, T, arity>;
  }
}
template <class Op, class T, int... I>
constexpr loop_body body_of(std::integer_sequence<int, I...>) {
  return body_of<Op, T, same_t<T, I>...>();
}

/// Beside an expensive function of floats packing costs little, and a call for each row much: 100
/// rows of 100, one operand broadcast, pow of float32 from 17.2 to 12.8 us (EPYC, Zen 4). Of bytes
/// such a row is little more than a vector: logical_and of a column from 3.1 to 1.0 us.
template <class Op, class T>
inline constexpr int64 short_row = Op::info.expensive && ops::floating<T> ? 512
                                   : sizeof(T) == 1                       ? 256
                                                                          : 32;

/// The sets of single operands that the bodies take.
template <int Arity>
inline constexpr unsigned accepted = 1u;
template <>
inline constexpr unsigned accepted<2> = 1u | 1u << left_single | 1u << right_single;
template <>
inline constexpr unsigned accepted<3> = 1u | 1u << both_single;

template <class Op, class T, int Arity>
inline constexpr Loop whole_loop{body_of<Op, T>(std::make_integer_sequence<int, Arity>{}),
                                 accepted<Arity>,
                                 Op::info.expensive ? 8 : 1,
                                 false,
                                 short_row<Op, T>,
                                 strided_body_of<Op, T>(std::make_integer_sequence<int, Arity>{}),
                                 strided_from<T>};

}  // namespace skerry::inline SKERRY_TARGET::kernels
