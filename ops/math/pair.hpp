// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/ieee.hpp"

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// True if rare cases are branches, as on a GPU, where a warp skips a case that no lane needs. CPU
/// vectors compute both cases and select. The results have the same bits.
#if defined(__CUDA_ARCH__)
inline constexpr bool has_branches = true;
#else
inline constexpr bool has_branches = false;
#endif

/// An unevaluated sum of two numbers, which has about twice the precision.
template <real_floating T>
struct Pair {
  T high;
  T low;
};

/// Returns a + b, exactly.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> two_sum(T a, T b) {
  const T sum = a + b;
  const T shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}

/// Returns a + b, exactly if |a| >= |b| or a is 0.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, b - (sum - a)};
}

/// Returns a * b, exactly except for underflow.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> two_product(T a, T b) {
  const T product = a * b;
  return {product, math::fma(a, b, -product)};
}

// Errors of about 2^-104, relative to the result; those of sums are relative to the greater
// operand.

template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> add(Pair<T> a, Pair<T> b) {
  const Pair<T> sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> subtract(Pair<T> a, Pair<T> b) {
  return add(a, Pair<T>{-b.high, -b.low});
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> multiply(Pair<T> a, Pair<T> b) {
  const Pair<T> product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + math::fma(a.high, b.low, a.low * b.high));
}

/// Returns a / b, with one division and an error of a few units in the last place of the low part.
/// b need not be normalised, but its low part must be small.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> quotient(Pair<T> a, Pair<T> b) {
  const T reciprocal = T(1) / b.high;
  const T leading = a.high * reciprocal;
  const T rest = math::fma(-leading, b.high, a.high) + math::fma(-leading, b.low, a.low);
  return {leading, rest * reciprocal};
}

/// Returns c0 + c1 x + c2 x^2 ... by Horner's rule.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T polynomial(T, T c0) {
  return c0;
}
template <real_floating T, class... Rest>
SKERRY_HD SKERRY_INLINE T polynomial(T x, T c0, Rest... rest) {
  return math::fma(polynomial(x, rest...), x, c0);
}

/// The sum of this and a number below 2^22 (2^51) has the nearest integer in its last bits.
template <real_floating T>
inline constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);

template <real_floating T>
inline constexpr int fraction_bits = sizeof(T) == 4 ? 23 : 52;

/// Returns 2^n for `rounded` = magic + n. The result must be normal.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T power_of_2(T rounded) {
  return from_bits<T>((to_bits(rounded) << fraction_bits<T>)+to_bits(T(1)));
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T half_power_of_2(T rounded) {
  return from_bits<T>((to_bits(rounded) << fraction_bits<T>)+to_bits(T(0.5)));
}

/// Returns -x if the lowest bit of `negated` is set, otherwise x.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T negate_if(T x, bits_t<T> negated) {
  return from_bits<T>(to_bits(x) ^ (negated << (8 * sizeof(T) - 1)));
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
