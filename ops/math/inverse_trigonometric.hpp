// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/arctangent.hpp"

// asin, acos and atan: polynomials about 0, to which other arguments are reduced.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns q of asin(y) = y + y^3 q(y^2) for y^2 <= 1/4. Near-minimax (Chebyshev interpolation in
/// 60 digits by mpmath's chebyfit, rounded). Error relative to asin(y): 5.4e-18; 4.9e-9 in float32.
SKERRY_HD SKERRY_INLINE float64 asin_terms(float64 square) {
  return polynomial(square, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                    0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                    0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                    0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                    0x1.d72b2bc8155f8p-6);
}
SKERRY_HD SKERRY_INLINE float32 asin_terms(float32 square) {
  return polynomial(square, 0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bb8p-5f, 0x1.8c3e4cp-6f,
                    0x1.595c68p-5f);
}

/// asin(y) for y in [0, 1/2]; asin(|x|) is asin(y) or, if `outer`, pi / 2 - 2 asin(y).
template <real_floating T>
struct ReducedSine {
  T y;
  T rest;   ///< asin(y) - y
  T outer;  ///< 1 or 0; not a bool, with which GCC 12 keeps the struct in memory
};
/// Returns 1 / (2 sqrt(square)); in float32 only an approximation of a few bits.
SKERRY_HD SKERRY_INLINE float32 half_reciprocal(float32 square, float32) {
  return from_bits<float32>(0x5eb7642f - (to_bits(square) >> 1));
}
SKERRY_HD SKERRY_INLINE float64 half_reciprocal(float64, float64 root) {
  return 0.5 / (root + 0x1p-1000);  // root may be 0
}
/// Reduces x. For |x| > 1/2, y = sqrt((1 - |x|) / 2), and `rest` includes its rounding error.
template <real_floating T>
SKERRY_HD SKERRY_INLINE ReducedSine<T> reduce_sine(T x) {
  const T size = math::fabs(x);
  const bool is_outer = size > T(0.5);
  const T square = is_outer ? T(0.5) - T(0.5) * size : size * size;
  const T root = math::sqrt(square);
  const T lost = math::fma(-root, root, square) * half_reciprocal(square, root);
  const T y = is_outer ? root : size;
  const T rest = math::fma(y * square, asin_terms(square), is_outer ? lost : T(0));
  return {y, rest, is_outer ? T(1) : T(0)};
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T asin(T x) {
  const ReducedSine<T> s = reduce_sine(x);
  const T factor = T(1) - T(3) * s.outer;
  const Pair<T> sum = fast_two_sum(s.outer * right_angle<T>.high, factor * s.y);
  const T low = math::fma(factor, s.rest, s.outer * right_angle<T>.low);
  return math::copysign(sum.high + (sum.low + low), x);
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T acos(T x) {
  const ReducedSine<T> s = reduce_sine(x);
  const bool is_negative = x < 0;
  const T sign = is_negative ? T(1) : T(-1);
  const T factor = sign * (T(1) - T(3) * s.outer);
  const T quarters = math::fma(s.outer, sign, T(1));  // quarter turns
  const Pair<T> sum = fast_two_sum(quarters * right_angle<T>.high, factor * s.y);
  const T low = math::fma(factor, s.rest, quarters * right_angle<T>.low);
  return sum.high + (sum.low + low);
}

/// Reduces x to 1 / x above 1, and then to (x - 1) / (x + 1) above tan(pi / 8), in one division.
SKERRY_HD SKERRY_INLINE float64 atan(float64 x) {
  constexpr float64 is_right_angle = 0x1p60;  // above, the result rounds to pi / 2
  const float64 any_size = math::fabs(x);
  const float64 size = any_size > is_right_angle ? is_right_angle : any_size;  // keeps NaN
  const bool is_steep = size > 1.0;
  const float64 lesser = is_steep ? 1.0 : size;
  const float64 greater = is_steep ? size : 1.0;
  const bool is_diagonal = lesser > greater * tan_of_eighth;
  const Pair<float64> y = quotient(fast_two_sum(is_diagonal ? -greater : 0.0, lesser),
                                   fast_two_sum(greater, is_diagonal ? lesser : 0.0));
  const float64 of_steep = is_steep ? 1.0 : 0.0;
  const float64 quarters = is_diagonal ? 0.5 : of_steep;  // quarter turns
  const float64 sign = is_steep ? -1.0 : 1.0;
  const Pair<float64> sum = fast_two_sum(quarters * half_pi[0], sign * y.high);
  const float64 low = math::fma(sign, arctangent_rest(y), quarters * half_pi[1]);
  return math::copysign(sum.high + (sum.low + low), x);
}

/// Reduces x to -1 / x above 1.
SKERRY_HD SKERRY_INLINE float32 atan(float32 x) {
  constexpr float32 is_right_angle = 0x1p30f;  // above, the result rounds to pi / 2
  const float32 any_size = math::fabs(x);
  const float32 size = any_size > is_right_angle ? is_right_angle : any_size;  // keeps NaN
  const bool is_steep = size > 1.0f;
  const float32 above = is_steep ? -1.0f : size;
  const float32 below = is_steep ? size : 1.0f;
  const float32 y = above / below;
  const float32 lost = math::fma(y, below, -above) * y;  // 0 where 1 / below is not -y
  const Pair<float32> sum = fast_two_sum(is_steep ? right_angle<float32>.high : 0.0f, y);
  const float32 more = sum.low + (is_steep ? right_angle<float32>.low : 0.0f);
  return math::copysign(sum.high + arctangent_rest(Pair<float32>{y, lost}, more), x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
