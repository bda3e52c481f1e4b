// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/exponential.hpp"

// log and log1p: x = 2^e m, and log(m) from a polynomial.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// 2^exponent significand; the significand is in [sqrt(1/2), sqrt(2)), or in another octave.
template <real_floating T>
struct BinaryParts {
  T exponent;
  T significand;
};
/// The bits of sqrt(1/2).
template <real_floating T>
inline constexpr bits_t<T> root_of_half =
    static_cast<bits_t<T>>(sizeof(T) == 4 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);

/// Splits a positive normal number; its significand is in the octave that begins at the number with
/// bits `begin`. For other numbers, the parts are meaningless.
template <real_floating T>
SKERRY_HD SKERRY_INLINE BinaryParts<T> split(T u, bits_t<T> begin = root_of_half<T>) {
  using B = bits_t<T>;
  constexpr int bits = fraction_bits<T>;
  const B above = to_bits(u) - begin;
  const T significand = from_bits<T>((above & ((B(1) << bits) - 1)) + begin);
  if constexpr (sizeof(T) == 4) {
    return {static_cast<T>(static_cast<int32>(above) >> bits), significand};
  } else {                                                  // x86-64-v3 has no vector conversion
    constexpr B wrap = B(1) << (8 * sizeof(T) - 1 - bits);  // makes the exponent positive
    const B biased = ((above >> bits) + wrap) & (2 * wrap - 1);
    return {from_bits<T>(biased | to_bits(magic<T>)) - (magic<T> + T(wrap)), significand};
  }
}

/// Returns R of log((1 + s) / (1 - s)) = 2 s + s R(s^2) for |s| <= 0.1716; near-minimax, like
/// exp_terms(). Error of R / s^2: 2.3e-8 in float32, 3.8e-17 in float64.
SKERRY_HD SKERRY_INLINE float32 log_terms(float32 square) {
  return square *
         polynomial(square, 0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c0ap-2f, 0x1.dddadep-3f);
}
SKERRY_HD SKERRY_INLINE float64 log_terms(float64 square) {
  return square * polynomial(square, 0x1.5555555555555p-1, 0x1.9999999999a3ap-2,
                             0x1.2492492476765p-2, 0x1.c71c7201f1f41p-3, 0x1.745cf8c4cfebep-3,
                             0x1.3b1c42e222badp-3, 0x1.0fbd2bde02b13p-3, 0x1.0c1261fd9bdd6p-3);
}

/// Returns log(2^e m) + correction, computed as in fdlibm: f = m - 1, s = f / (2 + f),
/// log(m) = f - (f^2 / 2 - s (f^2 / 2 + R)).
template <real_floating T>
SKERRY_HD SKERRY_INLINE T log_of_parts(BinaryParts<T> u, T correction = T(0)) {
  const T f = u.significand - T(1);
  const T s = f / (u.significand + T(1));
  const T half_square = T(0.5) * f * f;
  const T low = math::fma(u.exponent, log_of_2<T>::low, correction);
  const T terms = math::fma(s, half_square + log_terms(s * s), low);
  return math::fma(u.exponent, log_of_2<T>::high, f - (half_square - terms));
}

/// Returns `y`, the logarithm of x, if x is positive and finite; otherwise the special case of x.
template <class R, real_floating T>
SKERRY_HD SKERRY_INLINE R with_special_logs(T x, R y) {
  y = x == T(0) ? -infinity<R>() : y;
  y = x < T(0) ? nan<R>() : y;
  return x < infinity<T>() ? y : static_cast<R>(x);  // infinity and NaN
}

/// Splits x, which may be subnormal: it is then scaled up by 2^digits, and the exponent corrected.
template <real_floating T>
SKERRY_HD SKERRY_INLINE BinaryParts<T> split_any(T x, bits_t<T> begin = root_of_half<T>) {
  constexpr T min_normal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  constexpr T digits = fraction_bits<T> + 1;
  const bool is_subnormal = x < min_normal;
  const BinaryParts<T> u = split(is_subnormal ? x * T(int64{2} << fraction_bits<T>) : x, begin);
  return {is_subnormal ? u.exponent - digits : u.exponent, u.significand};
}

/// Defines a logarithm, and normal_range_*() for positive normal numbers only.
#define SKERRY_LOGARITHM(name)                                  \
  template <real_floating T>                                    \
  SKERRY_HD SKERRY_INLINE T normal_range_##name(T x) {          \
    return name##_of_parts(split(x));                           \
  }                                                             \
  template <real_floating T>                                    \
  SKERRY_HD SKERRY_INLINE T name(T x) {                         \
    return with_special_logs(x, name##_of_parts(split_any(x))); \
  }
SKERRY_LOGARITHM(log)

/// Uses log(u + c) = log(u) + c / u, where c is the rounding error of u = 1 + x.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T log1p(T x) {
  constexpr T is_itself = sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54);
  const Pair<T> u = two_sum(T(1), x);
  const T lost = u.high == infinity<T>() ? T(0) : u.low;
  const T y = with_special_logs(u.high, log_of_parts(split(u.high), lost / u.high));
  return math::fabs(x) < is_itself ? x : y;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
