// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_logarithm.hpp"
#include "ops/math/complex_quotient.hpp"

// The inverse hyperbolic functions of complex numbers, and acos.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// Returns log(|z|) + log(2) for huge or infinite |z|.
SKERRY_HD SKERRY_INLINE float64 log_of_twice(complex128 z) { return log(z).re + log_of_2; }
SKERRY_HD SKERRY_INLINE bool is_huge(complex128 z) {
  return (math::fabs(z.re) > huge) | (math::fabs(z.im) > huge);
}

SKERRY_HD inline complex128 acos(complex128 z) {
  if (has_nan(z)) {
    if (isinf(z.im)) return {nan<float64>(), -z.im};
    if (isinf(z.re)) return {nan<float64>(), infinity<float64>()};
    return {z.re == 0 ? 0.5 * pi : nan<float64>(), nan<float64>()};
  }
  if (is_huge(z)) {
    return {elementary::atan2(math::fabs(z.im), z.re), -math::copysign(log_of_twice(z), z.im)};
  }
  const complex128 below = sqrt(complex128{1.0 - z.re, -z.im});
  const complex128 above = sqrt(complex128{1.0 + z.re, z.im});
  return {2.0 * elementary::atan2(below.re, above.re),
          elementary::asinh(above.re * below.im - above.im * below.re)};
}

SKERRY_HD inline complex128 acosh(complex128 z) {
  const complex128 w = acos(z);
  return {math::fabs(w.im), math::copysign(w.re, z.im)};
}

SKERRY_HD inline complex128 asinh(complex128 z) {
  if (has_nan(z)) {
    if (isinf(z.re)) return {z.re, nan<float64>()};
    if (isinf(z.im)) return {math::fabs(z.im), nan<float64>()};
    return {nan<float64>(), z.im == 0 ? z.im : nan<float64>()};
  }
  if (is_huge(z)) {
    return {math::copysign(log_of_twice(z), z.re), elementary::atan2(z.im, math::fabs(z.re))};
  }
  const complex128 above = sqrt(complex128{1.0 + z.im, -z.re});
  const complex128 below = sqrt(complex128{1.0 - z.im, z.re});
  return {elementary::asinh(above.re * below.im - below.re * above.im),
          elementary::atan2(z.im, above.re * below.re - above.im * below.im)};
}

/// Has no branches, so that CPU loops are vectorized. Scales huge arguments down before it squares
/// them. At the poles 1 and -1, the quotient is 4 / im^2, which would overflow unscaled.
SKERRY_HD SKERRY_INLINE complex128 atanh(complex128 z) {
  const float64 a = math::fabs(z.re);
  const float64 c = math::fabs(z.im);
  const bool is_pole = (a == 1.0) & (c < 1.0 / huge);
  const float64 shrink = is_huge(z) ? 0x1p-600 : 1.0;
  const float64 distance = (1.0 - a) * shrink;
  const float64 height = c * shrink;
  const float64 norm = distance * distance + height * height;
  const float64 quotient =
      (is_pole ? 2.0 : 4.0 * (a * shrink) * shrink) / (is_pole ? c * 0x1p200 : norm);
  const float64 log = elementary::log1p(quotient);
  const float64 size = is_pole ? 0.5 * (log + 200 * log_of_2) : 0.25 * log;
  const float64 angle = 0.5 * elementary::atan2(2.0 * (z.im * shrink) * shrink,
                                                distance * ((1.0 + a) * shrink) - height * height);
  const bool is_limit = isinf(z.im) | (isinf(z.re) & !isnan(z.im));
  const bool is_zero = is_limit | isinf(z.re) | (a == 0);
  return {math::copysign(is_zero ? 0.0 : size, z.re),
          is_limit ? math::copysign(0.5 * pi, z.im) : angle};
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
