// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_exponential.hpp"
#include "ops/math/complex_logarithm.hpp"
#include "ops/math/complex_quotient.hpp"

// Powers of complex numbers. The absolute error of w log(z), which may be large, becomes the
// relative error of its exponential. Therefore logarithm, angle and product are pairs, accurate to
// about 2^-68.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

/// Computes the power by squaring: exact if the parts are small integers, unlike exp(n log x).
SKERRY_HD inline complex128 integer_power(complex128 base, int exponent) {
  complex128 result = 1.0;
  for (int n = exponent < 0 ? -exponent : exponent; n != 0; n >>= 1) {
    if (n & 1) result = result * base;
    base = base * base;
  }
  return exponent < 0 ? divide(1.0, result) : result;
}

SKERRY_HD SKERRY_INLINE bool is_small_integer(complex128 x, float64 limit) {
  return x.im == 0 && math::fabs(x.re) <= limit && x.re == math::trunc(x.re);
}
SKERRY_HD SKERRY_INLINE bool is_power_of_0(complex128 x1, complex128 x2) {
  return x1.re == 0 && x1.im == 0 && x2.re > 0 && isfinite(x2.im);
}

SKERRY_HD inline complex128 power_by_logarithm(complex128 x1, complex128 x2) {
  const complex128 w = x2 * log(x1);
  return exp(w, sin_cos({w.im, 0.0}));
}

/// Computes the power with an error of about 2^-52 |x2 log(x1)|, which suffices for complex64.
SKERRY_HD inline complex128 coarse_pow(complex128 x1, complex128 x2) {
  if (x2.re == 0 && x2.im == 0) return 1.0;
  if (is_power_of_0(x1, x2)) return 0.0;
  if (is_small_integer(x2, 100.0)) {
    const complex128 result = integer_power(x1, static_cast<int>(x2.re));
    if (isfinite(result.re) && isfinite(result.im)) return result;
  }
  return power_by_logarithm(x1, x2);
}

using portable::Pair;

using portable::add;
using portable::multiply;
using portable::subtract;

/// Returns log |z| as a pair. The parts must be finite, and not both 0.
SKERRY_HD inline Pair<float64> log_abs_as_pair(complex128 z) {
  const int any_exponent = exponent_of(z);
  const int exponent = any_exponent > -400 && any_exponent < 400 ? 0 : any_exponent;
  const complex128 u = scale(z, -exponent);
  const Pair<float64> norm =
      add(portable::two_product(u.re, u.re), portable::two_product(u.im, u.im));
  Pair<float64> log = portable::log_as_pair(norm.high);
  log = add<float64>({0.5 * log.high, 0.5 * log.low}, {0.5 * norm.low / norm.high, 0.0});
  const float64 n = exponent;
  return add<float64>({n * portable::log_of_2<float64>::high, n * portable::log_of_2<float64>::low},
                      log);
}

/// atan(n / 8) = row 0 + row 1.
SKERRY_TABLE float64 arctangents_of_eighths[2][9] = {
    {0x0.0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2,
     0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1,
     0x1.921fb54442d18p-1},
    {0x0.0p+0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56,
     0x1.a2b7f222f65e2p-56, -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56,
     0x1.1a62633145c07p-55}};

/// Returns atan(lesser / greater) for 0 <= lesser <= greater, as atan(n / 8) of the nearest n / 8
/// plus atan(s), |s| <= 1/16.
SKERRY_HD inline Pair<float64> octant_angle_as_pair(float64 lesser, float64 greater) {
  const float64 n = math::rint(8.0 * (lesser / greater));
  const float64 slope = 0.125 * n;
  const Pair<float64> rise = portable::two_product(slope, greater);
  const Pair<float64> run = portable::two_product(slope, lesser);
  const Pair<float64> ratio = portable::quotient(
      add<float64>({lesser, 0.0}, {-rise.high, -rise.low}), add<float64>({greater, 0.0}, run));
  const Pair<float64> s = portable::fast_two_sum(ratio.high, ratio.low);
  const Pair<float64> square = multiply(s, s);
  // atan(s) = s + s^3 (-1/3 + s^2 / 5 - ...); the omitted terms are below 2^-70, relatively.
  const float64 terms = portable::polynomial(square.high, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11,
                                             1.0 / 13, -1.0 / 15, 1.0 / 17);
  const Pair<float64> factor =
      add<float64>({-0x1.5555555555555p-2, -0x1.5555555555555p-56}, {square.high * terms, 0.0});
  const Pair<float64> angle = add(s, multiply(multiply(square, factor), s));
  const int row = static_cast<int>(n);
  return add<float64>({arctangents_of_eighths[0][row], arctangents_of_eighths[1][row]}, angle);
}

SKERRY_HD inline Pair<float64> angle_as_pair(complex128 z) {
  const complex128 u = scale(z, -exponent_of(z));
  const float64 x = math::fabs(u.re);
  const float64 y = math::fabs(u.im);
  constexpr Pair<float64> right = {portable::half_pi[0], portable::half_pi[1]};
  constexpr Pair<float64> straight = {2 * portable::half_pi[0], 2 * portable::half_pi[1]};
  Pair<float64> angle =
      y > x ? subtract(right, octant_angle_as_pair(x, y)) : octant_angle_as_pair(y, x);
  if (z.re < 0) angle = subtract(straight, angle);
  return signbit(z.im) ? Pair<float64>{-angle.high, -angle.low} : angle;
}

struct ComplexPair {
  Pair<float64> re;
  Pair<float64> im;
};
SKERRY_HD SKERRY_INLINE ComplexPair multiply(ComplexPair a, ComplexPair b) {
  return {subtract(multiply(a.re, b.re), multiply(a.im, b.im)),
          add(multiply(a.re, b.im), multiply(a.im, b.re))};
}
/// Computes integer_power() in pairs, so that a positive power is rounded once.
SKERRY_HD inline complex128 accurate_integer_power(complex128 x, int exponent) {
  ComplexPair base = {{x.re, 0.0}, {x.im, 0.0}};
  ComplexPair product = {{1.0, 0.0}, {0.0, 0.0}};
  for (int n = exponent < 0 ? -exponent : exponent; n != 0; n >>= 1) {
    if (n & 1) product = multiply(product, base);
    base = multiply(base, base);
  }
  const complex128 result = {product.re.high, product.im.high};
  return exponent < 0 ? divide(1.0, result) : result;
}

/// Returns z to the power of w. The parts must be finite, and z not 0.
SKERRY_HD inline complex128 accurate_power(complex128 z, complex128 w) {
  const Pair<float64> log = log_abs_as_pair(z);
  const Pair<float64> angle = angle_as_pair(z);
  const Pair<float64> re = {w.re, 0.0};
  const Pair<float64> im = {w.im, 0.0};
  const Pair<float64> size = subtract(multiply(re, log), multiply(im, angle));
  const Pair<float64> turn = add(multiply(re, angle), multiply(im, log));
  if (!isfinite(size.high) || !isfinite(turn.high)) return power_by_logarithm(z, w);
  return polar(size, sin_cos(turn));
}

SKERRY_HD inline complex128 accurate_pow(complex128 x1, complex128 x2) {
  const bool is_finite = isfinite(x1.re) && isfinite(x1.im) && isfinite(x2.re) && isfinite(x2.im);
  if (!is_finite || is_small_integer(x2, 3.0) || (x1.re == 0 && x1.im == 0)) {
    return coarse_pow(x1, x2);
  }
  if (is_small_integer(x2, 100.0)) {
    const complex128 result = accurate_integer_power(x1, static_cast<int>(x2.re));
    if (isfinite(result.re) && isfinite(result.im)) return result;
  }
  return accurate_power(x1, x2);
}

/// Calls `any_pow`, but has a fast path for the most frequent exponents.
template <class Function>
SKERRY_HD SKERRY_INLINE complex128 pow(complex128 x1, complex128 x2, Function any_pow) {
  if (is_small_integer(x2, 3.0)) {
    const complex128 square = x1 * x1;
    const float64 n = math::fabs(x2.re);
    complex128 result = n > 2 ? square * x1 : square;
    if (n < 2) result = n == 0 ? complex128(1.0) : x1;
    if (x2.re < 0) result = divide(1.0, result);
    if (isfinite(result.re) && isfinite(result.im) && (x1.re != 0 || x1.im != 0)) return result;
  }
  return any_pow(x1, x2);
}

}  // namespace detail

}  // namespace skerry::inline SKERRY_TARGET::ops::math
