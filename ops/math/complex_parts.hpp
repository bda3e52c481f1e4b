// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "ops/math/real.hpp"

// Helper functions for functions of a complex number.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

inline constexpr float64 pi = 3.141592653589793238;
inline constexpr float64 log_of_2 = 0.6931471805599453094;
inline constexpr float64 log_of_10 = 2.302585092994045684;
inline constexpr float64 huge = 1e150;  ///< above this, squares and their sums may overflow

SKERRY_HD SKERRY_INLINE complex128 times_i(complex128 z) { return {negated(z.im), z.re}; }
SKERRY_HD SKERRY_INLINE complex128 over_i(complex128 z) { return {z.im, negated(z.re)}; }

/// Returns 2^exponent for an exponent in [-1022, 1023].
SKERRY_HD SKERRY_INLINE float64 power_of_2(int exponent) {
  return from_bits<float64>(static_cast<uint64>(exponent + 1023) << 52);
}

/// Returns x * 2^exponent for |exponent| <= 3000; rounded once if x is near 1.
SKERRY_HD SKERRY_INLINE float64 scale(float64 x, int exponent) {
  if (exponent > -1000 && exponent < 1000) return x * power_of_2(exponent);
  const int third = exponent / 3;
  return x * power_of_2(third) * power_of_2(third) * power_of_2(exponent - 2 * third);
}

/// Returns the exponent of the greater part, clamped to [-1022, 1022]. Scaling by its negative
/// brings a finite nonzero number near 1 (a subnormal one at least into the middle of the range).
SKERRY_HD SKERRY_INLINE int exponent_of(complex128 z) {
  const float64 a = math::fabs(z.re);
  const float64 b = math::fabs(z.im);
  const int biased = static_cast<int>(to_bits(a > b ? a : b) >> 52);
  const int exponent = biased - 1023;
  return exponent < -1022 ? -1022 : (exponent > 1022 ? 1022 : exponent);
}

SKERRY_HD SKERRY_INLINE complex128 scale(complex128 z, int exponent) {
  return {scale(z.re, exponent), scale(z.im, exponent)};
}

SKERRY_HD SKERRY_INLINE bool has_nan(complex128 z) { return isnan(z.re) | isnan(z.im); }
/// Compares bits: GCC 12 would merge a comparison of floats with the one in atan2, and then does
/// not vectorize the loop.
SKERRY_HD SKERRY_INLINE bool has_inf(complex128 z) {
  constexpr uint64 inf = to_bits(infinity<float64>());
  return (to_bits(math::fabs(z.re)) == inf) | (to_bits(math::fabs(z.im)) == inf);
}

/// Returns 1 for an infinity, otherwise 0, with the sign of `component`.
SKERRY_HD SKERRY_INLINE float64 boxed(float64 component) {
  return math::copysign(isinf(component) ? 1.0 : 0.0, component);
}

struct SineAndCosine {
  float64 sine;
  float64 cosine;
};
/// Returns sine and cosine of the angle plus `low`.
SKERRY_HD SKERRY_INLINE SineAndCosine sin_cos(portable::ReducedAngle angle, float64 low) {
  const portable::SineAndCosine v =
      portable::sin_cos_of_rest(portable::two_sum(angle.rest.high, angle.rest.low + low));
  const float64 sine = v.sine.high + v.sine.low;
  const float64 cosine = v.cosine.high + v.cosine.low;
  const bool is_odd = (angle.quadrant & 1) != 0;
  return {portable::negate_if(is_odd ? cosine : sine, angle.quadrant >> 1),
          portable::negate_if(is_odd ? sine : cosine, (angle.quadrant + 1) >> 1)};
}
/// Returns sine and cosine of x.high + x.low, with one reduction of the angle.
SKERRY_HD inline SineAndCosine sin_cos(portable::Pair<float64> x) {
  if constexpr (has_portable_functions) {
    const bool is_huge = math::fabs(x.high) > portable::max_normal_angle<float64>;
    return sin_cos(
        is_huge ? portable::reduce_huge_angle(x.high) : portable::reduce_normal_angle(x.high),
        x.low);
  } else {
    const float64 sine = elementary::sin(x.high);
    const float64 cosine = elementary::cos(x.high);
    return {math::fma(x.low, cosine, sine), math::fma(-x.low, sine, cosine)};
  }
}
/// Returns sine and cosine of x. Has no branches, so that CPU loops are vectorized.
SKERRY_HD SKERRY_INLINE SineAndCosine sin_cos(float64 x) {
  if constexpr (has_portable_functions) {
    return sin_cos(portable::reduce_angle(x), 0.0);
  } else {
    return {elementary::sin(x), elementary::cos(x)};
  }
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
