// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/integer.hpp"
#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

// Functions that IEEE 754 defines exactly. They return the same bits on every machine, and take one
// or two instructions. The portable functions of ops/math consist only of these and of +, -, * and
// /.

namespace skerry::inline SKERRY_TARGET::ops::math {

#define SKERRY_UNARY(name)                                                 \
  SKERRY_HD SKERRY_INLINE float32 name(float32 x) { return ::name##f(x); } \
  SKERRY_HD SKERRY_INLINE float64 name(float64 x) { return ::name(x); }

SKERRY_UNARY(ceil)
SKERRY_UNARY(fabs)
SKERRY_UNARY(floor)
SKERRY_UNARY(rint)
SKERRY_UNARY(sqrt)
SKERRY_UNARY(trunc)

#undef SKERRY_UNARY

SKERRY_HD SKERRY_INLINE float32 copysign(float32 size, float32 sign) {
  return ::copysignf(size, sign);
}
SKERRY_HD SKERRY_INLINE float64 copysign(float64 size, float64 sign) {
  return ::copysign(size, sign);
}
/// On machines without an FMA instruction, libm's function is exact, too, but slow.
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
SKERRY_HD SKERRY_INLINE constexpr bits_t<T> to_bits(T x) {
  return __builtin_bit_cast(bits_t<T>, x);
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE constexpr T from_bits(bits_t<T> bits) {
  return __builtin_bit_cast(T, bits);
}

// These change bits: a conversion to the compute dtype need not keep a NaN's sign, and on GPUs
// it does not.
template <stored_only T>
SKERRY_HD SKERRY_INLINE T copysign(T size, T sign) {
  return from_bits<T>((to_bits(size) & ~sign_bit<T>) | (to_bits(sign) & sign_bit<T>));
}
template <stored_only T>
SKERRY_HD SKERRY_INLINE T fabs(T x) {
  return math::copysign(x, T());
}

// negated() and without_sign() also change the sign of NaNs. On a GPU, -x and fabs are additions,
// which propagate a NaN unchanged (float64) or return another one (float32), as seen on an H100. As
// -x and fabs cost nothing if a sum or product follows, only results, and parts whose sign is
// propagated, use the functions here.
#if defined(__CUDACC__)
inline constexpr bool has_signs_by_arithmetic = false;
#else
inline constexpr bool has_signs_by_arithmetic = true;
#endif

template <real_floating T>
SKERRY_HD SKERRY_INLINE T negated(T x) {
  if constexpr (has_signs_by_arithmetic && !stored_only<T>) {
    return -x;
  } else {
    return from_bits<T>(to_bits(x) ^ sign_bit<T>);
  }
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T without_sign(T x) {
  if constexpr (has_signs_by_arithmetic && !stored_only<T>) {
    return math::fabs(x);
  } else {
    return from_bits<T>(to_bits(x) & ~sign_bit<T>);
  }
}

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

/// Limits x to [low, high]; returns NaN for NaN.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T clamp(T x, T low, T high) {
  x = x > high ? high : x;
  return x < low ? low : x;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math
