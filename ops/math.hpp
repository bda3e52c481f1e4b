// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/concepts.hpp"
#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif
#include "ops/integer_math.hpp"
#include "ops/libmvec.hpp"

// Real functions by one name for both widths, with the special cases of the standard. Written with
// selects instead of branches, because the CPU loops over them are vectorised by the compiler; the
// rounding functions, sqrt, fabs, copysign and fma are single instructions to it.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {
namespace math {

#define SKERRY_UNARY(name)                                                 \
  SKERRY_HD SKERRY_INLINE float32 name(float32 x) { return ::name##f(x); } \
  SKERRY_HD SKERRY_INLINE float64 name(float64 x) { return ::name(x); }
#define SKERRY_BINARY(name)                                                                  \
  SKERRY_HD SKERRY_INLINE float32 name(float32 x1, float32 x2) { return ::name##f(x1, x2); } \
  SKERRY_HD SKERRY_INLINE float64 name(float64 x1, float64 x2) { return ::name(x1, x2); }

SKERRY_UNARY(acos)
SKERRY_UNARY(acosh)
SKERRY_UNARY(asin)
SKERRY_UNARY(asinh)
SKERRY_UNARY(atan)
SKERRY_UNARY(atanh)
SKERRY_UNARY(ceil)
SKERRY_UNARY(cos)
SKERRY_UNARY(cosh)
SKERRY_UNARY(exp)
SKERRY_UNARY(expm1)
SKERRY_UNARY(fabs)
SKERRY_UNARY(floor)
SKERRY_UNARY(log)
SKERRY_UNARY(log10)
SKERRY_UNARY(log1p)
SKERRY_UNARY(log2)
SKERRY_UNARY(rint)
SKERRY_UNARY(sin)
SKERRY_UNARY(sinh)
SKERRY_UNARY(sqrt)
SKERRY_UNARY(tan)
SKERRY_UNARY(trunc)
SKERRY_BINARY(atan2)
SKERRY_BINARY(copysign)
SKERRY_BINARY(fmod)
SKERRY_BINARY(hypot)

#undef SKERRY_UNARY
#undef SKERRY_BINARY

SKERRY_HD SKERRY_INLINE float32 fma(float32 a, float32 b, float32 c) { return ::fmaf(a, b, c); }
SKERRY_HD SKERRY_INLINE float64 fma(float64 a, float64 b, float64 c) { return ::fma(a, b, c); }

template <real_floating T>
SKERRY_HD SKERRY_INLINE constexpr T infinity() {
  return static_cast<T>(__builtin_bit_cast(float, 0x7f800000u));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE constexpr T nan() {
  return static_cast<T>(__builtin_bit_cast(float, 0x7fc00000u));
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE bits_t<T> to_bits(T x) {
  return __builtin_bit_cast(bits_t<T>, x);
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T from_bits(bits_t<T> bits) {
  return __builtin_bit_cast(T, bits);
}

/// !x on the byte: GCC 12 leaves a loop over ! scalar.
SKERRY_HD SKERRY_INLINE bool logical_not(bool x) { return __builtin_bit_cast(uint8, x) == 0; }

template <real_floating T>
SKERRY_HD SKERRY_INLINE bool isnan(T x) {
  return x != x;
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE bool isinf(T x) {
  return math::fabs(x) == infinity<T>();
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE bool isfinite(T x) {
  return math::fabs(x) < infinity<T>();
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE bool signbit(T x) {
  return (to_bits(x) >> (8 * sizeof(T) - 1)) != 0;
}

/// NaN if either is.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T maximum(T a, T b) {
  const T greater = a > b ? a : b;  // two selects: with one, GCC 12 leaves clip scalar
  return a != a ? a : greater;
}
/// NaN if either is.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T minimum(T a, T b) {
  const T lesser = a < b ? a : b;
  return a != a ? a : lesser;
}

SKERRY_HD SKERRY_INLINE float32 pow_of_magnitude(float32 a, float32 b) { return ::powf(a, b); }
SKERRY_HD SKERRY_INLINE float64 pow_of_magnitude(float64 a, float64 b) { return ::pow(a, b); }

/// libm's pow of |a|, and then the sign: libmvec computes negative bases one by one, three times
/// slower.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T pow(T a, T b) {
  const T power = pow_of_magnitude(math::fabs(a), b);
  const T half = b * T(0.5);
  const bool fractional = math::trunc(b) != b;
  const bool odd = (math::trunc(half) != half) & !fractional;
  const T sign = odd ? math::copysign(T(1), a) : T(1);
  const bool undefined = fractional & (a < T(0)) & (a > -infinity<T>());
  return undefined ? nan<T>() : sign * power;
}

/// -1, +0, 1 or NaN.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T sign(T x) {
  const T one = x < T(0) ? T(-1) : T(1);
  const T result = x == T(0) ? T(0) : one;
  return x != x ? x : result;
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T nextafter(T from, T to) {
  using B = bits_t<T>;
  const B bits = to_bits(from);
  const bool away_from_zero = (from < to) == (from > T(0));
  const T stepped = from_bits<T>(away_from_zero ? bits + B(1) : bits - B(1));
  const T from_zero = math::copysign(from_bits<T>(B(1)), to);
  const T moved = from == T(0) ? from_zero : stepped;
  const T result = from == to ? to : moved;
  return ((from != from) | (to != to)) ? from + to : result;
}

/// log(exp(a) + exp(b)) without overflow.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T logaddexp(T a, T b) {
  const T greater = a > b ? a : b;
  const T distance = a == b ? T(0) : -math::fabs(a - b);  // infinities of one sign are 0 apart
  const T sum = greater + math::log1p(math::exp(distance));
  return ((a != a) | (b != b)) ? a + b : sum;
}

/// a - b * c with the sign of the exact value.
SKERRY_HD SKERRY_INLINE float64 residue(float32 a, float32 b, float32 c) {
  return static_cast<float64>(a) - static_cast<float64>(b) * static_cast<float64>(c);
}
SKERRY_HD SKERRY_INLINE float64 residue(float64 a, float64 b, float64 c) { return fma(-b, c, a); }

/// floor of the exact quotient; of the rounded one where that is too great to have a fraction.
///
/// floor(a / b) rounded can only be 1 too great: when the quotient is rounded up to an integer.
/// Then q * b is beyond a, which the residue shows. For infinities and zeros the residue is NaN or
/// 0 and floor(a / b) stands, which is what the standard wants (Python has NaN and -1 there).
template <real_floating T>
SKERRY_HD SKERRY_INLINE T floor_divide(T a, T b) {
  constexpr T fraction_ends = sizeof(T) == 4 ? T(1 << 24) : T(int64{1} << 53);
  const T quotient = math::floor(a / b);
  const auto rest = residue(a, quotient, b);
  const auto directed = b > T(0) ? rest : -rest;
  const T step = math::fabs(quotient) <= fraction_ends ? T(1) : T(0);
  return quotient - (directed < 0 ? step : T(0));
}

#if defined(__FMA__) || defined(__CUDA_ARCH__)
inline constexpr bool fast_fma = true;
#else
inline constexpr bool fast_fma = false;
#endif

/// a - trunc(a / b) * b, exact as fmod is. In double a float quotient below 2^29 times b is exact;
/// a double quotient below 2^53 leaves an exact residue, at most one b off. fmod takes as many
/// steps as the quotient has bits.
SKERRY_HD SKERRY_INLINE float32 truncated_rest(float32 a, float32 b) {
  const float64 x = a;
  const float64 y = b;
  const float64 quotient = math::trunc(x / y);
  if (math::fabs(quotient) < 536870912.0 && math::isfinite(b)) {
    return static_cast<float32>(x - quotient * y);
  }
  return math::fmod(a, b);
}
SKERRY_HD SKERRY_INLINE float64 truncated_rest(float64 a, float64 b) {
  if constexpr (fast_fma) {
    const float64 quotient = math::trunc(a / b);
    if (math::fabs(quotient) < 9007199254740992.0 && math::isfinite(b)) {
      const float64 rest = fma(-quotient, b, a);
      const bool beyond = a < 0 ? rest > 0 : rest < 0;
      return beyond ? rest + math::copysign(b, a) : rest;
    }
  }
  return math::fmod(a, b);
}

/// Python's %: the sign of b, zeros included.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T remainder(T a, T b) {
  const T rest = truncated_rest(a, b);
  const T adjusted = (rest < T(0)) != (b < T(0)) ? rest + b : rest;
  const T zero = math::copysign(T(0), b);
  return rest == T(0) ? zero : adjusted;
}

}  // namespace math
}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
