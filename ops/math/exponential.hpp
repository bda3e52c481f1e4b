// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/pair.hpp"

// exp and expm1: x = n log(2) + r, a polynomial in r, and 2^n from its bits.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Constants of log(2) = high + low; n * high is exact for all n that occur.
template <real_floating T>
struct log_of_2;
template <>
struct log_of_2<float32> {
  static constexpr float32 reciprocal = 0x1.715476p0f;
  static constexpr float32 high = 0x1.62e4p-1f;
  static constexpr float32 low = 0x1.7f7d1cp-20f;
  static constexpr float32 nearest = 0x1.62e430p-1f;
  static constexpr float32 residual = -0x1.05c610p-29f;  ///< log(2) - nearest
};
template <>
struct log_of_2<float64> {
  static constexpr float64 reciprocal = 0x1.71547652b82fep0;
  static constexpr float64 high = 0x1.62e42fefa3800p-1;
  static constexpr float64 low = 0x1.ef35793c76730p-45;
  static constexpr float64 nearest = 0x1.62e42fefa39efp-1;
  static constexpr float64 residual = 0x1.abc9e3b39803fp-56;
};

/// Returns q(r) of e^r = 1 + r + r^2 q(r) for |r| <= log(2) / 2. Near-minimax: Chebyshev
/// interpolation of q in 60 digits, rounded. Error of e^r: 9.3e-9 in float32, 2.8e-19 in float64,
/// relative to e^r.
SKERRY_HD SKERRY_INLINE float32 exp_terms(float32 r) {
  return polynomial(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120ce4p-7f, 0x1.6d127ep-10f);
}
SKERRY_HD SKERRY_INLINE float64 exp_terms(float64 r) {
  return polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5,
                    0x1.111111111007ap-7, 0x1.6c16c16c1629dp-10, 0x1.a01a01ac1cfa8p-13,
                    0x1.a01a01a6f6cefp-16, 0x1.71de018a0d245p-19, 0x1.27e4db04b53c8p-22,
                    0x1.af4f451d9ec2bp-26, 0x1.1f73c9e1e5555p-29);
}

/// x = n log(2) + r + low, n = rounded - magic.
template <real_floating T>
struct ReducedExponent {
  T rounded;
  T r;
  T low;
};
template <real_floating T>
SKERRY_HD SKERRY_INLINE ReducedExponent<T> reduce_exponent(T x) {
  using log_2 = log_of_2<T>;
  const T rounded = math::fma(x, log_2::reciprocal, magic<T>);
  const T n = rounded - magic<T>;
  const T difference = math::fma(n, -log_2::high, x);
  const T r = math::fma(n, -log_2::low, difference);
  return {rounded, r, math::fma(n, -log_2::low, difference - r)};
}
/// Reduces x.high + x.low. |x.low| must be at most half a unit in the last place of x.high.
template <real_floating T>
SKERRY_HD SKERRY_INLINE ReducedExponent<T> reduce_exponent(Pair<T> x) {
  const ReducedExponent<T> y = reduce_exponent(x.high);
  const Pair<T> r = fast_two_sum(y.r, x.low);
  return {y.rounded, r.high, r.low + y.low};
}

/// The number 2^n significand with n = rounded - magic.
template <real_floating T>
struct Scaled {
  T significand;
  T rounded;
};

/// Returns e^x. If the result is normal, unscale() and unscale_any() give the same bits.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Scaled<T> scaled_exp(ReducedExponent<T> x) {
  const Pair<T> leading = fast_two_sum(T(1), x.r);
  const T rest = math::fma(x.r * x.r, exp_terms(x.r), math::fma(x.r, x.low, x.low));
  return {leading.high + (leading.low + rest), x.rounded};
}

/// Returns the number, which must be normal.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T unscale(Scaled<T> y) {
  return from_bits<T>(to_bits(y.significand) + (to_bits(y.rounded) << fraction_bits<T>));
}

/// Returns the number, also if it is infinite, subnormal or 0. Scales in two steps, since 2^n may
/// be out of range.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T unscale_any(Scaled<T> y) {
  const T n = y.rounded - magic<T>;
  const T half = math::fma(n, T(0.5), magic<T>);
  const T rest = (n - (half - magic<T>)) + magic<T>;
  return y.significand * power_of_2(half) * power_of_2(rest);
}

/// Clamps x to the range outside of which e^x is 0 or infinite.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T clamp_exponent(T x) {
  return sizeof(T) == 4 ? clamp(x, T(-104.5), T(89)) : clamp(x, T(-750), T(711));
}

/// For |x| up to this, e^x is normal.
template <real_floating T>
inline constexpr T max_normal_exponent = sizeof(T) == 4 ? T(87) : T(708);

/// Returns e^x for |x| <= max_normal_exponent.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T normal_range_exp(T x) {
  return unscale(scaled_exp(reduce_exponent(x)));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T exp(T x) {
  if (has_branches && math::fabs(x) <= max_normal_exponent<T>) return normal_range_exp(x);
  return unscale_any(scaled_exp(reduce_exponent(clamp_exponent(x))));
}

/// Returns 2^x by x = n + r, |r| <= 1/2, which is exact, and 2^r = e^(r log(2)).
SKERRY_HD SKERRY_INLINE Scaled<float64> scaled_exp2(float64 x) {
  using log_2 = log_of_2<float64>;
  const float64 rounded = x + magic<float64>;
  const float64 rest = x - (rounded - magic<float64>);
  const float64 r = rest * log_2::nearest;
  const float64 low = math::fma(rest, log_2::residual, math::fma(rest, log_2::nearest, -r));
  const Pair<float64> leading = fast_two_sum(1.0, r);
  const float64 more = math::fma(r * r, exp_terms(r), math::fma(r, low, low));
  return {leading.high + (leading.low + more), rounded};
}
/// Returns 2^r = 1 + r log(2) + r^2 q(r) for |r| <= 1/2. Error of the polynomial,
/// relative to 2^r: 4.4e-9.
SKERRY_HD SKERRY_INLINE float32 exp2_of_rest(float32 r) {
  const float32 leading = math::fma(r, log_of_2<float32>::nearest, 1.0f);
  const float32 lost = math::fma(r, log_of_2<float32>::nearest, 1.0f - leading);
  const float32 q = polynomial(r, 0x1.ebfbdcp-3f, 0x1.c6af7cp-5f, 0x1.3b2dep-7f, 0x1.5f082ep-10f,
                               0x1.416b5ep-13f);
  return leading + math::fma(r * r, q, lost);
}
SKERRY_HD SKERRY_INLINE Scaled<float32> scaled_exp2(float32 x) {
  const float32 rounded = x + magic<float32>;
  return {exp2_of_rest(x - (rounded - magic<float32>)), rounded};
}
/// For |x| up to this, 2^x is normal.
template <real_floating T>
inline constexpr T max_normal_exponent_of_2 = sizeof(T) == 4 ? T(126) : T(1022);
template <real_floating T>
SKERRY_HD SKERRY_INLINE T normal_range_exp2(T x) {
  return unscale(scaled_exp2(x));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T exp2(T x) {
  if (has_branches && math::fabs(x) <= max_normal_exponent_of_2<T>) return normal_range_exp2(x);
  return unscale_any(
      scaled_exp2(sizeof(T) == 4 ? clamp(x, T(-151), T(129)) : clamp(x, T(-1076), T(1025))));
}

/// e^x = scale (1 + rest).
struct CoarseExpParts {
  float64 scale;
  float64 rest;
};

/// Splits e^x for |x| < 700. Error of `rest`: 1.5e-9 r^2.
SKERRY_HD SKERRY_INLINE CoarseExpParts coarse_exp(float64 x) {
  const float64 rounded = math::fma(x, log_of_2<float64>::reciprocal, magic<float64>);
  const float64 r = math::fma(rounded - magic<float64>, -log_of_2<float64>::nearest, x);
  const float64 q = polynomial(r, 0x1.0000000bc5178p-1, 0x1.5555555a8ffecp-3, 0x1.5554e7c2e413ep-5,
                               0x1.1110e0629929ap-7, 0x1.6d44e3b5d1778p-10, 0x1.a1267effc12f4p-13);
  return {power_of_2(rounded), math::fma(r * r, q, r)};
}

/// Returns q(r) of e^r = 1 + r + r^2 q(r). Error of r^2 q(r): 1.1e-10 in float32.
SKERRY_HD SKERRY_INLINE float32 expm1_terms(float32 r) {
  return polynomial(r, 0.5f, 0x1.555556p-3f, 0x1.5554e8p-5f, 0x1.110ffep-7f, 0x1.6d4cdap-10f,
                    0x1.a24f88p-13f);
}
SKERRY_HD SKERRY_INLINE float64 expm1_terms(float64 r) { return exp_terms(r); }

/// Returns above + 2^(n-1) (e^(r + low) - 1), which is (e^x - 1) / 2 if above is 2^(n-1) - 1/2.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> half_expm1(ReducedExponent<T> x, T scale, Pair<T> above) {
  const T scaled_r = scale * x.r;
  const Pair<T> leading = fast_two_sum(above.high, scaled_r);
  const T low = sizeof(T) == 4 ? x.low : math::fma(x.r, x.low, x.low);  // 0.1 ulp of float32
  const T rest = math::fma(scale, low, leading.low + above.low);
  return {leading.high, math::fma(scaled_r * x.r, expm1_terms(x.r), rest)};
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T expm1(T x) {
  constexpr bool is_single = sizeof(T) == 4;
  const ReducedExponent<T> y =
      reduce_exponent(clamp(x, is_single ? T(-25) : T(-50), is_single ? T(88.8f) : T(709.9)));
  const T scale = half_power_of_2(y.rounded);
  // fast_two_sum() is right for a scale below 1/2, too, as then the low part is 0.
  const Pair<T> half = half_expm1(y, scale, fast_two_sum(scale, T(-0.5)));
  return math::fabs(x) < (is_single ? T(0x1p-25) : T(0x1p-54)) ? x : (half.high + half.low) * T(2);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
