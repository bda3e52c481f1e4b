// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_parts.hpp"

// Quotients, signs and square roots of complex numbers.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

SKERRY_HD SKERRY_INLINE complex128 times_conjugate(complex128 x, complex128 y) {
  return x * complex128{y.re, with_other_sign(y.im)};
}

/// Computes the textbook quotient.
SKERRY_HD SKERRY_INLINE complex128 unscaled_quotient(complex128 x, complex128 y) {
  const float64 norm = y.re * y.re + y.im * y.im;
  const complex128 product = times_conjugate(x, y);
  return {product.re / norm, product.im / norm};
}

/// Computes the textbook quotient of operands scaled to about 1. Infinities and zeros are treated
/// as in C11 Annex G.
SKERRY_HD inline complex128 scaled_quotient(complex128 x, complex128 y) {
  const int ex = exponent_of(x);
  const int ey = exponent_of(y);
  const complex128 u = scale(x, -ex);
  const complex128 v = scale(y, -ey);
  const float64 norm = v.re * v.re + v.im * v.im;
  const complex128 q = unscaled_quotient(u, v);
  if (!(isnan(q.re) & isnan(q.im))) return scale(q, ex - ey);
  if (norm == 0 && !(isnan(x.re) & isnan(x.im))) {
    const float64 inf = math::copysign(infinity<float64>(), y.re);
    return {inf * x.re, inf * x.im};
  }
  if (has_inf(x) && isfinite(y.re) && isfinite(y.im)) {
    const complex128 b = {boxed(x.re), boxed(x.im)};
    const float64 inf = infinity<float64>();
    const complex128 product = times_conjugate(b, v);
    return {inf * product.re, inf * product.im};
  }
  if (has_inf(y) && isfinite(x.re) && isfinite(x.im)) {
    const complex128 b = {boxed(y.re), boxed(y.im)};
    const complex128 product = times_conjugate(u, b);
    return {0.0 * product.re, 0.0 * product.im};
  }
  return q;
}

/// The highest bit is set unless 1e-140 <= |z| <= 1e150; quotients of such numbers are in range.
SKERRY_HD SKERRY_INLINE uint64 is_extreme(complex128 z) {
  const uint64 norm = to_bits(math::fabs(z.re * z.re + z.im * z.im));
  return (norm - to_bits(1e-280)) | (to_bits(1e300) - norm);
}

SKERRY_HD SKERRY_INLINE complex128 divide(complex128 x, complex128 y) {
  const uint64 extreme = is_extreme(x) | is_extreme(y);
  return (extreme >> 63) == 0 ? unscaled_quotient(x, y) : scaled_quotient(x, y);
}

/// Returns z / |z|; for infinities, the limit along the axis or the diagonal.
SKERRY_HD inline complex128 sign(complex128 z) {
  if (has_nan(z)) return {nan<float64>(), nan<float64>()};
  if (z.re == 0 && z.im == 0) return {0.0, 0.0};
  const complex128 u =
      has_inf(z) ? complex128{boxed(z.re), boxed(z.im)} : scale(z, -exponent_of(z));
  const float64 norm = math::sqrt(u.re * u.re + u.im * u.im);
  return {u.re / norm, u.im / norm};
}

SKERRY_HD inline complex128 sqrt_special(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(b)) return {infinity<float64>(), b};
  if (isnan(a)) return {a, nan<float64>()};
  if (isinf(a) && a > 0) return {a, isnan(b) ? b : math::copysign(0.0, b)};
  if (isinf(a)) return {isnan(b) ? b : 0.0, math::copysign(infinity<float64>(), b)};
  return {b - b, b - b};
}

SKERRY_HD inline complex128 sqrt(complex128 z) {
  if (z.re == 0 && z.im == 0) return {0.0, z.im};
  if (!isfinite(z.re) || !isfinite(z.im)) return sqrt_special(z);
  const int half = exponent_of(z) / 2;
  const complex128 u = scale(z, -2 * half);
  const float64 t = math::sqrt((math::fabs(u.re) + math::sqrt(u.re * u.re + u.im * u.im)) * 0.5);
  const complex128 root = u.re >= 0
                              ? complex128{t, u.im / (2 * t)}
                              : complex128{math::fabs(u.im) / (2 * t), math::copysign(t, u.im)};
  return scale(root, half);
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
