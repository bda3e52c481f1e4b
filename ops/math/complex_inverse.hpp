// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_logarithm.hpp"
#include "ops/math/complex_quotient.hpp"

// The inverse hyperbolic functions of complex numbers, and acos.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {
namespace math {

namespace detail {

/// log(|z|) + log(2) for |z| that is huge or infinite.
SKERRY_HD SKERRY_INLINE float64 log_of_twice(complex128 z) {
  return log_abs(z.re, z.im) + log_of_2;
}
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
    return {math::atan2(math::fabs(z.im), z.re), -math::copysign(log_of_twice(z), z.im)};
  }
  const complex128 below = sqrt(complex128{1.0 - z.re, -z.im});
  const complex128 above = sqrt(complex128{1.0 + z.re, z.im});
  return {2.0 * math::atan2(below.re, above.re),
          math::asinh(above.re * below.im - above.im * below.re)};
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
    return {math::copysign(log_of_twice(z), z.re), math::atan2(z.im, math::fabs(z.re))};
  }
  const complex128 above = sqrt(complex128{1.0 + z.im, -z.re});
  const complex128 below = sqrt(complex128{1.0 - z.im, z.re});
  return {math::asinh(above.re * below.im - below.re * above.im),
          math::atan2(z.im, above.re * below.re - above.im * below.im)};
}

/// atanh(a + bi) for a >= 0 where neither part is huge.
SKERRY_HD SKERRY_INLINE complex128 atanh_finite(float64 a, float64 b) {
  const float64 c = math::fabs(b);
  if (a == 1.0 && c < 1.0 / huge) {
    if (c == 0) return {infinity<float64>(), b};
    return {0.5 * (log_of_2 - math::log(c)), math::copysign(0.25 * pi, b)};
  }
  const float64 distance = 1.0 - a;
  return {0.25 * math::log1p(4.0 * a / (distance * distance + c * c)),
          0.5 * math::atan2(2.0 * b, distance * (1.0 + a) - c * c)};
}

SKERRY_HD SKERRY_INLINE complex128 atanh(complex128 z) {
  const float64 a = math::fabs(z.re);
  if (isinf(z.im) || (isinf(z.re) && !isnan(z.im))) {
    return {math::copysign(0.0, z.re), math::copysign(0.5 * pi, z.im)};
  }
  if (has_nan(z)) {
    const bool zero = (a == 0) | isinf(a);
    return {zero ? math::copysign(0.0, z.re) : nan<float64>(), nan<float64>()};
  }
  if (is_huge(z)) {
    const complex128 u = {0.5 * a, 0.5 * z.im};
    const float64 h = math::hypot(u.re, u.im);
    return {math::copysign(0.5 * (u.re / h) / h, z.re), math::copysign(0.5 * pi, z.im)};
  }
  // atanh(-conj z) = -conj(atanh z): only the real part changes its sign.
  const complex128 w = atanh_finite(a, z.im);
  return {math::copysign(w.re, z.re), w.im};
}

}  // namespace detail

}  // namespace math
}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
