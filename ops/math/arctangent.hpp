// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/huge_angle.hpp"

// atan2: the quotient as a pair, within the first octant, and then the octants.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// atan(q.high + q.low) - q.high for |q| <= tan(pi / 8): near-minimax, Chebyshev interpolation of
/// (atan(q) - q) / q^3 in 60 digits, rounded. Error 4.4e-20.
SKERRY_HD SKERRY_INLINE float64 arctangent_rest(pair<float64> q) {
  const float64 square = q.high * q.high;
  const float64 terms = polynomial(
      square, -0x1.5555555555555p-2, 0x1.9999999999996p-3, -0x1.2492492492099p-3,
      0x1.c71c71c6dc99ep-4, -0x1.745d17352094dp-4, 0x1.3b13aea08584bp-4, -0x1.1110ce17fe8c4p-4,
      0x1.e1d8d219a7bbcp-5, -0x1.aebc3aae6ea6bp-5, 0x1.82972e612306cp-5, -0x1.50253ac88b1b7p-5,
      0x1.f584cc2ef7cbfp-6, -0x1.c73ae7f95c2bep-7);
  return math::fma(q.high * square, terms, q.low);
}

/// As arctangent_rest; error 1.9e-11.
SKERRY_HD SKERRY_INLINE float64 coarse_arctangent(float64 q) {
  const float64 square = q * q;
  const float64 terms = polynomial(
      square, -0x1.5555555501010p-2, 0x1.9999982174445p-3, -0x1.2491bf4d1afe5p-3,
      0x1.c6f6422e9831cp-4, -0x1.71d067c3a46f1p-4, 0x1.243050d013373p-4, -0x1.4ae868a227334p-5);
  return math::fma(q * square, terms, q);
}

/// quarters of a turn + rest, the angle of a point of the first octant.
struct octant_angle {
  float64 quarters;  ///< 0 or 1/2
  pair<float64> rest;
};

inline constexpr float64 tan_of_eighth = 0x1.a827999fcef32p-2;  ///< tan(pi / 8)

/// atan(lesser / greater) for 0 <= lesser <= greater; their quotient is reduced by 45 degrees where
/// it is beyond tan(pi / 8). One division.
SKERRY_HD SKERRY_INLINE octant_angle octant_of(float64 lesser, float64 greater) {
  float64 scale = greater < 0x1p500 ? 0x1p500 : 1.0;
  scale = greater > 0x1p1000 ? 0x1p-100 : scale;
  const float64 x = greater * scale;
  const float64 y = lesser * scale;
  const bool is_diagonal = lesser == infinity<float64>();
  const bool is_reduced = y > x * tan_of_eighth;
  const pair<float64> above = fast_two_sum(is_reduced ? -x : 0.0, y);
  const pair<float64> below = fast_two_sum(x, is_reduced ? y : 0.0);
  const bool has_no_quotient = (greater == 0) | (greater == infinity<float64>());
  const pair<float64> found = quotient(above, below);
  const pair<float64> q =
      fast_two_sum(has_no_quotient ? 0.0 : found.high, has_no_quotient ? 0.0 : found.low);
  return {is_reduced | is_diagonal ? 0.5 : 0.0, {q.high, arctangent_rest(q)}};
}

SKERRY_HD SKERRY_INLINE float64 atan2(float64 y, float64 x) {
  const float64 height = math::fabs(y);
  const float64 width = math::fabs(x);
  const bool is_steep = height > width;
  const octant_angle a = octant_of(is_steep ? width : height, is_steep ? height : width);
  const bool is_left = signbit(x);
  const float64 of_side = is_steep ? 1.0 - a.quarters : a.quarters;
  const float64 quarters = is_left ? 2.0 - of_side : of_side;
  const float64 sign = is_steep != is_left ? -1.0 : 1.0;
  const pair<float64> leading = two_sum(quarters * half_pi[0], sign * a.rest.high);
  const float64 low = math::fma(sign, a.rest.low, quarters * half_pi[1]);
  const float64 size = leading.high + (leading.low + low);
  return ((x != x) | (y != y)) ? x + y : math::copysign(size, y);
}

/// In float64, rounded once.
SKERRY_HD SKERRY_INLINE float32 atan2(float32 y, float32 x) {
  const float64 height = math::fabs(static_cast<float64>(y));
  const float64 width = math::fabs(static_cast<float64>(x));
  const bool is_steep = height > width;
  const float64 lesser = is_steep ? width : height;
  const float64 greater = is_steep ? height : width;
  const bool is_diagonal = lesser == infinity<float64>();
  const bool is_reduced = (lesser > greater * tan_of_eighth) | is_diagonal;
  float64 q = (is_reduced ? lesser - greater : lesser) / (is_reduced ? greater + lesser : greater);
  q = ((greater == 0) | is_diagonal) ? 0.0 : q;
  float64 angle = (is_reduced ? 0.5 * half_pi[0] : 0.0) + coarse_arctangent(q);
  angle = is_steep ? half_pi[0] - angle : angle;
  angle = signbit(x) ? 2 * half_pi[0] - angle : angle;
  const float32 signed_angle = math::copysign(static_cast<float32>(angle), y);
  return ((x != x) | (y != y)) ? x + y : signed_angle;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
