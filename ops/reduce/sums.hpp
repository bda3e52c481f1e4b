// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/op_info.hpp"
#include "ops/reduce/reduced.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct prod : detail::gives_accumulator {
  static constexpr OpInfo info{
      .name = "prod",
      .doc =
          "The product along the axes; 1 over no elements.\n\n"
          "Floating dtypes are kept; signed integers and bool give int64, unsigned integers "
          "uint64, "
          "unless\n"
          "dtype= is given, to which elements are cast first. Integers wrap around; "
          "float16 and bfloat16 are\n"
          "multiplied in float32.\n"
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
  static constexpr OpInfo info{.name = "sum",
                               .doc =
                                   "The sum along the axes; 0 over no elements.\n\n"
                                   "Floating dtypes are kept; signed integers and bool give "
                                   "int64, unsigned integers uint64, unless\n"
                                   "dtype= is given, to which elements are cast first. Integers "
                                   "wrap around; floats are\n"
                                   "added pairwise, float16 and bfloat16 in float32.\n"
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
  /// Adds 0, where a sum starts whatever the order of additions: negative zeros give 0, not -0.
  template <class A>
  SKERRY_HD static A finish(A a, const Reduced&) {
    return wrapping_add(a, A(0));
  }
};

struct mean {
  static constexpr OpInfo info{
      .name = "mean",
      .doc =
          "The arithmetic mean along the axes; NaN over no elements.\n\n"
          "Takes floating dtypes, including complex ones; the result has the dtype of x.\n"
          "float16 and bfloat16 are added in float32; integers and bool are computed in float64.\n"
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
  SKERRY_HD static A finish(A a, const Reduced& reduced) {
    return sum::finish(a, reduced) / static_cast<A>(reduced.count);
  }
  template <complex_floating A>
  SKERRY_HD static A finish(A a, const Reduced& reduced) {
    using R = typename A::value_type;
    a = sum::finish(a, reduced);
    return {a.re / static_cast<R>(reduced.count), a.im / static_cast<R>(reduced.count)};
  }
};

/// Moments of a group of elements. Two groups merge without cancellation (Chan, Golub and LeVeque,
/// "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
template <class T>
struct Moments {
  T mean;
  T squares;  ///< sum of squared distances from the mean
  T count;
};

struct var {
  static constexpr OpInfo info{
      .name = "var",
      .doc =
          "The variance along the axes: the sum of squared distances from the mean, divided by the "
          "number\nof elements minus correction; NaN if that is not positive.\n\n"
          "Takes real floating dtypes; the result has the dtype of x. The means and squares of "
          "blocks are\nmerged pairwise, which avoids cancellation. Integers and bool are computed "
          "in float64.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_correction = true;
  template <real_floating T>
  SKERRY_HD static Moments<T> load(T x) {
    return {x, T(0), T(1)};
  }
  template <class A>
  SKERRY_HD static A identity() {
    return {0, 0, 0};
  }
  template <class T>
  SKERRY_HD static Moments<T> combine(const Moments<T>& a, const Moments<T>& b) {
    const T count = a.count + b.count;
    const T share = count > T(0) ? b.count / count : T(0);
    const T distance = b.mean - a.mean;
    const T shift = distance * share;
    // Multiply shift by a.count first: no overflow if a is empty.
    return {a.mean + shift, a.squares + (b.squares + distance * (shift * a.count)), count};
  }
  template <class T>
  SKERRY_HD static T finish(const Moments<T>& a, const Reduced& reduced) {
    const float64 divisor = static_cast<float64>(reduced.count) - reduced.correction;
    return divisor > 0 ? a.squares / static_cast<T>(divisor)
                       : static_cast<T>(__builtin_bit_cast(float, 0x7fc00000u));
  }
};

/// Named `std_` because `std` would hide the namespace.
struct std_ {
  static constexpr OpInfo info{
      .name = "std",
      .doc =
          "The standard deviation along the axes: the square root of var.\n\n"
          "Takes real floating dtypes; the result has the dtype of x. Integers and bool are "
          "computed in "
          "float64.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool takes_correction = true;
  template <real_floating T>
  SKERRY_HD static Moments<T> load(T x) {
    return var::load(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return var::identity<A>();
  }
  template <class T>
  SKERRY_HD static Moments<T> combine(const Moments<T>& a, const Moments<T>& b) {
    return var::combine(a, b);
  }
  template <class T>
  SKERRY_HD static T finish(const Moments<T>& a, const Reduced& reduced) {
    return square_root(var::finish(a, reduced));
  }

 private:
  SKERRY_HD static float32 square_root(float32 x) { return ::sqrtf(x); }
  SKERRY_HD static float64 square_root(float64 x) { return ::sqrt(x); }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
