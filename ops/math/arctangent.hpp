// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/huge_angle.hpp"

// atan2: computes the angle in the first octant from a quotient, as a pair, then maps the octants.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns atan(q.high + q.low) - q.high for |q| <= tan(pi / 8). The polynomial is near-minimax:
/// Chebyshev interpolation of (atan(q) - q) / q^3 in 60 digits, rounded. Error 7.2e-18, relative to
/// q.
SKERRY_HD SKERRY_INLINE float64 arctangent_rest(Pair<float64> q) {
  const float64 square = q.high * q.high;
  const float64 terms = polynomial(
      square, -0x1.5555555555555p-2, 0x1.999999999934ap-3, -0x1.24924924360cbp-3,
      0x1.c71c7185314cbp-4, -0x1.745d0b26b83e7p-4, 0x1.3b1262d95579ep-4, -0x1.10fa75382537fp-4,
      0x1.dfe61e80903d2p-5, -0x1.a098bb6ba4941p-5, 0x1.41603647c7a7cp-5, -0x1.3a2b7a07caea9p-6);
  return math::fma(q.high * square, terms, q.low);
}

/// Returns atan(q.high + q.low) - q.high + more for |q| <= 1 and a small `more`. Error 5.6e-10,
/// relative to the angle. The derivative at q is approximated by 1 - q^2 / 2, which is accurate
/// where the low part matters.
SKERRY_HD SKERRY_INLINE float32 arctangent_rest(Pair<float32> q, float32 more) {
  const float32 square = q.high * q.high;
  const float32 terms = polynomial(square, -0x1.55555p-2f, 0x1.999788p-3f, -0x1.246e5ep-3f,
                                   0x1.c4a9p-4f, -0x1.67c1aap-4f, 0x1.115e0ap-4f, -0x1.65e644p-5f,
                                   0x1.62b7dep-6f, -0x1.c31036p-8f, 0x1.0c58fep-10f);
  const Pair<float32> cube = two_product(q.high, square);
  const float32 low = math::fma(-0.5f * square, q.low, q.low);
  return math::fma(cube.high, terms, math::fma(cube.low, -0.21f, low) + more);
}

/// The angle of a point in the first octant: `quarters` quarter turns plus `rest`.
struct OctantAngle {
  float64 quarters;  ///< 0 or 1/2
  Pair<float64> rest;
};

inline constexpr float64 tan_of_eighth = 0x1.a827999fcef32p-2;  ///< tan(pi / 8)

/// Returns atan(lesser / greater) for 0 <= lesser <= greater, with one division. If the quotient
/// exceeds tan(pi / 8), the angle is reduced by 45 degrees.
SKERRY_HD SKERRY_INLINE OctantAngle octant_of(float64 lesser, float64 greater) {
  float64 scale = greater < 0x1p500 ? 0x1p500 : 1.0;
  scale = greater > 0x1p1000 ? 0x1p-100 : scale;
  const float64 x = greater * scale;
  const float64 y = lesser * scale;
  const bool is_diagonal = lesser == infinity<float64>();
  const bool is_reduced = y > x * tan_of_eighth;
  const Pair<float64> above = fast_two_sum(is_reduced ? -x : 0.0, y);
  const Pair<float64> below = fast_two_sum(x, is_reduced ? y : 0.0);
  const bool has_no_quotient = (greater == 0) | (greater == infinity<float64>());
  const Pair<float64> ratio = quotient(above, below);
  const Pair<float64> q =
      fast_two_sum(has_no_quotient ? 0.0 : ratio.high, has_no_quotient ? 0.0 : ratio.low);
  return {(is_reduced | is_diagonal) ? 0.5 : 0.0, {q.high, arctangent_rest(q)}};
}

SKERRY_HD SKERRY_INLINE float64 atan2(float64 y, float64 x) {
  const float64 height = math::fabs(y);
  const float64 width = math::fabs(x);
  const bool is_steep = height > width;
  const OctantAngle a = octant_of(is_steep ? width : height, is_steep ? height : width);
  const bool is_left = signbit(x);
  const float64 of_side = is_steep ? 1.0 - a.quarters : a.quarters;
  const float64 quarters = is_left ? 2.0 - of_side : of_side;
  const float64 sign = is_steep != is_left ? -1.0 : 1.0;
  const Pair<float64> leading = two_sum(quarters * half_pi[0], sign * a.rest.high);
  const float64 low = math::fma(sign, a.rest.low, quarters * half_pi[1]);
  const float64 size = leading.high + (leading.low + low);
  return ((x != x) | (y != y)) ? x + y : math::copysign(size, y);
}

/// Computes a quotient of at most 1, with operands scaled so that its rounding error and the
/// reciprocal are normal numbers.
SKERRY_HD SKERRY_INLINE float32 atan2(float32 y, float32 x) {
  const float32 height = math::fabs(y);
  const float32 width = math::fabs(x);
  const bool is_steep = height > width;
  const float32 greater = is_steep ? height : width;
  const float32 lesser = is_steep ? width : height;
  const float32 scale = greater < 0x1p20f ? 0x1p100f : 0x1p-4f;
  const float32 below = greater * scale;
  const float32 reciprocal = 1.0f / below;
  const float32 above = lesser * scale;
  const float32 ratio = above * reciprocal;
  const float32 lost = math::fma(-ratio, below, above) * reciprocal;
  const float32 of_ends = lesser == infinity<float32>() ? 1.0f : 0.0f;
  const bool has_quotient = (greater > 0) & (greater < infinity<float32>());
  const bool is_left = signbit(x);
  const float32 sign = is_steep != is_left ? -1.0f : 1.0f;
  const float32 q = sign * (has_quotient ? ratio : of_ends);
  const float32 low = sign * (has_quotient ? lost : 0.0f);
  const float32 of_left = is_left ? 2.0f : 0.0f;
  const float32 quarters = is_steep ? 1.0f : of_left;
  const Pair<float32> sum = fast_two_sum(quarters * right_angle<float32>.high, q);
  const float32 more = math::fma(quarters, right_angle<float32>.low, sum.low);
  const float32 size = sum.high + arctangent_rest(Pair<float32>{q, low}, more);
  return ((x != x) | (y != y)) ? x + y : math::copysign(size, y);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
