// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/huge_angle.hpp"

// sin, cos and tan: the rest of x after the nearest multiple of pi / 2, as a pair, and polynomials.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// For |x| up to here, or not finite: pi / 2 in three parts does.
template <real_floating T>
inline constexpr T ordinary_angle = T(0x1p40);

/// n * half_pi[0] is taken from x exactly.
SKERRY_HD SKERRY_INLINE reduced_angle reduce_ordinary_angle(float64 x) {
  const float64 rounded = math::fma(x, 0x1.45f306dc9c883p-1, magic<float64>);
  const float64 n = rounded - magic<float64>;
  const float64 difference = math::fma(n, -half_pi[0], x);
  const pair<float64> second = two_product(n, half_pi[1]);
  const pair<float64> r = two_sum(difference, -second.high);
  return {{r.high, r.low - math::fma(n, half_pi[2], second.low)}, to_bits(rounded)};
}

SKERRY_HD SKERRY_INLINE reduced_angle reduce_angle(float64 x) {
  const bool is_huge =
      (math::fabs(x) > ordinary_angle<float64>)&(math::fabs(x) < infinity<float64>());
  if (has_branches && !is_huge) return reduce_ordinary_angle(x);
  const reduced_angle huge = reduce_huge_angle(x);
  const reduced_angle other = reduce_ordinary_angle(x);
  return {{is_huge ? huge.rest.high : other.rest.high, is_huge ? huge.rest.low : other.rest.low},
          is_huge ? huge.quadrant : other.quadrant};
}

struct sine_and_cosine {
  pair<float64> sine;
  pair<float64> cosine;
};

/// Of |r| <= pi / 4. Polynomials near-minimax: Chebyshev interpolation of (sin(r) - r) / r^3 and
/// (cos(r) - 1 + r^2 / 2) / r^4 in 60 digits, rounded. Errors 1.2e-20, 6.5e-22.
SKERRY_HD SKERRY_INLINE sine_and_cosine sin_cos_of_rest(pair<float64> r) {
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
  const pair<float64> leading = fast_two_sum(1.0, -half);
  const float64 rest = math::fma(square * square, c, math::fma(-r.high, r.low, -0.5 * lost));
  return {{r.high, sine_low}, {leading.high, leading.low + rest}};
}

/// x keeps the sign of zero.
SKERRY_HD SKERRY_INLINE float64 sin_of(reduced_angle angle, float64 x) {
  const sine_and_cosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float64 high = is_odd ? v.cosine.high : v.sine.high;
  const float64 low = is_odd ? v.cosine.low : v.sine.low;
  const float64 y = negate_if(high + low, angle.quadrant >> 1);
  return x == 0 ? x : y;
}
/// Not finite: x - x. Out of the sums and products the sign of a NaN depends on the instructions,
/// as the compiler may negate a factor or subtract a product, and on AVX-512 it was another one in
/// the remainder of an array than in its vectors.
SKERRY_HD SKERRY_INLINE float64 cos_of(reduced_angle angle, float64 x) {
  const sine_and_cosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float64 high = is_odd ? v.sine.high : v.cosine.high;
  const float64 low = is_odd ? v.sine.low : v.cosine.low;
  const float64 y = negate_if(high + low, (angle.quadrant + 1) >> 1);
  return has_branches || math::fabs(x) < infinity<float64>() ? y : x - x;
}
SKERRY_HD SKERRY_INLINE float64 tan_of(reduced_angle angle, float64 x) {
  const sine_and_cosine v = sin_cos_of_rest(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const pair<float64> above =
      fast_two_sum(is_odd ? v.cosine.high : v.sine.high, is_odd ? v.cosine.low : v.sine.low);
  const pair<float64> below =
      fast_two_sum(is_odd ? v.sine.high : v.cosine.high, is_odd ? v.sine.low : v.cosine.low);
  const pair<float64> y = quotient(above, below);
  return math::fabs(x) < 0x1p-28 ? x : negate_if(y.high + y.low, angle.quadrant);
}

// For float32, in float64: two parts of pi / 2 do, and the rest of the angle is one number.

struct coarse_angle {
  float64 rest;
  uint64 quadrant;
};

SKERRY_HD SKERRY_INLINE coarse_angle coarse_ordinary_angle(float64 x) {
  const float64 rounded = math::fma(x, 0x1.45f306dc9c883p-1, magic<float64>);
  const float64 n = rounded - magic<float64>;
  return {math::fma(n, -half_pi[1], math::fma(n, -half_pi[0], x)), to_bits(rounded)};
}

SKERRY_HD SKERRY_INLINE coarse_angle coarse_any_angle(float64 x) {
  const bool is_huge =
      (math::fabs(x) > ordinary_angle<float64>)&(math::fabs(x) < infinity<float64>());
  if (has_branches && !is_huge) return coarse_ordinary_angle(x);
  const reduced_angle huge = reduce_huge_angle(x);
  const coarse_angle other = coarse_ordinary_angle(x);
  return {is_huge ? huge.rest.high : other.rest, is_huge ? huge.quadrant : other.quadrant};
}

struct coarse_sine_and_cosine {
  float64 sine;
  float64 cosine;
};

/// As sin_cos_of_rest; errors 2.8e-11, 2.4e-12.
SKERRY_HD SKERRY_INLINE coarse_sine_and_cosine coarse_sin_cos(float64 r) {
  const float64 square = r * r;
  const float64 s = polynomial(square, -0x1.555555545c0f8p-3, 0x1.11110dea5e8c0p-7,
                               -0x1.a013a11619d1bp-13, 0x1.6dbbee1f24646p-19);
  const float64 c = polynomial(square, 0x1.555555550225fp-5, -0x1.6c16bf51b0df9p-10,
                               0x1.a015c02820885p-16, -0x1.2522e6d930e5bp-22);
  return {math::fma(r * square, s, r), math::fma(square * square, c, math::fma(square, -0.5, 1.0))};
}

SKERRY_HD SKERRY_INLINE float32 sin_of(coarse_angle angle, float32 x) {
  const coarse_sine_and_cosine v = coarse_sin_cos(angle.rest);
  const float64 y = (angle.quadrant & 1) != 0 ? v.cosine : v.sine;
  return x == 0 ? x : static_cast<float32>(negate_if(y, angle.quadrant >> 1));
}
SKERRY_HD SKERRY_INLINE float32 cos_of(coarse_angle angle) {
  const coarse_sine_and_cosine v = coarse_sin_cos(angle.rest);
  const float64 y = (angle.quadrant & 1) != 0 ? v.sine : v.cosine;
  return static_cast<float32>(negate_if(y, (angle.quadrant + 1) >> 1));
}
SKERRY_HD SKERRY_INLINE float32 tan_of(coarse_angle angle, float32 x) {
  const coarse_sine_and_cosine v = coarse_sin_cos(angle.rest);
  const bool is_odd = (angle.quadrant & 1) != 0;
  const float64 y = (is_odd ? v.cosine : v.sine) / (is_odd ? v.sine : v.cosine);
  return x == 0 ? x : static_cast<float32>(negate_if(y, angle.quadrant));
}

// ordinary_*: for |x| <= ordinary_angle; the same bits as the others.

SKERRY_HD SKERRY_INLINE float64 ordinary_sin(float64 x) {
  return sin_of(reduce_ordinary_angle(x), x);
}
SKERRY_HD SKERRY_INLINE float64 ordinary_cos(float64 x) {
  return cos_of(reduce_ordinary_angle(x), x);
}
SKERRY_HD SKERRY_INLINE float64 ordinary_tan(float64 x) {
  return tan_of(reduce_ordinary_angle(x), x);
}
SKERRY_HD SKERRY_INLINE float32 ordinary_sin(float32 x) {
  return sin_of(coarse_ordinary_angle(x), x);
}
SKERRY_HD SKERRY_INLINE float32 ordinary_cos(float32 x) { return cos_of(coarse_ordinary_angle(x)); }
SKERRY_HD SKERRY_INLINE float32 ordinary_tan(float32 x) {
  return tan_of(coarse_ordinary_angle(x), x);
}

SKERRY_HD SKERRY_INLINE float64 sin(float64 x) { return sin_of(reduce_angle(x), x); }
SKERRY_HD SKERRY_INLINE float64 cos(float64 x) { return cos_of(reduce_angle(x), x); }
SKERRY_HD SKERRY_INLINE float64 tan(float64 x) { return tan_of(reduce_angle(x), x); }
SKERRY_HD SKERRY_INLINE float32 sin(float32 x) { return sin_of(coarse_any_angle(x), x); }
SKERRY_HD SKERRY_INLINE float32 cos(float32 x) { return cos_of(coarse_any_angle(x)); }
SKERRY_HD SKERRY_INLINE float32 tan(float32 x) { return tan_of(coarse_any_angle(x), x); }

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
