// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_parts.hpp"

// e^z and the hyperbolic functions of complex numbers.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// e^z where a part of z is not finite and im isn't 0.
SKERRY_HD inline complex128 exp_special(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(a) && isfinite(b)) {
    const float64 limit = a > 0 ? a : 0.0;
    return {limit * elementary::cos(b), limit * elementary::sin(b)};
  }
  if (isinf(a) && a > 0) return {a, nan<float64>()};
  // The sign of this zero is open, but not that exp(conj(z)) is conj(exp(z)).
  if (isinf(a)) return {0.0, isinf(b) ? math::copysign(0.0, b) : 0.0};
  return {nan<float64>(), nan<float64>()};
}

/// e^(x.high + x.low) (cos + i sin), where e^x alone may be out of range and the product not.
SKERRY_HD inline complex128 polar(own::pair<float64> x, sine_and_cosine angle) {
  const own::scaled<float64> size = own::scaled_exp(
      own::reduce_exponent(own::pair<float64>{clamp(x.high, -1480.0, 1480.0), x.low}));
  const int exponent = static_cast<int>(size.rounded - own::magic<float64>);
  return scale(complex128{size.significand * angle.cosine, size.significand * angle.sine},
               exponent);
}

SKERRY_HD inline complex128 exp(complex128 z) {
  if (z.im == 0) return {elementary::exp(z.re), z.im};
  if (!isfinite(z.re) || !isfinite(z.im)) return exp_special(z);
  return polar({z.re, 0.0}, sin_cos({z.im, 0.0}));
}

SKERRY_HD inline complex128 expm1(complex128 z) {
  if (z.im == 0) return {z.re == 0 ? 0.0 : elementary::expm1(z.re), z.im};
  if (!isfinite(z.re) || !isfinite(z.im) || z.re > 700.0) {
    const complex128 e = exp(z);
    return {e.re - 1.0, e.im};
  }
  const sine_and_cosine v = sin_cos({z.im, 0.0});
  const float64 below_1 = v.cosine > 0 ? v.sine * v.sine / (1.0 + v.cosine) : 1.0 - v.cosine;
  return {elementary::expm1(z.re) * v.cosine - below_1, elementary::exp(z.re) * v.sine};
}

/// sinh and cosh as they are but for a factor of 2^exponent: beyond 710 only their products with
/// what is less than 1 are in the range.
struct scaled_hyperbolic {
  float64 sinh;
  float64 cosh;
  int exponent;
};
SKERRY_HD inline scaled_hyperbolic sinh_cosh(float64 x) {
  const float64 size = math::fabs(x);
  const own::hyperbolic_parts parts = own::split_hyperbolic(size > 1480.0 ? 1480.0 : size);
  return {math::copysign(own::sinh_of(parts), x), own::cosh_of(parts),
          static_cast<int>(parts.excess - own::magic<float64>)};
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
  const sine_and_cosine v = sin_cos({b, 0.0});
  if (isinf(a)) return {a * v.cosine, math::fabs(a) * v.sine};
  const scaled_hyperbolic h = sinh_cosh(a);
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
  const sine_and_cosine v = sin_cos({b, 0.0});
  if (isinf(a)) return {math::fabs(a) * v.cosine, a * v.sine};
  const scaled_hyperbolic h = sinh_cosh(a);
  return scale(complex128{h.cosh * v.cosine, h.sinh * v.sine}, h.exponent);
}

SKERRY_HD inline complex128 tanh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(a)) {  // +0j for every positive b: the standard's rule, not C's 0 * sin(2b)
    return {math::copysign(1.0, a), isnan(b) ? 0.0 : math::copysign(0.0, b)};
  }
  if (b == 0) return {elementary::tanh(a), b};
  if (!isfinite(b)) return {a == 0 ? a : nan<float64>(), nan<float64>()};
  const sine_and_cosine v = sin_cos({b, 0.0});
  if (math::fabs(a) > 22.0) {
    const float64 root = elementary::exp(-math::fabs(a));
    return {math::copysign(1.0, a), 4.0 * v.sine * v.cosine * root * root};
  }
  const scaled_hyperbolic h = sinh_cosh(a);
  const float64 norm = h.sinh * h.sinh + v.cosine * v.cosine;
  return {h.sinh * h.cosh / norm, v.sine * v.cosine / norm};
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
