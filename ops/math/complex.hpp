// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex_exponential.hpp"
#include "ops/math/complex_inverse.hpp"
#include "ops/math/complex_logarithm.hpp"
#include "ops/math/complex_power.hpp"
#include "ops/math/complex_quotient.hpp"

// Functions of a complex number. The code is the same on every device and follows the special cases
// that array API 2025.12 lists for each function. complex64 is computed in float64, so that only
// one set of formulas has to avoid overflow and cancellation.
//
// Sources: W. Kahan, "Branch cuts for complex elementary functions" (1987), for the square root,
// and the inverse functions; C11 Annex G for the special cases that the standard leaves open.

namespace skerry::inline SKERRY_TARGET::ops::math {

namespace detail {

// The standard defines the trigonometric functions by the hyperbolic ones.
SKERRY_HD inline complex128 asin(complex128 z) { return over_i(asinh(times_i(z))); }
SKERRY_HD SKERRY_INLINE complex128 atan(complex128 z) { return over_i(atanh(times_i(z))); }
SKERRY_HD inline complex128 cos(complex128 z) { return cosh(times_i(z)); }
SKERRY_HD inline complex128 sin(complex128 z) { return over_i(sinh(times_i(z))); }
SKERRY_HD inline complex128 tan(complex128 z) { return over_i(tanh(times_i(z))); }

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

SKERRY_HD SKERRY_INLINE complex128 pow(complex128 x1, complex128 x2) {
  return detail::pow(x1, x2, detail::accurate_pow);
}
SKERRY_HD SKERRY_INLINE complex64 pow(complex64 x1, complex64 x2) {
  return detail::narrow(detail::pow(detail::widen(x1), detail::widen(x2), detail::coarse_pow));
}

#undef SKERRY_COMPLEX_UNARY
#undef SKERRY_COMPLEX_BINARY

/// Returns |z| without undue overflow; infinite if a part is, even if the other one is NaN.
template <complex_floating T>
SKERRY_HD SKERRY_INLINE real_part_t<T> abs(T z) {
  return math::hypot(z.re, z.im);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math
