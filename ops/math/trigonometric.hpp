// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/huge_angle.hpp"

// sin, cos and tan: polynomials in x minus the nearest multiple of pi / 2, which is a pair.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// For |x| up to this, or not finite, pi / 2 in three parts is accurate enough.
template <real_floating T>
inline constexpr T max_normal_angle = T(0x1p40);

/// Reduces x with pi / 2 in three parts. The difference of x and n * half_pi[0] is exact.
SKERRY_HD SKERRY_INLINE ReducedAngle reduce_normal_angle(float64 x) {
  const float64 rounded = math::fma(x, 0x1.45f306dc9c883p-1, magic<float64>);
  const float64 n = rounded - magic<float64>;
  const float64 difference = math::fma(n, -half_pi[0], x);
  const Pair<float64> second = two_product(n, half_pi[1]);
  const Pair<float64> r = two_sum(difference, -second.high);
  return {{r.high, r.low - math::fma(n, half_pi[2], second.low)}, to_bits(rounded)};
}

SKERRY_HD SKERRY_INLINE ReducedAngle reduce_angle(float64 x) {
  const bool is_huge =
      (math::fabs(x) > max_normal_angle<float64>)&(math::fabs(x) < infinity<float64>());
  if (has_branches && !is_huge) return reduce_normal_angle(x);
  const ReducedAngle huge = reduce_huge_angle(x);
  const ReducedAngle other = reduce_normal_angle(x);
  return {{is_huge ? huge.rest.high : other.rest.high, is_huge ? huge.rest.low : other.rest.low},
          is_huge ? huge.quadrant : other.quadrant};
}

struct SineAndCosine {
  Pair<float64> sine;
  Pair<float64> cosine;
};

/// Returns sine and cosine for |r| <= pi / 4. The polynomials are near-minimax: Chebyshev
/// interpolation of (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in 60 digits, rounded.
/// Their errors are 9.3e-18 and 2.4e-18.
SKERRY_HD SKERRY_INLINE SineAndCosine sin_cos_of_rest(Pair<float64> r) {
  const float64 square = r.high * r.high;
  const float64 lost = math::fma(r.high, r.high, -square);
  const float64 half = 0.5 * square;
  const float64 s = polynomial(
      square, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019926p-13,
      0x1.71de3a545e700p-19, -0x1.ae64540f0ba18p-26, 0x1.61217c1864fa1p-33, -0x1.ab161757f0c62p-41);
  const float64 c = polynomial(square, 0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10,
                               0x1.a01a01a019d02p-16, -0x1.27e4fb7711e1dp-22, 0x1.1eed8de9ef73ep-29,
                               -0x1.9394b76d1f265p-37, 0x1.ab76cf6e9b364p-45);
  const float64 sine_low = math::fma(r.high * square, s, math::fma(-half, r.low, r.low));
  const Pair<float64> leading = fast_two_sum(1.0, -half);
  const float64 rest = math::fma(square * square, c, math::fma(-r.high, r.low, -0.5 * lost));
  return {{r.high, sine_low}, {leading.high, leading.low + rest}};
}

/// Returns the sine; a zero keeps the sign of `x`.
SKERRY_HD SKERRY_INLINE float64 sin_of(ReducedAngle angle, float64 x) {
  const SineAndCosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float64 high = is_odd ? v.cosine.high : v.sine.high;
  const float64 low = is_odd ? v.cosine.low : v.sine.low;
  const float64 y = negate_if(high + low, angle.quadrant >> 1);
  return x == 0 ? x : y;
}
/// Returns the cosine, or x - x if x is not finite. Otherwise the sign of a NaN would depend on the
/// instructions, since the compiler may negate a factor or subtract a product: with AVX-512, it
/// differed between the vectors and the remainder of an array.
SKERRY_HD SKERRY_INLINE float64 cos_of(ReducedAngle angle, float64 x) {
  const SineAndCosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float64 high = is_odd ? v.sine.high : v.cosine.high;
  const float64 low = is_odd ? v.sine.low : v.cosine.low;
  const float64 y = negate_if(high + low, (angle.quadrant + 1) >> 1);
  return has_branches || math::fabs(x) < infinity<float64>() ? y : x - x;
}
SKERRY_HD SKERRY_INLINE float64 tan_of(ReducedAngle angle, float64 x) {
  const SineAndCosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const Pair<float64> above =
      fast_two_sum(is_odd ? v.cosine.high : v.sine.high, is_odd ? v.cosine.low : v.sine.low);
  const Pair<float64> below =
      fast_two_sum(is_odd ? v.sine.high : v.cosine.high, is_odd ? v.sine.low : v.cosine.low);
  const Pair<float64> y = quotient(above, below);
  return math::fabs(x) < 0x1p-28 ? x : negate_if(y.high + y.low, angle.quadrant);
}

// float32: angles up to 2^17 are reduced in float32, others in float64.

inline constexpr float32 near_angle = 0x1p17f;

struct SingleAngle {
  Pair<float32> rest;
  uint32 quadrant;
};

/// Reduces |x| <= near_angle. x minus n times the first part of pi / 2 is exact: both are multiples
/// of 2^-24 unless n is 0.
SKERRY_HD SKERRY_INLINE SingleAngle reduce_near_angle(float32 x) {
  const float32 rounded = math::fma(x, 0x1.45f306p-1f, magic<float32>);
  const float32 n = rounded - magic<float32>;
  const float32 difference = math::fma(n, -right_angle<float32>.high, x);
  const Pair<float32> second = two_product(n, right_angle<float32>.low);
  const Pair<float32> r = two_sum(difference, -second.high);
  return {{r.high, r.low - math::fma(n, -0x1.ee59dap-50f, second.low)}, to_bits(rounded)};
}

/// Reduces x if |x| <= near_angle, otherwise returns `other` in float32.
SKERRY_HD SKERRY_INLINE SingleAngle nearer(float32 x, ReducedAngle other) {
  const SingleAngle single_angle = reduce_near_angle(x);
  const bool is_near = math::fabs(x) <= near_angle;
  const float32 high = static_cast<float32>(other.rest.high);
  const float32 low = static_cast<float32>(other.rest.high - static_cast<float64>(high));
  return {{is_near ? single_angle.rest.high : high, is_near ? single_angle.rest.low : low},
          is_near ? single_angle.quadrant : static_cast<uint32>(other.quadrant)};
}
SKERRY_HD SKERRY_INLINE SingleAngle reduce_normal_angle(float32 x) {
  if (has_branches && math::fabs(x) <= near_angle) return reduce_near_angle(x);
  return nearer(x, reduce_normal_angle(static_cast<float64>(x)));
}
SKERRY_HD SKERRY_INLINE SingleAngle reduce_angle(float32 x) {
  if (has_branches && math::fabs(x) <= near_angle) return reduce_near_angle(x);
  return nearer(x, reduce_angle(static_cast<float64>(x)));
}

/// Like sin_cos_of_rest(). The errors of the polynomials are 1.3e-7 and 2.2e-8.
SKERRY_HD SKERRY_INLINE float32 sine_of_rest(Pair<float32> r) {
  const float32 square = r.high * r.high;
  const float32 s = polynomial(square, -0x1.555544p-3f, 0x1.1106c6p-7f, -0x1.991c28p-13f);
  return r.high + math::fma(r.high * square, s, r.low);
}
SKERRY_HD SKERRY_INLINE float32 cosine_of_rest(Pair<float32> r) {
  const float32 square = r.high * r.high;
  const float32 lost = math::fma(r.high, r.high, -square);
  const float32 c = polynomial(square, 0x1.55554ap-5f, -0x1.6c0c2p-10f, 0x1.99e42cp-16f);
  const Pair<float32> leading = fast_two_sum(1.0f, -0.5f * square);
  const float32 low = math::fma(-r.high, r.low, math::fma(-0.5f, lost, leading.low));
  return leading.high + math::fma(square * square, c, low);
}

SKERRY_HD SKERRY_INLINE float32 sin_of(SingleAngle angle, float32 x) {
  const float32 sine = sine_of_rest(angle.rest);
  const float32 y = (angle.quadrant & 1) != 0 ? cosine_of_rest(angle.rest) : sine;
  return x == 0 ? x : negate_if(y, angle.quadrant >> 1);
}
SKERRY_HD SKERRY_INLINE float32 cos_of(SingleAngle angle, float32 x) {
  const float32 cosine = cosine_of_rest(angle.rest);
  const float32 y = (angle.quadrant & 1) != 0 ? sine_of_rest(angle.rest) : cosine;
  const float32 result = negate_if(y, (angle.quadrant + 1) >> 1);
  return has_branches || math::fabs(x) < infinity<float32>() ? result : x - x;  // as in float64
}

/// Returns tan(r) = r + r^3 t(r^2), with an error of 1.5e-9, relative to tan(r), or minus its
/// reciprocal.
SKERRY_HD SKERRY_INLINE float32 tan_of(SingleAngle angle, float32 x) {
  const float32 r = angle.rest.high;
  const float32 square = r * r;
  const float32 t = polynomial(square, 0x1.555562p-2f, 0x1.110d18p-3f, 0x1.baf164p-5f,
                               0x1.5bcb7cp-6f, 0x1.67ced2p-7f, -0x1.9a7122p-14f, 0x1.24fb46p-8f);
  // Corrects for the low part of r and for the rounding error of r^2, by approximate slopes.
  const float32 lost_square = math::fma(r, r, -square);
  const float32 of_low = math::fma(1.6f * square, angle.rest.low, angle.rest.low);
  const float32 low = math::fma(0.59f * r, lost_square, of_low);
  const Pair<float32> y = fast_two_sum(r, math::fma(r * square, t, low));
  const float32 inverse = -1.0f / y.high;
  const float32 lost = math::fma(inverse, y.low, math::fma(inverse, y.high, 1.0f));
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float32 result = is_odd ? math::fma(inverse, lost, inverse) : y.high;
  return x == 0 ? x : result;
}

// near_*() are for |x| <= near_angle, normal_range_*() for |x| <= max_normal_angle. They return the
// same bits as the general functions.

#define SKERRY_FORMS(name)                                 \
  SKERRY_HD SKERRY_INLINE float32 near_##name(float32 x) { \
    return name##_of(reduce_near_angle(x), x);             \
  }                                                        \
  template <real_floating T>                               \
  SKERRY_HD SKERRY_INLINE T normal_range_##name(T x) {     \
    return name##_of(reduce_normal_angle(x), x);           \
  }                                                        \
  template <real_floating T>                               \
  SKERRY_HD SKERRY_INLINE T name(T x) {                    \
    return name##_of(reduce_angle(x), x);                  \
  }
SKERRY_FORMS(sin)
SKERRY_FORMS(cos)
SKERRY_FORMS(tan)
#undef SKERRY_FORMS

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
