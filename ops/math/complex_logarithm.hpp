// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_parts.hpp"

// Logarithms of complex numbers.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// Returns (start + a * a) + b * b, computed with about twice the precision: the terms may cancel.
SKERRY_HD SKERRY_INLINE float64 add_squares(float64 start, float64 a, float64 b) {
  const portable::Pair<float64> aa = portable::two_product(a, a);
  const portable::Pair<float64> bb = portable::two_product(b, b);
  const portable::Pair<float64> first = portable::two_sum(start, aa.high);
  const portable::Pair<float64> second = portable::two_sum(first.high, bb.high);
  return second.high + (second.low + first.low + aa.low + bb.low);
}

/// Returns log(x) + correction.
SKERRY_HD SKERRY_INLINE float64 log_with(float64 x, float64 correction) {
  if constexpr (has_portable_functions) {
    return portable::with_special_logs(x, portable::log_of_parts(portable::split(x), correction));
  } else {
    return elementary::log(x) + correction;
  }
}

/// Returns log |z|. `above_1` is |z|^2 - 1, which is used if |z| is near 1. Has no branches, so
/// that CPU loops are vectorized.
SKERRY_HD SKERRY_INLINE float64 log_abs(complex128 z, float64 above_1) {
  const float64 x = math::fabs(z.re);
  const float64 y = math::fabs(z.im);
  const float64 greater = x > y ? x : y;
  const float64 any_exponent = greater < 0x1p-460 ? -600.0 : 0.0;
  const float64 exponent = greater > 0x1p500 ? 600.0 : any_exponent;
  const float64 scale = portable::power_of_2(portable::magic<float64> - exponent);
  const float64 norm = (x * scale) * (x * scale) + (y * scale) * (y * scale);
  const bool is_near = (norm > 0.5) & (norm < 3.0) & (greater > 0.5) & (greater < 2.0);
  const portable::Pair<float64> sum = portable::two_sum(1.0, above_1);
  const float64 log = log_with(is_near ? sum.high : norm, is_near ? sum.low / sum.high : 0.0);
  return has_inf(z) ? infinity<float64>() : math::fma(exponent, log_of_2, 0.5 * log);
}

SKERRY_HD SKERRY_INLINE complex128 log(complex128 z) {
  return {log_abs(z, add_squares(-1.0, z.re, z.im)), elementary::atan2(z.im, z.re)};
}

/// Only near |1 + z| = 1 does the rounding of 1 + re matter; there, log_abs() uses `above_1`.
SKERRY_HD SKERRY_INLINE complex128 log1p(complex128 z) {
  const float64 x = 1.0 + z.re;
  return {log_abs({x, z.im}, add_squares(2.0 * z.re, z.re, z.im)), elementary::atan2(z.im, x)};
}

SKERRY_HD inline complex128 over_real(complex128 z, float64 divisor) {
  return {z.re / divisor, z.im / divisor};
}
SKERRY_HD SKERRY_INLINE complex128 log2(complex128 z) { return over_real(log(z), log_of_2); }
SKERRY_HD SKERRY_INLINE complex128 log10(complex128 z) { return over_real(log(z), log_of_10); }

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
