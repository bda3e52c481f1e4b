// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "ops/math/real.hpp"

// Functions of a complex number, the same code on every device, with the special cases that array
// API 2025.12 lists function by function. complex64 is computed in double: that leaves no overflow
// or cancellation to guard against in a second precision, and one set of formulas to trust.
//
// Sources: W. Kahan, "Branch cuts for complex elementary functions" (1987), for the square root,
// the inverse functions and tanh; C11 Annex G for the special cases that the standard leaves open.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {
namespace math {

namespace detail {

inline constexpr float64 pi = 3.141592653589793238;
inline constexpr float64 log_of_2 = 0.6931471805599453094;
inline constexpr float64 log_of_10 = 2.302585092994045684;
inline constexpr float64 huge = 1e150;  ///< beyond it squares (and their sums) may overflow

SKERRY_HD SKERRY_INLINE complex128 times_i(complex128 z) { return {-z.im, z.re}; }
SKERRY_HD SKERRY_INLINE complex128 over_i(complex128 z) { return {z.im, -z.re}; }

/// 2^exponent within [-1022, 1023].
SKERRY_HD SKERRY_INLINE float64 power_of_2(int exponent) {
  return from_bits<float64>(static_cast<uint64>(exponent + 1023) << 52);
}

/// x * 2^exponent for |exponent| <= 2044, rounded once when x is near 1.
SKERRY_HD SKERRY_INLINE float64 scale(float64 x, int exponent) {
  const int half = exponent / 2;
  return x * power_of_2(half) * power_of_2(exponent - half);
}

/// The exponent of the greater magnitude, within [-1022, 1022]: scaling by its negative brings a
/// finite nonzero number near 1 (a subnormal one at least into the middle of the range).
SKERRY_HD SKERRY_INLINE int exponent_of(complex128 z) {
  const float64 a = math::fabs(z.re);
  const float64 b = math::fabs(z.im);
  const int biased = static_cast<int>(to_bits(a > b ? a : b) >> 52);
  const int exponent = biased - 1023;
  return exponent < -1022 ? -1022 : (exponent > 1022 ? 1022 : exponent);
}

SKERRY_HD SKERRY_INLINE complex128 scale(complex128 z, int exponent) {
  return {scale(z.re, exponent), scale(z.im, exponent)};
}

SKERRY_HD SKERRY_INLINE bool has_nan(complex128 z) { return isnan(z.re) | isnan(z.im); }
SKERRY_HD SKERRY_INLINE bool has_inf(complex128 z) { return isinf(z.re) | isinf(z.im); }

/// 1 for an infinity, 0 otherwise, with the sign of `part`.
SKERRY_HD SKERRY_INLINE float64 boxed(float64 part) {
  return math::copysign(isinf(part) ? 1.0 : 0.0, part);
}

/// The textbook quotient.
SKERRY_HD SKERRY_INLINE complex128 plain_quotient(complex128 x, complex128 y, float64 norm) {
  return {(x.re * y.re + x.im * y.im) / norm, (x.im * y.re - x.re * y.im) / norm};
}

/// The textbook quotient of operands scaled to 1; what C11 Annex G makes of infinities and zeros.
SKERRY_HD inline complex128 scaled_quotient(complex128 x, complex128 y) {
  const int ex = exponent_of(x);
  const int ey = exponent_of(y);
  const complex128 u = scale(x, -ex);
  const complex128 v = scale(y, -ey);
  const float64 norm = v.re * v.re + v.im * v.im;
  const complex128 q = plain_quotient(u, v, norm);
  if (!(isnan(q.re) & isnan(q.im))) return scale(q, ex - ey);
  if (norm == 0 && !(isnan(x.re) & isnan(x.im))) {
    const float64 inf = math::copysign(infinity<float64>(), y.re);
    return {inf * x.re, inf * x.im};
  }
  if (has_inf(x) && isfinite(y.re) && isfinite(y.im)) {
    const complex128 b = {boxed(x.re), boxed(x.im)};
    const float64 inf = infinity<float64>();
    return {inf * (b.re * v.re + b.im * v.im), inf * (b.im * v.re - b.re * v.im)};
  }
  if (has_inf(y) && isfinite(x.re) && isfinite(x.im)) {
    const complex128 b = {boxed(y.re), boxed(y.im)};
    return {0.0 * (u.re * b.re + u.im * b.im), 0.0 * (u.im * b.re - u.re * b.im)};
  }
  return q;
}

SKERRY_HD SKERRY_INLINE complex128 divide(complex128 x, complex128 y) {
  constexpr float64 low = 1e-280;  // magnitudes of 1e-140 to 1e150: nothing can leave the range
  constexpr float64 high = 1e300;
  const float64 above = x.re * x.re + x.im * x.im;
  const float64 norm = y.re * y.re + y.im * y.im;
  if ((above > low) & (above < high) & (norm > low) & (norm < high)) {
    return plain_quotient(x, y, norm);
  }
  return scaled_quotient(x, y);
}

/// z / |z|, part by part.
SKERRY_HD inline complex128 sign(complex128 z) {
  if (has_nan(z)) return {nan<float64>(), nan<float64>()};
  if (z.re == 0 && z.im == 0) return {0.0, 0.0};
  const complex128 u = scale(z, -exponent_of(z));
  const float64 norm = math::hypot(u.re, u.im);
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
  const float64 t = math::sqrt((math::fabs(u.re) + math::hypot(u.re, u.im)) * 0.5);
  const complex128 root = u.re >= 0
                              ? complex128{t, u.im / (2 * t)}
                              : complex128{math::fabs(u.im) / (2 * t), math::copysign(t, u.im)};
  return scale(root, half);
}

/// a + b = sum + error exactly.
struct exact_sum {
  float64 sum;
  float64 error;
};
SKERRY_HD SKERRY_INLINE exact_sum add_exactly(float64 a, float64 b) {
  const float64 sum = a + b;
  const float64 shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}

/// (start + a * a) + b * b to about twice the working precision: the three may cancel.
SKERRY_HD SKERRY_INLINE float64 add_squares(float64 start, float64 a, float64 b) {
  const float64 aa = a * a;
  const float64 bb = b * b;
  const exact_sum first = add_exactly(start, aa);
  const exact_sum second = add_exactly(first.sum, bb);
  return second.sum + (second.error + first.error + fma(a, a, -aa) + fma(b, b, -bb));
}

/// log |z|, accurate near |z| = 1 too.
SKERRY_HD inline float64 log_abs(float64 a, float64 b) {
  const float64 x = math::fabs(a);
  const float64 y = math::fabs(b);
  const float64 norm = x * x + y * y;
  if (norm > 0.5 && norm < 3.0) return 0.5 * math::log1p(add_squares(-1.0, x, y));
  if (norm > 1e-280 && norm < 1e300) return 0.5 * math::log(norm);
  if (isinf(x) || isinf(y)) return infinity<float64>();
  if (isnan(norm)) return norm;
  const int exponent = exponent_of({x, y});
  const complex128 u = scale(complex128{x, y}, -exponent);
  return 0.5 * math::log(u.re * u.re + u.im * u.im) + exponent * log_of_2;
}

SKERRY_HD inline complex128 log(complex128 z) {
  return {log_abs(z.re, z.im), math::atan2(z.im, z.re)};
}

SKERRY_HD inline complex128 log1p(complex128 z) {
  const float64 x = 1.0 + z.re;
  const float64 angle = math::atan2(z.im, x);
  if (z.im == 0 && z.re >= -1.0) return {math::log1p(z.re), angle};
  // Away from |1 + z| = 1 the rounding of 1 + re is harmless.
  const float64 norm = x * x + z.im * z.im;
  if (!(norm > 0.5 && norm < 3.0)) return {log_abs(x, z.im), angle};
  return {0.5 * math::log1p(add_squares(2.0 * z.re, z.re, z.im)), angle};
}

/// e^z where a part of z is not finite and im isn't 0.
SKERRY_HD inline complex128 exp_special(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(a) && isfinite(b)) {
    const float64 limit = a > 0 ? a : 0.0;
    return {limit * math::cos(b), limit * math::sin(b)};
  }
  if (isinf(a) && a > 0) return {a, nan<float64>()};
  // The sign of this zero is open, but not that exp(conj(z)) is conj(exp(z)).
  if (isinf(a)) return {0.0, isinf(b) ? math::copysign(0.0, b) : 0.0};
  return {nan<float64>(), nan<float64>()};
}

SKERRY_HD inline complex128 exp(complex128 z) {
  if (z.im == 0) return {math::exp(z.re), z.im};
  if (!isfinite(z.re) || !isfinite(z.im)) return exp_special(z);
  const float64 c = math::cos(z.im);
  const float64 s = math::sin(z.im);
  if (z.re > 709.0) {  // e^re alone would overflow before its product does
    const float64 root = math::exp(0.5 * z.re);
    return {root * c * root, root * s * root};
  }
  const float64 magnitude = math::exp(z.re);
  return {magnitude * c, magnitude * s};
}

SKERRY_HD inline complex128 expm1(complex128 z) {
  if (z.im == 0) return {z.re == 0 ? 0.0 : math::expm1(z.re), z.im};
  if (!isfinite(z.re) || !isfinite(z.im) || z.re > 700.0) {
    const complex128 e = exp(z);
    return {e.re - 1.0, e.im};
  }
  const float64 s = math::sin(0.5 * z.im);
  return {math::expm1(z.re) * math::cos(z.im) - 2.0 * s * s, math::exp(z.re) * math::sin(z.im)};
}

SKERRY_HD inline complex128 sinh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (b == 0) return {math::sinh(a), b};
  if (!isfinite(b)) {
    if (a == 0) return {a, nan<float64>()};
    if (isinf(a)) return {a, nan<float64>()};
    return {nan<float64>(), nan<float64>()};
  }
  const float64 c = math::cos(b);
  const float64 s = math::sin(b);
  if (isinf(a)) return {a * c, math::fabs(a) * s};
  if (math::fabs(a) > 700.0) {
    const float64 root = math::exp(0.5 * math::fabs(a));
    return {math::copysign(0.5 * root, a) * c * root, 0.5 * root * s * root};
  }
  return {math::sinh(a) * c, math::cosh(a) * s};
}

SKERRY_HD inline complex128 cosh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (b == 0) return {math::cosh(a), math::copysign(1.0, a) * b};
  if (!isfinite(b)) {
    if (a == 0) return {nan<float64>(), 0.0};
    if (isinf(a)) return {math::fabs(a), nan<float64>()};
    return {nan<float64>(), nan<float64>()};
  }
  const float64 c = math::cos(b);
  const float64 s = math::sin(b);
  if (isinf(a)) return {math::fabs(a) * c, a * s};
  if (math::fabs(a) > 700.0) {
    const float64 root = math::exp(0.5 * math::fabs(a));
    return {0.5 * root * c * root, math::copysign(0.5 * root, a) * s * root};
  }
  return {math::cosh(a) * c, math::sinh(a) * s};
}

SKERRY_HD inline complex128 tanh(complex128 z) {
  const float64 a = z.re;
  const float64 b = z.im;
  if (isinf(a)) {  // +0j for every positive b: the standard's rule, not C's 0 * sin(2b)
    return {math::copysign(1.0, a), isnan(b) ? 0.0 : math::copysign(0.0, b)};
  }
  if (b == 0) return {math::tanh(a), b};
  if (!isfinite(b)) return {a == 0 ? a : nan<float64>(), nan<float64>()};
  if (math::fabs(a) > 22.0) {
    const float64 root = math::exp(-math::fabs(a));
    return {math::copysign(1.0, a), 4.0 * math::sin(b) * math::cos(b) * root * root};
  }
  const float64 t = math::tan(b);
  const float64 beta = 1.0 + t * t;
  const float64 s = math::sinh(a);
  const float64 denominator = 1.0 + beta * s * s;
  return {beta * math::sqrt(1.0 + s * s) * s / denominator, t / denominator};
}

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
SKERRY_HD inline complex128 atanh_finite(float64 a, float64 b) {
  const float64 c = math::fabs(b);
  if (a == 1.0 && c < 1.0 / huge) {
    if (c == 0) return {infinity<float64>(), b};
    return {0.5 * (log_of_2 - math::log(c)), math::copysign(0.25 * pi, b)};
  }
  const float64 distance = 1.0 - a;
  return {0.25 * math::log1p(4.0 * a / (distance * distance + c * c)),
          0.5 * math::atan2(2.0 * b, distance * (1.0 + a) - c * c)};
}

SKERRY_HD inline complex128 atanh(complex128 z) {
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

SKERRY_HD inline complex128 over_real(complex128 z, float64 divisor) {
  return {z.re / divisor, z.im / divisor};
}
SKERRY_HD inline complex128 log2(complex128 z) { return over_real(log(z), log_of_2); }
SKERRY_HD inline complex128 log10(complex128 z) { return over_real(log(z), log_of_10); }

// The standard defines the circular functions by the hyperbolic ones.
SKERRY_HD inline complex128 asin(complex128 z) { return over_i(asinh(times_i(z))); }
SKERRY_HD inline complex128 atan(complex128 z) { return over_i(atanh(times_i(z))); }
SKERRY_HD inline complex128 cos(complex128 z) { return cosh(times_i(z)); }
SKERRY_HD inline complex128 sin(complex128 z) { return over_i(sinh(times_i(z))); }
SKERRY_HD inline complex128 tan(complex128 z) { return over_i(tanh(times_i(z))); }

/// By squaring: exact where the parts are small integers, unlike exp(n log x).
SKERRY_HD inline complex128 integer_power(complex128 base, int exponent) {
  complex128 result = 1.0;
  for (int n = exponent < 0 ? -exponent : exponent; n != 0; n >>= 1) {
    if (n & 1) result = result * base;
    base = base * base;
  }
  return exponent < 0 ? divide(1.0, result) : result;
}

SKERRY_HD inline complex128 pow(complex128 x1, complex128 x2) {
  if (x2.re == 0 && x2.im == 0) return 1.0;
  if (x1.re == 0 && x1.im == 0 && x2.re > 0 && isfinite(x2.im)) return 0.0;
  if (x2.im == 0 && math::fabs(x2.re) <= 100.0 && x2.re == math::trunc(x2.re)) {
    const complex128 result = integer_power(x1, static_cast<int>(x2.re));
    if (isfinite(result.re) && isfinite(result.im)) return result;
  }
  return exp(x2 * log(x1));
}

SKERRY_HD SKERRY_INLINE complex128 widen(complex64 z) { return complex128(z); }
SKERRY_HD SKERRY_INLINE complex64 narrow(complex128 z) { return complex64(z); }

}  // namespace detail

#define SKERRY_COMPLEX_UNARY(name)                                                  \
  SKERRY_HD SKERRY_INLINE complex128 name(complex128 z) { return detail::name(z); } \
  SKERRY_HD SKERRY_INLINE complex64 name(complex64 z) {                             \
    return detail::narrow(detail::name(detail::widen(z)));                          \
  }
#define SKERRY_COMPLEX_BINARY(name)                                            \
  SKERRY_HD SKERRY_INLINE complex128 name(complex128 x1, complex128 x2) {      \
    return detail::name(x1, x2);                                               \
  }                                                                            \
  SKERRY_HD SKERRY_INLINE complex64 name(complex64 x1, complex64 x2) {         \
    return detail::narrow(detail::name(detail::widen(x1), detail::widen(x2))); \
  }

SKERRY_COMPLEX_UNARY(acos)
SKERRY_COMPLEX_UNARY(acosh)
SKERRY_COMPLEX_UNARY(asin)
SKERRY_COMPLEX_UNARY(asinh)
SKERRY_COMPLEX_UNARY(atan)
SKERRY_COMPLEX_UNARY(atanh)
SKERRY_COMPLEX_UNARY(cos)
SKERRY_COMPLEX_UNARY(cosh)
SKERRY_COMPLEX_UNARY(exp)
SKERRY_COMPLEX_UNARY(expm1)
SKERRY_COMPLEX_UNARY(log)
SKERRY_COMPLEX_UNARY(log10)
SKERRY_COMPLEX_UNARY(log1p)
SKERRY_COMPLEX_UNARY(log2)
SKERRY_COMPLEX_UNARY(sign)
SKERRY_COMPLEX_UNARY(sin)
SKERRY_COMPLEX_UNARY(sinh)
SKERRY_COMPLEX_UNARY(sqrt)
SKERRY_COMPLEX_UNARY(tan)
SKERRY_COMPLEX_UNARY(tanh)
SKERRY_COMPLEX_BINARY(divide)
SKERRY_COMPLEX_BINARY(pow)

#undef SKERRY_COMPLEX_UNARY
#undef SKERRY_COMPLEX_BINARY

/// |z| without undue overflow; an infinite part wins over NaN.
template <complex_floating T>
SKERRY_HD SKERRY_INLINE real_part_t<T> abs(T z) {
  return math::hypot(z.re, z.im);
}

}  // namespace math
}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
