// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/exponential.hpp"

// tanh by expm1. sinh and cosh without a division: with x = n log(2) + r, p = 2^(n-1) and q =
// 2^(-n-1), cosh(x) = (p + q) cosh(r) + (p - q) sinh(r) and sinh(x) = (p - q) cosh(r) + (p + q)
// sinh(r).

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns tanh(size) = -e / (e + 2) with e = expm1(-2 size). `size` is clamped to where the result
/// rounds to 1.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T tanh_of(T size) {
  const ReducedExponent<T> reduced = reduce_exponent(-(size + size));
  const T scale = half_power_of_2(reduced.rounded);
  const Pair<T> any_half = half_expm1(reduced, scale, fast_two_sum(T(-0.5), scale));
  const Pair<T> half = fast_two_sum(any_half.high, any_half.low);
  const T y = half.high / (T(1) + half.high);
  // y is one to two times half.high, so their difference is exact.
  const T rest = math::fma(-y, half.high, half.high - y) + math::fma(-y, half.low, half.low);
  return math::fma(rest, T(1) - y, y);  // 1 - y is the reciprocal
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T tanh(T x) {
  constexpr T max_size = sizeof(T) == 4 ? T(10) : T(22);
  const T size = math::fabs(x);
  return math::copysign(tanh_of(max_size < size ? max_size : size), x);  // keeps NaN
}

/// Returns q of sinh(r) = r + r^3 q(r^2), and below of cosh(r) = 1 + r^2 q(r^2), for
/// |r| <= log(2) / 2. Near-minimax (Chebyshev interpolation in 60 digits by mpmath's chebyfit,
/// rounded). Errors of the functions are below 1e-10 in float32, 1e-17 in float64.
SKERRY_HD SKERRY_INLINE float32 sinh_terms(float32 square) {
  return polynomial(square, 0x1.555556p-3f, 0x1.110fbep-7f, 0x1.a2e26ep-13f);
}
SKERRY_HD SKERRY_INLINE float32 cosh_terms(float32 square) {
  return polynomial(square, 0.5f, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
}
SKERRY_HD SKERRY_INLINE float64 sinh_terms(float64 square) {
  return polynomial(square, 0x1.5555555555556p-3, 0x1.1111111110987p-7, 0x1.a01a01a7e6841p-13,
                    0x1.71de0d2924871p-19, 0x1.af39e5ac082a8p-26);
}
SKERRY_HD SKERRY_INLINE float64 cosh_terms(float64 square) {
  return polynomial(square, 0.5, 0x1.5555555555555p-5, 0x1.6c16c16c167c8p-10, 0x1.a01a01a48eac9p-16,
                    0x1.27e4e1a865952p-22, 0x1.1f679404826edp-29);
}

/// Common parts of sinh and cosh of |x|. `p` and `q` are halved, since they could overflow by a
/// factor below 2.
template <real_floating T>
struct HyperbolicParts {
  T r;
  T r_low;
  T odd;   ///< sinh(r) - r
  T even;  ///< cosh(r) - 1
  T p;     ///< 2^(n-2)
  T q;     ///< 2^(-n-2), or 0
};
template <real_floating T>
SKERRY_HD SKERRY_INLINE HyperbolicParts<T> split_hyperbolic(T x) {
  constexpr T max_size = sizeof(T) == 4 ? T(89.5) : T(710.5);  // infinite from here on
  const T size = math::fabs(x);
  const ReducedExponent<T> y = reduce_exponent(size > max_size ? max_size : size);  // keeps NaN
  const T square = y.r * y.r;
  const bits_t<T> p = (to_bits(y.rounded) << fraction_bits<T>)+to_bits(T(0.25));
  const bits_t<T> q = 2 * to_bits(T(0.25)) - p;
  return {y.r,
          y.low,
          y.r * square * sinh_terms(square),
          square * cosh_terms(square),
          from_bits<T>(p),
          from_bits<T>((q & sign_bit<T>) != 0 ? bits_t<T>(0) : q)};
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T cosh(T x) {
  const HyperbolicParts<T> y = split_hyperbolic(x);
  const Pair<T> major = fast_two_sum(y.p, y.q);
  const T minor = y.p - y.q;
  T lost = major.low;
  if constexpr (sizeof(T) == 8)
    lost = math::fma(-lost, y.r, lost);  // about times e^-r, since it belongs to q, not to p
  const T low = math::fma(minor, y.odd, math::fma(minor, y.r_low, lost));
  return T(2) * (major.high + math::fma(minor, y.r, math::fma(major.high, y.even, low)));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T sinh(T x) {
  const HyperbolicParts<T> y = split_hyperbolic(x);
  const Pair<T> major = fast_two_sum(y.p, -y.q);
  const T minor = y.p + y.q;
  const T leading = math::fma(minor, y.r, major.high);
  T lost = math::fma(minor, y.r, major.high - leading);
  if constexpr (sizeof(T) == 8) lost += major.low;  // in float32 less than 1/4 ulp
  const T low = math::fma(minor, y.odd, math::fma(minor, y.r_low, lost));
  const T size = T(2) * (leading + math::fma(major.high, y.even, low));
  return math::fabs(x) < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28)) ? x : math::copysign(size, x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
