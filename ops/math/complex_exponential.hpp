// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_parts.hpp"

// e^z and the hyperbolic functions of complex numbers.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// Returns e^(x.high + x.low) (cos + i sin), also if only e^x, but not the product, is out of
/// range.
SKERRY_HD SKERRY_INLINE complex128 polar(portable::Pair<float64> x, SineAndCosine angle) {
  constexpr float64 magic = portable::magic<float64>;
  const portable::Scaled<float64> size = portable::scaled_exp(
      portable::reduce_exponent(portable::Pair<float64>{clamp(x.high, -1480.0, 1480.0), x.low}));
  const float64 exponent = size.rounded - magic;
  const float64 third = math::fma(exponent, 0x1.5555555555555p-2, magic);
  const float64 scale = portable::power_of_2(third);
  const float64 rest = portable::power_of_2(magic + (exponent - 2.0 * (third - magic)));
  return {size.significand * angle.cosine * scale * scale * rest,
          size.significand * angle.sine * scale * scale * rest};
}

/// Returns e^z from the sine and cosine of z.im. Has no branches, so that CPU loops are vectorized.
SKERRY_HD SKERRY_INLINE complex128 exp(complex128 z, SineAndCosine angle) {
  const complex128 y = polar({z.re, 0.0}, angle);
  const bool has_angle = isfinite(z.im);
  const bool is_undefined = isnan(z.re) | (!has_angle & !isinf(z.re));
  const float64 limit = z.re > 0 ? infinity<float64>() : 0.0;
  // The sign of this zero is unspecified, but exp(conj(z)) must be conj(exp(z)).
  const float64 zero = isinf(z.im) ? math::copysign(0.0, z.im) : 0.0;
  const float64 im_of_limit = z.re < 0 ? zero : nan<float64>();
  const float64 re = has_angle ? y.re : limit;
  const float64 im = has_angle ? y.im : im_of_limit;
  const float64 any_im = is_undefined ? nan<float64>() : im;
  return {is_undefined ? nan<float64>() : re, z.im == 0 ? z.im : any_im};
}
SKERRY_HD SKERRY_INLINE complex128 exp(complex128 z) { return exp(z, sin_cos(z.im)); }

SKERRY_HD SKERRY_INLINE complex128 expm1(complex128 z) {
  const SineAndCosine v = sin_cos(z.im);
  const complex128 y = exp(z, v);
  const float64 below_1 = v.cosine > 0 ? v.sine * v.sine / (1.0 + v.cosine) : 1.0 - v.cosine;
  const float64 near_re = elementary::expm1(z.re) * v.cosine - below_1 + 0.0;
  const bool is_near = (math::fabs(z.re) < 40.0) & isfinite(z.im);
  return {is_near ? near_re : y.re - 1.0, y.im};
}

/// sinh and cosh divided by 2^exponent. For arguments above 710 they are out of range, but their
/// products with a sine or cosine need not be.
struct ScaledHyperbolic {
  float64 sinh;
  float64 cosh;
  int exponent;
};
SKERRY_HD inline ScaledHyperbolic sinh_cosh(float64 x) {
  const float64 size = math::fabs(x);
  if (!(size > 40.0)) return {portable::sinh(x), portable::cosh(x), 0};
  const portable::Scaled<float64> e =
      portable::scaled_exp(portable::reduce_exponent(size > 1480.0 ? 1480.0 : size));
  return {math::copysign(e.significand, x), e.significand,
          static_cast<int>(e.rounded - portable::magic<float64>) - 1};
}

SKERRY_HD inline complex128 sinh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (b == 0) return {elementary::sinh(a), b};
  if (!isfinite(b)) {
    if (a == 0) return {a, nan<float64>()};
    if (isinf(a)) return {a, nan<float64>()};
    return {nan<float64>(), nan<float64>()};
  }
  const SineAndCosine v = sin_cos({b, 0.0});
  if (isinf(a)) return {a * v.cosine, math::fabs(a) * v.sine};
  const ScaledHyperbolic h = sinh_cosh(a);
  return scale(complex128{h.sinh * v.cosine, h.cosh * v.sine}, h.exponent);
}

SKERRY_HD inline complex128 cosh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (b == 0) return {elementary::cosh(a), math::copysign(1.0, a) * b};
  if (!isfinite(b)) {
    if (a == 0) return {nan<float64>(), 0.0};
    if (isinf(a)) return {math::fabs(a), nan<float64>()};
    return {nan<float64>(), nan<float64>()};
  }
  const SineAndCosine v = sin_cos({b, 0.0});
  if (isinf(a)) return {math::fabs(a) * v.cosine, a * v.sine};
  const ScaledHyperbolic h = sinh_cosh(a);
  return scale(complex128{h.cosh * v.cosine, h.sinh * v.sine}, h.exponent);
}

SKERRY_HD inline complex128 tanh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(a)) {  // +0j for positive b, as the standard requires, unlike C's 0 * sin(2b)
    return {math::copysign(1.0, a), isnan(b) ? 0.0 : math::copysign(0.0, b)};
  }
  if (b == 0) return {elementary::tanh(a), b};
  if (!isfinite(b)) return {a == 0 ? a : nan<float64>(), nan<float64>()};
  const SineAndCosine v = sin_cos({b, 0.0});
  if (math::fabs(a) > 22.0) {
    const float64 root = elementary::exp(-math::fabs(a));
    return {math::copysign(1.0, a), 4.0 * v.sine * v.cosine * root * root};
  }
  const ScaledHyperbolic h = sinh_cosh(a);
  const float64 norm = h.sinh * h.sinh + v.cosine * v.cosine;
  return {h.sinh * h.cosh / norm, v.sine * v.cosine / norm};
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
