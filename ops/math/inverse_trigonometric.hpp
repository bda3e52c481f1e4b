// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/arctangent.hpp"

// asin, acos and atan: polynomials about 0, to which the rest of the range is reduced.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// q of asin(y) = y + y^3 q(y^2) for y^2 <= 1/4: near-minimax (Chebyshev interpolation in 60 digits
/// by mpmath's chebyfit, rounded). Error 1.5e-17; 2.5e-10 of the coarse ones.
SKERRY_HD SKERRY_INLINE float64 asin_terms(float64 square) {
  return polynomial(square, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                    0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                    0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                    0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                    0x1.d72b2bc8155f8p-6);
}
SKERRY_HD SKERRY_INLINE float64 coarse_asin_terms(float64 square) {
  return polynomial(square, 0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5,
                    0x1.efedf83ab6506p-6, 0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7,
                    0x1.fb7ca379d49c6p-6);
}

/// asin(y), y in [0, 1/2], of which asin(|x|) is y's or pi / 2 - twice y's.
struct reduced_sine {
  float64 y;
  float64 rest;  ///< asin(y) - y
  bool is_outer;
};
/// In the outer half y = sqrt((1 - |x|) / 2), whose rounding error is part of the rest.
SKERRY_HD SKERRY_INLINE reduced_sine reduce_sine(float64 x) {
  const float64 size = math::fabs(x);
  const bool is_outer = size > 0.5;
  const float64 square = is_outer ? 0.5 - 0.5 * size : size * size;
  const float64 root = math::sqrt(square);
  const float64 lost =
      math::fma(-root, root, square) * (0.5 / (root + 0x1p-1000));  // root may be 0
  const float64 y = is_outer ? root : size;
  const float64 rest = math::fma(y * square, asin_terms(square), is_outer ? lost : 0.0);
  return {y, rest, is_outer};
}

SKERRY_HD SKERRY_INLINE float64 asin(float64 x) {
  const reduced_sine s = reduce_sine(x);
  const float64 factor = s.is_outer ? -2.0 : 1.0;
  const pair<float64> sum = fast_two_sum(s.is_outer ? half_pi[0] : 0.0, factor * s.y);
  const float64 low = math::fma(factor, s.rest, s.is_outer ? half_pi[1] : 0.0);
  return math::copysign(sum.high + (sum.low + low), x);
}

SKERRY_HD SKERRY_INLINE float64 acos(float64 x) {
  const reduced_sine s = reduce_sine(x);
  const bool is_negative = x < 0;
  const float64 sign = is_negative ? 1.0 : -1.0;
  const float64 factor = s.is_outer ? -2.0 * sign : sign;
  const float64 of_outer = is_negative ? 2.0 : 0.0;  // quarters of a turn
  const float64 quarters = s.is_outer ? of_outer : 1.0;
  const pair<float64> sum = fast_two_sum(quarters * half_pi[0], factor * s.y);
  const float64 low = math::fma(factor, s.rest, quarters * half_pi[1]);
  return sum.high + (sum.low + low);
}

/// To about 2^-32 of it.
SKERRY_HD SKERRY_INLINE reduced_sine coarse_reduced_sine(float64 x) {
  const float64 size = math::fabs(x);
  const bool is_outer = size > 0.5;
  const float64 square = is_outer ? 0.5 - 0.5 * size : size * size;
  const float64 y = is_outer ? math::sqrt(square) : size;
  return {y, y * square * coarse_asin_terms(square), is_outer};
}

SKERRY_HD SKERRY_INLINE float32 asin(float32 x) {
  const reduced_sine s = coarse_reduced_sine(x);
  const float64 angle = s.y + s.rest;
  const float64 result = s.is_outer ? half_pi[0] - (angle + angle) : angle;
  return math::copysign(static_cast<float32>(result), x);
}

SKERRY_HD SKERRY_INLINE float32 acos(float32 x) {
  const float64 wide = x;
  const reduced_sine s = coarse_reduced_sine(wide);
  const float64 angle = s.y + s.rest;
  const float64 sign = math::copysign(1.0, wide);
  const float64 base = s.is_outer ? half_pi[0] - sign * half_pi[0] : half_pi[0];
  const float64 factor = s.is_outer ? 2.0 * sign : -sign;
  const float32 found = static_cast<float32>(math::fma(factor, angle, base));
  return x != x ? x : found;  // compilers may take the sign of a NaN for that of the factor
}

/// x = tan(base +- y): 1 / x beyond 1, (x - 1) / (x + 1) beyond tan(pi / 8); one division.
SKERRY_HD SKERRY_INLINE float64 atan(float64 x) {
  constexpr float64 is_right_angle = 0x1p60;  // to the last place
  const float64 any_size = math::fabs(x);
  const float64 size = any_size > is_right_angle ? is_right_angle : any_size;  // NaN stays
  const bool is_steep = size > 1.0;
  const float64 lesser = is_steep ? 1.0 : size;
  const float64 greater = is_steep ? size : 1.0;
  const bool is_diagonal = lesser > greater * tan_of_eighth;
  const pair<float64> found = quotient(two_sum(lesser, is_diagonal ? -greater : 0.0),
                                       fast_two_sum(greater, is_diagonal ? lesser : 0.0));
  const pair<float64> y = fast_two_sum(found.high, found.low);
  const float64 of_steep = is_steep ? 1.0 : 0.0;
  const float64 quarters = is_diagonal ? 0.5 : of_steep;  // of a turn
  const float64 sign = is_steep ? -1.0 : 1.0;
  const pair<float64> sum = fast_two_sum(quarters * half_pi[0], sign * y.high);
  const float64 low = math::fma(sign, arctangent_rest(y), quarters * half_pi[1]);
  return math::copysign(sum.high + (sum.low + low), x);
}

/// In float64, rounded once.
SKERRY_HD SKERRY_INLINE float32 atan(float32 x) {
  const float64 size = math::fabs(static_cast<float64>(x));
  const bool is_steep = size > 1.0;
  const float64 lesser = is_steep ? 1.0 : size;
  const float64 greater = is_steep ? size : 1.0;
  const bool is_diagonal = lesser > greater * tan_of_eighth;
  const float64 y =
      (lesser - (is_diagonal ? greater : 0.0)) / (greater + (is_diagonal ? lesser : 0.0));
  const float64 angle = coarse_arctangent(y) + (is_diagonal ? 0.5 * half_pi[0] : 0.0);
  const float64 result = is_steep ? half_pi[0] - angle : angle;
  return math::copysign(static_cast<float32>(result), x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
