// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/half.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/math/concepts.hpp"

// The loops of an operation over operands of one dtype have four forms:
//
// 1. items: the operation, item by item;
// 2. blocks: a fast form (`FastForm`) if all items of the block are in its normal range, otherwise
//    the operation;
// 3. scalars: a simpler function that is derived from scalar operands (`ScalarForm`), item by item;
// 4. strided: the operation on operands that are read in place instead of packed.
//
// Stored-only dtypes are converted before and after them (half.hpp). The output may be the same
// memory as an input, hence ivdep instead of restrict.

namespace skerry::inline SKERRY_TARGET::kernels {

/// A function that equals the operation unless its arguments set the highest bit of
/// `slow_bits(arguments...)`. (Bits, since GCC 12 does not vectorize a reduction of comparisons.)
/// A block with such items is computed by the first of these that exists: `wide_form`, another fast
/// form; the fast form, whose results `corrected(arguments..., result)` replaces item by item; the
/// operation. An optional `run(data, n)` is the form's own loop over a block. Specialize it for an
/// operation before its loops are used.
template <class Op, class T>
struct FastForm;
template <class Op, class T>
concept HasFastForm = requires { sizeof(FastForm<Op, T>); };

/// A simpler form of an operation whose operands, except the first, are scalars:
/// `apply(scalars..., run_loop)` calls `run_loop` with a function of the first operand that has the
/// same results, or returns false if none exists. Specialized like FastForm.
template <class Op, class T>
struct ScalarForm;
template <class Op, class T>
concept HasScalarForm = requires { sizeof(ScalarForm<Op, T>); };

// Bit i of a set of single operands is operand i; the output is operand 0.
inline constexpr unsigned left_single = 1u << 1;
inline constexpr unsigned right_single = 1u << 2;
inline constexpr unsigned both_single = (1u << 2) | (1u << 3);
/// The set of all inputs but the first. With three inputs, these are usually bounds or parameters.
template <int Arity>
inline constexpr unsigned trailing_single = (1u << (Arity + 1)) - 4;

template <class T, int>
using same_t = T;

/// Applies a function item by item. Each input in the set `Single` is one item.
template <class T, unsigned Single, int... I, class Function>
SKERRY_INLINE void item_loop(Function function, char* const* data, int64 n) {
  using R = decltype(function(same_t<T, I>{}...));
  char* const out = data[0];
  const char* const inputs[] = {data[I + 1]...};
  constexpr bool is_single[] = {((Single >> (I + 1)) & 1u) != 0 ...};
  const T singles[] = {(is_single[I] ? load<T>(inputs[I]) : T{})...};
  SKERRY_IVDEP
  for (int64 i = 0; i < n; ++i) {
    store<R>(out + i * int64(sizeof(R)),
             function((is_single[I] ? singles[I] : load<T>(inputs[I] + i * int64(sizeof(T))))...));
  }
}

template <class Op, class Form, class T, int... I>
SKERRY_INLINE void compute_block(char* const* data, int64 n) {
  const char* const inputs[] = {data[I + 1]...};
  constexpr int64 size = sizeof(T);
  decltype(Form::slow_bits(same_t<T, I>{}...)) any_slow = 0;
  for (int64 i = 0; i < n; ++i) any_slow |= Form::slow_bits(load<T>(inputs[I] + i * size)...);
  if ((any_slow >> (8 * sizeof(any_slow) - 1)) == 0) {
    if constexpr (requires { &Form::run; }) {
      Form::run(data, n);
    } else {
      item_loop<T, 0, I...>(Form{}, data, n);
    }
  } else if constexpr (requires { typename Form::wide_form; }) {
    compute_block<Op, typename Form::wide_form, T, I...>(data, n);
  } else if constexpr (requires { &Form::corrected; }) {
    T results[tuning::fast_form_block];  // a buffer, since the output may be an input
    char* const operands[] = {reinterpret_cast<char*>(results), data[I + 1]...};
    item_loop<T, 0, I...>(Form{}, operands, n);
    for (int64 i = 0; i < n; ++i) {
      store<T>(data[0] + i * size, Form::corrected(load<T>(inputs[I] + i * size)..., results[i]));
    }
  } else {
    item_loop<T, 0, I...>(Op{}, data, n);
  }
}

/// Runs the fast form block by block. Each single operand is first repeated in a block of its own:
/// otherwise the compiler hoists the invariant parts, leaves branches in the loop and does not
/// vectorize it.
template <class Op, class T, int... I>
SKERRY_INLINE void block_loop(char* const* data, unsigned single, int64 n) {
  constexpr int arity = sizeof...(I);
  constexpr int64 size = sizeof(T);
  alignas(
      T) char filled[arity][tuning::fast_form_block * size];  // a T[] would be zeroed if complex
  char* block[] = {data[0], data[I + 1]...};
  int64 steps[] = {sizeof(ops::result_t<Op, same_t<T, I>...>), int64(sizeof(same_t<T, I>))...};
  for (int k = 1; k <= arity; ++k) {
    if (((single >> k) & 1u) == 0) continue;
    const T value = load<T>(data[k]);
    for (int64 i = 0; i < minimum(n, tuning::fast_form_block); ++i)
      store(filled[k - 1] + i * size, value);
    block[k] = filled[k - 1];
    steps[k] = 0;
  }
  for (int64 begin = 0; begin < n; begin += tuning::fast_form_block) {
    compute_block<Op, FastForm<Op, T>, T, I...>(block, minimum(n - begin, tuning::fast_form_block));
    for (int k = 0; k <= arity; ++k) block[k] += tuning::fast_form_block * steps[k];
  }
}

template <class Op, class T, int First, int... Rest>
SKERRY_SHARED void contiguous_body(char* const* data, unsigned single, int64 n) noexcept {
  constexpr int arity = 1 + sizeof...(Rest);
  constexpr unsigned trailing = trailing_single<arity>;
  if constexpr (HasScalarForm<Op, T>) {
    if (single == trailing && n >= tuning::min_scalar_form_size) {
      const auto run_loop = [&](auto function) { item_loop<T, 0, First>(function, data, n); };
      if (ScalarForm<Op, T>::apply(load<T>(data[Rest + 1])..., run_loop)) return;
    }
  }
  if constexpr (HasFastForm<Op, T>) {
    block_loop<Op, T, First, Rest...>(data, single, n);
  } else if (arity == 1 || single == 0) {
    item_loop<T, 0, First, Rest...>(Op{}, data, n);
  } else if (arity == 3 || single == trailing) {
    item_loop<T, trailing, First, Rest...>(Op{}, data, n);
  } else {
    item_loop<T, left_single, First, Rest...>(Op{}, data, n);
  }
}

/// Computes elements of any stride in place.
template <class Op, class T, int... I>
SKERRY_SHARED void strided_loop(char* const* data, const int64* steps, int64 n) noexcept {
  using R = ops::result_t<Op, same_t<T, I>...>;
  char* const out = data[0];
  const char* const inputs[] = {data[I + 1]...};
  const int64 input_steps[] = {steps[I + 1]...};
  const auto run_loop = [&](int64 out_step) __attribute__((always_inline)) {
    SKERRY_IVDEP
    SKERRY_UNROLL(4)
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

/// Smallest span, in bytes, of operands that are read in place. An element of complex128 fills a
/// vector, so packing takes as long as a simple function: in place, add of x[::2] takes 8 us
/// instead of 14, conj 4.6 instead of 8.3 (10^4 elements; EPYC, AVX-512). Other elements are packed
/// by vectors, but beyond L2 packing waits for memory while nothing is computed: add of x[::-1] in
/// float64 takes 670 us in place instead of 1390 (10^6).
template <class T>
inline constexpr int64 strided_from = sizeof(T) == 16 ? 0 : tuning::min_strided_bytes;

/// Returns null where packing pays because the loop is vectorized: add of x[::-1] in float32 takes
/// 184 us packed, 296 in place; clip of float64 by scalars 260 and 640 (10^6 elements; EPYC).
template <class Op, class T, int... I>
constexpr strided_body strided_body_of() {
  constexpr bool is_wide = sizeof(T) == 16 || (sizeof(T) == 8 && !ops::complex_floating<T>);
  if constexpr (requires { Op::info; } && is_wide && sizeof...(I) < 3) {
    if constexpr (!Op::info.expensive && !HasFastForm<Op, T>) return strided_loop<Op, T, I...>;
  }
  return nullptr;
}

/// Returns the body over contiguous operands; for a stored-only dtype it wraps that of float32,
/// unless the operation works on bits.
template <class Op, class T, int... I>
constexpr loop_body body_of() {
  if constexpr (ops::stored_only<T> && !requires { Op::of_bits; }) {
    return half_body<Op, contiguous_body<Op, ops::computed_t<T>, I...>, same_t<T, I>...>;
  } else {
    return contiguous_body<Op, T, I...>;
  }
}

/// Length below which rows are merged. For an expensive function of floats, packing costs little
/// compared with a call per row: merging 100 rows of 100, one operand broadcast, takes pow of
/// float32 from 17.2 to 12.8 us (EPYC, Zen 4). A row of bytes is little more than a vector: merging
/// takes logical_and with a column from 3.1 to 1.0 us.
template <class Op, class T>
inline constexpr int64 short_row =
    Op::info.expensive && ops::floating<T> ? tuning::max_merged_expensive_row
    : sizeof(T) == 1                       ? tuning::max_merged_row_of_bytes
                                           : tuning::max_merged_row;

template <class Op, class T, int... I>
constexpr Loop loop_of(std::integer_sequence<int, I...>) {
  constexpr unsigned trailing = trailing_single<sizeof...(I)>;
  constexpr unsigned left = sizeof...(I) == 2 ? 1u << left_single : 0u;
  return {.body = body_of<Op, T, I...>(),
          .accepts = 1u | 1u << trailing | left,
          .cost = Op::info.expensive ? 8 : 1,
          .short_row = short_row<Op, T>,
          .strided = strided_body_of<Op, T, I...>(),
          .strided_from = strided_from<T>};
}
template <class Op, class T, int Arity>
inline constexpr Loop whole_loop = loop_of<Op, T>(std::make_integer_sequence<int, Arity>{});

}  // namespace skerry::inline SKERRY_TARGET::kernels
