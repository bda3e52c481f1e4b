// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/exponential.hpp"

// tanh by expm1. sinh and cosh without a division: with x = n log(2) + r, p = 2^(n-1) and q =
// 2^(-n-1), cosh(x) = (p + q) cosh(r) + (p - q) sinh(r) and sinh(x) = (p - q) cosh(r) + (p + q)
// sinh(r).

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// e / (e + 2) with e = expm1(2 |x|); one division. tanh is 1 from 22 (float32: 20) on.
SKERRY_HD SKERRY_INLINE float64 tanh(float64 x) {
  const float64 size = math::fabs(x);
  const float64 bounded = size > 22.0 ? 22.0 : size;  // NaN stays
  const pair<float64> half = half_expm1(bounded + bounded);
  const pair<float64> above_1 = two_sum(1.0, half.high);
  const pair<float64> y = quotient(half, {above_1.high, above_1.low + half.low});
  return math::copysign(size < 0x1p-28 ? size : y.high + y.low, x);
}

/// -e / (e + 2) with e = expm1(-2 size), which is below 1; size at most 10.
template <bool IsOrdinary>
SKERRY_HD SKERRY_INLINE float32 tanh_of(float32 size) {
  const reduced_exponent<float32> reduced = reduce_exponent(-2.0f * size);
  const float32 scale = half_power_of_2(reduced.rounded);
  const pair<float32> exact = {scale - 0.5f, -0.0f};
  const pair<float32> any_half =
      half_expm1(reduced, scale, IsOrdinary ? exact : fast_two_sum(-0.5f, scale));
  const pair<float32> half = fast_two_sum(any_half.high, any_half.low);
  const pair<float32> above = fast_two_sum(1.0f, half.high);
  const float32 reciprocal = 1.0f / above.high;
  const float32 y = half.high * reciprocal;
  const float32 rest =
      math::fma(-y, above.high, half.high) + math::fma(-y, above.low + half.low, half.low);
  return math::fma(rest, reciprocal, y);
}
/// For |x| up to here 2^n - 1 is a number.
inline constexpr float32 ordinary_tangent = 8.0f;
SKERRY_HD SKERRY_INLINE float32 ordinary_tanh(float32 x) {
  return math::copysign(tanh_of<true>(math::fabs(x)), x);
}
SKERRY_HD SKERRY_INLINE float32 tanh(float32 x) {
  const float32 size = math::fabs(x);
  return math::copysign(tanh_of<false>(10.0f < size ? 10.0f : size), x);  // NaN stays
}

/// q of sinh(r) = r + r^3 q(r^2) and of cosh(r) = 1 + r^2 / 2 + r^4 q(r^2) for |r| <= log(2) / 2:
/// near-minimax (Chebyshev interpolation in 60 digits by mpmath's chebyfit, rounded).
/// Errors 8.1e-18 and 5.8e-19.
SKERRY_HD SKERRY_INLINE float64 sinh_terms(float64 square) {
  return polynomial(square, 0x1.5555555555556p-3, 0x1.1111111110987p-7, 0x1.a01a01a7e6841p-13,
                    0x1.71de0d2924871p-19, 0x1.af39e5ac082a8p-26);
}
SKERRY_HD SKERRY_INLINE float64 cosh_terms(float64 square) {
  return polynomial(square, 0x1.5555555555555p-5, 0x1.6c16c16c167c8p-10, 0x1.a01a01a48eac9p-16,
                    0x1.27e4e1a865952p-22, 0x1.1f679404826edp-29);
}
/// What sinh and cosh of x >= 0 share: x = n log(2) + r + r_low.
struct hyperbolic_parts {
  float64 r;
  float64 r_low;
  float64 square;      ///< r^2
  float64 odd;         ///< sinh(r) - r
  float64 even;        ///< cosh(r) - 1
  pair<float64> sum;   ///< p + q
  pair<float64> rest;  ///< p - q
  float64 excess;      ///< as much of n as p and q are without: magic + an integer >= 0
};
/// For 0 <= x < 1500.
SKERRY_HD SKERRY_INLINE hyperbolic_parts split_hyperbolic(float64 x) {
  const reduced_exponent<float64> y = reduce_exponent(x);
  const float64 r = y.r;
  const float64 n = y.rounded - magic<float64>;
  const float64 square = r * r;
  const float64 kept = n > 500.0 ? 500.0 : n;
  const float64 p = power_of_2(magic<float64> + (kept - 1.0));
  const float64 q = power_of_2(magic<float64> - (kept + 1.0));
  return {r,
          y.low,
          square,
          r * square * sinh_terms(square),
          square * math::fma(square, cosh_terms(square), 0.5),
          fast_two_sum(p, q),
          fast_two_sum(p, -q),
          magic<float64> + (n - kept)};
}

/// major (1 + even) + minor (r + odd), r with its low part; times 2^-excess.
SKERRY_HD SKERRY_INLINE float64 combine(const hyperbolic_parts& parts, pair<float64> major,
                                        pair<float64> minor) {
  const pair<float64> product = two_product(minor.high, parts.r);
  const pair<float64> leading = fast_two_sum(major.high, product.high);
  const float64 slope = math::fma(major.high, parts.r, minor.high);
  const float64 lost = math::fma(parts.r_low, slope, major.low + product.low) +
                       math::fma(minor.low, parts.r, leading.low);
  const float64 terms = math::fma(major.high, parts.even, minor.high * parts.odd);
  return leading.high + (lost + terms);
}
SKERRY_HD SKERRY_INLINE float64 cosh_of(const hyperbolic_parts& parts) {
  return combine(parts, parts.sum, parts.rest);
}
SKERRY_HD SKERRY_INLINE float64 sinh_of(const hyperbolic_parts& parts) {
  return combine(parts, parts.rest, parts.sum);
}

/// Both are infinite from here on; NaN stays.
SKERRY_HD SKERRY_INLINE float64 bounded_size(float64 x) {
  const float64 size = math::fabs(x);
  return size > 711.0 ? 711.0 : size;
}
SKERRY_HD SKERRY_INLINE float64 cosh(float64 x) {
  const hyperbolic_parts parts = split_hyperbolic(bounded_size(x));
  return cosh_of(parts) * power_of_2(parts.excess);
}
SKERRY_HD SKERRY_INLINE float64 sinh(float64 x) {
  const hyperbolic_parts parts = split_hyperbolic(bounded_size(x));
  return math::copysign(sinh_of(parts) * power_of_2(parts.excess), x);
}

/// The same halved, and without what only float64 needs. Errors of the terms below 1e-10.
struct single_hyperbolic_parts {
  float32 r;
  float32 r_low;
  float32 odd;
  float32 even;
  float32 p;  ///< 2^(n-2)
  float32 q;  ///< 2^(-n-2), or 0
};
SKERRY_HD SKERRY_INLINE single_hyperbolic_parts split_hyperbolic(float32 x) {
  const float32 any_size = math::fabs(x);
  const float32 size = any_size > 89.5f ? 89.5f : any_size;  // infinite from here on; NaN stays
  const reduced_exponent<float32> y = reduce_exponent(size);
  const float32 r = y.r;
  const float32 square = r * r;
  const float32 s = polynomial(square, 0x1.555556p-3f, 0x1.110fbep-7f, 0x1.a2e26ep-13f);
  const float32 c = polynomial(square, 0.5f, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
  const uint32 p = (to_bits(y.rounded) << 23) + to_bits(0.25f);
  const int32 q = static_cast<int32>(2 * to_bits(0.25f) - p);
  return {r,
          y.low,
          r * square * s,
          square * c,
          from_bits<float32>(p),
          from_bits<float32>(static_cast<uint32>(q < 0 ? 0 : q))};
}
SKERRY_HD SKERRY_INLINE float32 cosh(float32 x) {
  const single_hyperbolic_parts y = split_hyperbolic(x);
  const pair<float32> major = fast_two_sum(y.p, y.q);
  const float32 minor = y.p - y.q;
  const float32 low = math::fma(minor, y.odd, math::fma(minor, y.r_low, major.low));
  return 2.0f * (major.high + math::fma(minor, y.r, math::fma(major.high, y.even, low)));
}
SKERRY_HD SKERRY_INLINE float32 sinh(float32 x) {
  const single_hyperbolic_parts y = split_hyperbolic(x);
  const float32 major = y.p - y.q;
  const float32 minor = y.p + y.q;
  const float32 leading = math::fma(minor, y.r, major);
  const float32 lost = math::fma(minor, y.r, major - leading);
  const float32 low = math::fma(minor, y.odd, math::fma(minor, y.r_low, lost));
  const float32 size = 2.0f * (leading + math::fma(major, y.even, low));
  return math::fabs(x) < 0x1p-13f ? x : math::copysign(size, x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
