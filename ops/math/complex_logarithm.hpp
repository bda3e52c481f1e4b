// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_parts.hpp"

// Logarithms of complex numbers.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// (start + a * a) + b * b to about twice the working precision: the three may cancel.
SKERRY_HD SKERRY_INLINE float64 add_squares(float64 start, float64 a, float64 b) {
  const own::pair<float64> aa = own::two_product(a, a);
  const own::pair<float64> bb = own::two_product(b, b);
  const own::pair<float64> first = own::two_sum(start, aa.high);
  const own::pair<float64> second = own::two_sum(first.high, bb.high);
  return second.high + (second.low + first.low + aa.low + bb.low);
}

/// log |z|, accurate near |z| = 1 too.
SKERRY_HD inline float64 log_abs(float64 a, float64 b) {
  const float64 x = math::fabs(a);
  const float64 y = math::fabs(b);
  const float64 norm = x * x + y * y;
  if (norm > 0.5 && norm < 3.0) return 0.5 * elementary::log1p(add_squares(-1.0, x, y));
  if (norm > 1e-280 && norm < 1e300) return 0.5 * elementary::log(norm);
  if (isinf(x) || isinf(y)) return infinity<float64>();
  if (isnan(norm)) return norm;
  const int exponent = exponent_of({x, y});
  const complex128 u = scale(complex128{x, y}, -exponent);
  return 0.5 * elementary::log(u.re * u.re + u.im * u.im) + exponent * log_of_2;
}

SKERRY_HD inline complex128 log(complex128 z) {
  return {log_abs(z.re, z.im), elementary::atan2(z.im, z.re)};
}

SKERRY_HD inline complex128 log1p(complex128 z) {
  const float64 x = 1.0 + z.re;
  const float64 angle = elementary::atan2(z.im, x);
  if (z.im == 0 && z.re >= -1.0) return {elementary::log1p(z.re), angle};
  // Away from |1 + z| = 1 the rounding of 1 + re is harmless.
  const float64 norm = x * x + z.im * z.im;
  if (!(norm > 0.5 && norm < 3.0)) return {log_abs(x, z.im), angle};
  return {0.5 * elementary::log1p(add_squares(2.0 * z.re, z.re, z.im)), angle};
}

SKERRY_HD inline complex128 over_real(complex128 z, float64 divisor) {
  return {z.re / divisor, z.im / divisor};
}
SKERRY_HD inline complex128 log2(complex128 z) { return over_real(log(z), log_of_2); }
SKERRY_HD inline complex128 log10(complex128 z) { return over_real(log(z), log_of_10); }

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
