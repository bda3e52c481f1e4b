// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/op_info.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

// A reduction is declared once, as an elementwise operation is: `load` turns an element (and, where
// it takes two arguments, its index along the one reduced axis) into the accumulator (its
// constraint is the dtype table), `identity` and `combine` form a commutative monoid, `finish`
// gives the result from the accumulator and what the call says. Results do not depend on how a
// kernel splits the work beyond rounding, and every kernel splits it the same way in every run.

/// What `finish` knows beside the accumulator.
struct reduced {
  int64 count;         ///< elements of each result
  float64 correction;  ///< of var and std
};

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

struct gives_accumulator {
  template <class A>
  SKERRY_HD static A finish(A a, const reduced&) {
    return a;
  }
};
}  // namespace detail

/// What sums and products of T are kept in: int64 or uint64 for integers (int64 for bool), T for
/// floating dtypes.
template <class T>
using wide_t = typename detail::wide<T>::type;

struct all : detail::gives_accumulator {
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
};

struct any : detail::gives_accumulator {
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
};

/// An element that may be the greatest or least, and where it is; -1: none.
template <class T>
struct indexed {
  T value;
  int64 index;
};

namespace detail {
/// The first NaN wins over everything, as in NumPy; then the better value, then the lower index.
template <class Better>
struct best_index {
  static constexpr bool needs_elements = true;
  static constexpr bool takes_index = true;
  template <real_numeric T>
  SKERRY_HD static indexed<T> load(T x, int64 index) {
    return {x, index};
  }
  template <class A>
  SKERRY_HD static A identity() {
    return {0, -1};
  }
  template <class T>
  SKERRY_HD static indexed<T> combine(const indexed<T>& a, const indexed<T>& b) {
    const bool b_is_first = b.index >= 0 && (a.index < 0 || b.index < a.index);
    if (a.index < 0 || b.index < 0) return b_is_first ? b : a;
    if (Better::wins(b.value, a.value)) return b;
    if (Better::wins(a.value, b.value)) return a;
    return b_is_first ? b : a;
  }
  template <class T>
  SKERRY_HD static int64 finish(const indexed<T>& a, const reduced&) {
    return a.index;
  }

 private:
  friend Better;
  best_index() = default;
};
}  // namespace detail

struct argmax : detail::best_index<argmax> {
  static constexpr op_info info{
      .name = "argmax",
      .doc =
          "The index of the first of the greatest elements along the axis.\n\n"
          "Real dtypes; the result is int64. The first NaN counts as the greatest, -0 as +0.\n"
          "Raises ValueError over no elements.\n"
          "Source: array API 2025.12, searching functions."};
  /// Whether x comes before best, wherever they are. No NaN, or not two: NaN <= y is false.
  template <class T>
  SKERRY_HD static bool wins(T x, T best) {
    return !(x <= best) & (best == best);
  }
};

struct argmin : detail::best_index<argmin> {
  static constexpr op_info info{
      .name = "argmin",
      .doc =
          "The index of the first of the least elements along the axis.\n\n"
          "Real dtypes; the result is int64. The first NaN counts as the least, -0 as +0.\n"
          "Raises ValueError over no elements.\n"
          "Source: array API 2025.12, searching functions."};
  template <class T>
  SKERRY_HD static bool wins(T x, T best) {
    return !(x >= best) & (best == best);
  }
};

struct count_nonzero : detail::gives_accumulator {
  static constexpr op_info info{
      .name = "count_nonzero",
      .doc =
          "The number of elements along the axes that are not zero (NaN is not).\n\n"
          "Any dtype; the result is int64.\n"
          "Source: array API 2025.12, searching functions."};
  template <any_dtype T>
  SKERRY_HD static int64 load(T x) {
    return x != T(0) ? 1 : 0;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return A(0);
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a + b;
  }
};

struct max : detail::gives_accumulator {
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
};

struct min : detail::gives_accumulator {
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
};

struct prod : detail::gives_accumulator {
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
  SKERRY_HD static A finish(A a, const reduced&) {
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
  SKERRY_HD static A finish(A a, const reduced& of) {
    return a / static_cast<A>(of.count);
  }
  template <complex_floating A>
  SKERRY_HD static A finish(A a, const reduced& of) {
    using R = typename A::value_type;
    return {a.re / static_cast<R>(of.count), a.im / static_cast<R>(of.count)};
  }
};

/// Of some elements: with them two groups are put together without cancellation (Chan, Golub and
/// LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
template <class T>
struct moments {
  T mean;
  T squares;  ///< sum of squared distances from the mean
  T count;
};

struct var {
  static constexpr op_info info{
      .name = "var",
      .doc =
          "The variance along the axes: the sum of squared distances from the mean, divided by the "
          "number\nof elements less correction; NaN where that is not positive.\n\n"
          "Real floating dtypes; the result has the dtype of x. One pass, with the means and "
          "squares of blocks\nmerged pairwise: nothing cancels.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_correction = true;
  template <real_floating T>
  SKERRY_HD static moments<T> load(T x) {
    return {x, T(0), T(1)};
  }
  template <class A>
  SKERRY_HD static A identity() {
    return {0, 0, 0};
  }
  template <class T>
  SKERRY_HD static moments<T> combine(const moments<T>& a, const moments<T>& b) {
    const T count = a.count + b.count;
    const T share = count > T(0) ? b.count / count : T(0);
    const T distance = b.mean - a.mean;
    const T shift = distance * share;
    // shift * a.count first: no overflow where a is empty.
    return {a.mean + shift, a.squares + (b.squares + distance * (shift * a.count)), count};
  }
  template <class T>
  SKERRY_HD static T finish(const moments<T>& a, const reduced& of) {
    const float64 divisor = static_cast<float64>(of.count) - of.correction;
    return divisor > 0 ? a.squares / static_cast<T>(divisor)
                       : static_cast<T>(__builtin_bit_cast(float, 0x7fc00000u));
  }
};

/// Not `std`, which would hide the namespace.
struct std_ {
  static constexpr op_info info{
      .name = "std",
      .doc =
          "The standard deviation along the axes: the square root of var.\n\n"
          "Real floating dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_correction = true;
  template <real_floating T>
  SKERRY_HD static moments<T> load(T x) {
    return var::load(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return var::identity<A>();
  }
  template <class T>
  SKERRY_HD static moments<T> combine(const moments<T>& a, const moments<T>& b) {
    return var::combine(a, b);
  }
  template <class T>
  SKERRY_HD static T finish(const moments<T>& a, const reduced& of) {
    return square_root(var::finish(a, of));
  }

 private:
  SKERRY_HD static float32 square_root(float32 x) { return ::sqrtf(x); }
  SKERRY_HD static float64 square_root(float64 x) { return ::sqrt(x); }
};

using reductions =
    type_list<all, any, argmax, argmin, count_nonzero, max, mean, min, prod, std_, sum, var>;

template <class Op, class T>
concept reduces = requires(T x) { Op::load(x); } || requires(T x) { Op::load(x, int64{}); };

/// Whether the accumulator knows where elements are; there is one reduced axis then.
template <class Op>
inline constexpr bool takes_index = requires { Op::takes_index; };

template <class Op, class T>
  requires reduces<Op, T>
SKERRY_HD SKERRY_INLINE auto load_at(T x, [[maybe_unused]] int64 index) {
  if constexpr (takes_index<Op>) {
    return Op::load(x, index);
  } else {
    return Op::load(x);
  }
}

template <class Op, class T>
using accumulator_t = decltype(load_at<Op>(T{}, int64{}));
/// What the reduction of elements of type T returns.
template <class Op, class T>
using reduced_t = decltype(Op::finish(accumulator_t<Op, T>{}, reduced{}));

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
