// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/concepts.hpp"
#include "ops/integer_math.hpp"
#include "ops/op_info.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

// A reduction is declared once, as an elementwise operation is: `load` turns an element into the
// accumulator (its constraint is the dtype table), `identity` and `combine` form a monoid, `finish`
// gives the result from the accumulator and the number of elements. Results do not depend on how a
// kernel splits the work beyond rounding, and every kernel splits it the same way in every run.

namespace detail {
template <class T>
struct wide {
  using type = T;
};
template <>
struct wide<bool> {
  using type = int64;
};
template <signed_integral T>
struct wide<T> {
  using type = int64;
};
template <unsigned_integral T>
struct wide<T> {
  using type = uint64;
};
}  // namespace detail

/// What sums and products of T are kept in: int64 or uint64 for integers (int64 for bool), T for
/// floating dtypes.
template <class T>
using wide_t = typename detail::wide<T>::type;

struct all {
  static constexpr op_info info{
      .name = "all",
      .doc =
          "Whether every element along the axes is true (non-zero; NaN counts as true).\n\n"
          "Any dtype; the result is bool, True over no elements.\n"
          "Source: array API 2025.12, utility functions."};
  template <any_dtype T>
  SKERRY_HD static bool load(T x) {
    return x != T(0);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return true;
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a & b;
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

struct any {
  static constexpr op_info info{
      .name = "any",
      .doc =
          "Whether some element along the axes is true (non-zero; NaN counts as true).\n\n"
          "Any dtype; the result is bool, False over no elements.\n"
          "Source: array API 2025.12, utility functions."};
  template <any_dtype T>
  SKERRY_HD static bool load(T x) {
    return x != T(0);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return false;
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a | b;
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

struct max {
  static constexpr op_info info{
      .name = "max",
      .doc =
          "The greatest element along the axes; NaN if there is one.\n\n"
          "Real dtypes; the result has the dtype of x. Raises ValueError over no elements.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool needs_elements = true;
  template <real_numeric T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return lowest<A>();
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    const A greater = a > b ? a : b;  // two selects: a vector maximum and a blend
    return a != a ? a : greater;
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

struct mean {
  static constexpr op_info info{
      .name = "mean",
      .doc =
          "The arithmetic mean along the axes; NaN over no elements.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "Source: array API 2025.12, statistical functions."};
  template <floating T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return A(0);
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a + b;
  }
  template <real_floating A>
  SKERRY_HD static A finish(A a, int64 n) {
    return a / static_cast<A>(n);
  }
  template <complex_floating A>
  SKERRY_HD static A finish(A a, int64 n) {
    using R = typename A::value_type;
    return {a.re / static_cast<R>(n), a.im / static_cast<R>(n)};
  }
};

struct min {
  static constexpr op_info info{
      .name = "min",
      .doc =
          "The least element along the axes; NaN if there is one.\n\n"
          "Real dtypes; the result has the dtype of x. Raises ValueError over no elements.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool needs_elements = true;
  template <real_numeric T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return highest<A>();
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    const A lesser = a < b ? a : b;
    return a != a ? a : lesser;
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

struct prod {
  static constexpr op_info info{
      .name = "prod",
      .doc =
          "The product along the axes; 1 over no elements.\n\n"
          "Floating dtypes keep theirs, signed integers and bool give int64, unsigned ones uint64, "
          "unless\n"
          "dtype= says otherwise; elements are cast first. Integers wrap around.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_dtype = true;
  template <any_dtype T>
  SKERRY_HD static wide_t<T> load(T x) {
    return static_cast<wide_t<T>>(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return A(1);
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return wrapping_multiply(a, b);
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

struct sum {
  static constexpr op_info info{.name = "sum",
                                .doc =
                                    "The sum along the axes; 0 over no elements.\n\n"
                                    "Floating dtypes keep theirs, signed integers and bool give "
                                    "int64, unsigned ones uint64, unless\n"
                                    "dtype= says otherwise; elements are cast first. Integers wrap "
                                    "around; floats are added pairwise.\n"
                                    "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_dtype = true;
  template <any_dtype T>
  SKERRY_HD static wide_t<T> load(T x) {
    return static_cast<wide_t<T>>(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return A(0);
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return wrapping_add(a, b);
  }
  template <class A>
  SKERRY_HD static A finish(A a, int64) {
    return a;
  }
};

using reductions = type_list<all, any, max, mean, min, prod, sum>;

template <class Op, class T>
concept reduces = requires(T x) { Op::load(x); };
template <class Op, class T>
using accumulator_t = decltype(Op::load(T{}));
/// What the reduction of elements of type T returns.
template <class Op, class T>
using reduced_t = decltype(Op::finish(Op::load(T{}), int64{}));

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
