// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

// Integer arithmetic that wraps around and never traps. Floating dtypes have functions of the same
// names where a reduction or an operation treats both kinds alike. NVRTC parses this file without
// any standard header, even <math.h>.

namespace skerry::inline SKERRY_TARGET::ops {

/// The sign bit of a number's representation.
template <class T>
inline constexpr bits_t<T> sign_bit = static_cast<bits_t<T>>(uint64{1} << (8 * sizeof(T) - 1));

/// The smallest value of T: minus infinity for floats.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE constexpr T lowest() {
  if constexpr (real_floating<T>) {
    return static_cast<T>(__builtin_bit_cast(float, 0xff800000u));
  } else if constexpr (unsigned_integral<T>) {
    return T(0);
  } else {
    return static_cast<T>(sign_bit<T>);
  }
}

/// The largest value of T: infinity for floats.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE constexpr T highest() {
  if constexpr (real_floating<T>) {
    return static_cast<T>(__builtin_bit_cast(float, 0x7f800000u));
  } else {
    return static_cast<T>(~lowest<T>());
  }
}

template <numeric T>
SKERRY_HD SKERRY_INLINE T wrapping_add(T a, T b) {
  if constexpr (integral<T>) {
    return static_cast<T>(static_cast<bits_t<T>>(a) + static_cast<bits_t<T>>(b));
  } else {
    return a + b;
  }
}

template <numeric T>
SKERRY_HD SKERRY_INLINE T wrapping_subtract(T a, T b) {
  if constexpr (integral<T>) {
    return static_cast<T>(static_cast<bits_t<T>>(a) - static_cast<bits_t<T>>(b));
  } else {
    return a - b;
  }
}

template <numeric T>
SKERRY_HD SKERRY_INLINE T wrapping_multiply(T a, T b) {
  if constexpr (integral<T>) {
    // 1u: uint16 operands would otherwise be promoted to int, whose product can overflow.
    return static_cast<T>(1u * static_cast<bits_t<T>>(a) * static_cast<bits_t<T>>(b));
  } else {
    return a * b;
  }
}

namespace math {

/// Returns |x|, which is representable even for the smallest integer.
template <integral T>
SKERRY_HD SKERRY_INLINE bits_t<T> magnitude(T x) {
  if constexpr (signed_integral<T>) {
    const auto bits = static_cast<bits_t<T>>(x);
    return x < T(0) ? static_cast<bits_t<T>>(bits_t<T>(0) - bits) : bits;
  } else {
    return x;
  }
}

/// Returns the greatest common divisor by Euclid's algorithm; 0 for zeros. It wraps around if it is
/// the magnitude of the smallest integer.
template <integral T>
SKERRY_HD SKERRY_INLINE T gcd(T a, T b) {
  bits_t<T> dividend = magnitude(a);
  bits_t<T> divisor = magnitude(b);
  while (divisor != 0) {
    const auto rest = static_cast<bits_t<T>>(dividend % divisor);
    dividend = divisor;
    divisor = rest;
  }
  return static_cast<T>(dividend);
}

/// Returns the number of ones in the bits of |x|: sums in parallel of 2, 4, 8, ... bits.
template <integral T>
SKERRY_HD SKERRY_INLINE uint8 bit_count(T x) {
  using B = bits_t<T>;
  constexpr auto odd_bits = static_cast<B>(uint64{0x5555555555555555});
  constexpr auto odd_pairs = static_cast<B>(uint64{0x3333333333333333});
  constexpr auto odd_nibbles = static_cast<B>(uint64{0x0f0f0f0f0f0f0f0f});
  B n = magnitude(x);
  n = static_cast<B>(n - ((n >> 1) & odd_bits));
  n = static_cast<B>((n & odd_pairs) + ((n >> 2) & odd_pairs));
  n = static_cast<B>((n + (n >> 4)) & odd_nibbles);
  for (int bits = 8; bits < 8 * static_cast<int>(sizeof(T)); bits *= 2) {
    n = static_cast<B>(n + (n >> bits));
  }
  return static_cast<uint8>(n & 0x7f);
}

/// Returns a divisor that neither traps nor overflows: 1 instead of 0, and 1 instead of -1 if the
/// dividend is the smallest integer, whose quotient by -1 wraps around to itself.
template <integral T>
SKERRY_HD SKERRY_INLINE T safe_divisor(T a, T b) {
  bool unsafe = b == T(0);
  if constexpr (signed_integral<T>) unsafe = unsafe | ((b == T(-1)) & (a == lowest<T>()));
  return unsafe ? T(1) : b;
}

#if defined(__CUDA_ARCH__)
inline constexpr int max_float_division = 2;
#else
inline constexpr int max_float_division = 4;
#endif

/// Returns floor(a / b) for b != 0 without overflow. Up to 32 bits, divides as float or double, for
/// which vector instructions exist: a quotient that isn't an integer differs from the nearest one
/// by at least 1 / |b|, relatively more than 2^-16 (2^-32), so rounding to 24 (53) bits doesn't
/// produce that integer. GPUs divide 32-bit integers faster than doubles.
template <integral T>
SKERRY_HD SKERRY_INLINE T floor_quotient(T a, T b) {
  if constexpr (sizeof(T) <= 2) {
    return static_cast<T>(
        static_cast<int32>(::floorf(static_cast<float>(a) / static_cast<float>(b))));
  } else if constexpr (sizeof(T) <= max_float_division) {
    const double quotient = ::floor(static_cast<double>(a) / static_cast<double>(b));
    if constexpr (signed_integral<T>) return static_cast<T>(quotient);
    // Converts through int32, for which every instruction set has an instruction.
    return static_cast<T>(static_cast<uint32>(static_cast<int32>(quotient - 2147483648.0)) ^
                          0x80000000u);
  } else if constexpr (unsigned_integral<T>) {
    return a / b;
  } else {
    const T quotient = a / b;
    const T rest = a % b;
    return quotient - static_cast<T>((rest != 0) & ((rest < 0) != (b < 0)));
  }
}

/// Returns a / b, rounded towards minus infinity. 0 if b is 0; wraps around if the result doesn't
/// fit.
template <integral T>
SKERRY_HD SKERRY_INLINE T floor_divide(T a, T b) {
  const T quotient = floor_quotient(a, safe_divisor(a, b));
  return b == T(0) ? T(0) : quotient;
}

/// Returns a - floor_divide(a, b) * b, which has the sign of b; 0 if b is 0.
template <integral T>
SKERRY_HD SKERRY_INLINE T remainder(T a, T b) {
  const T divisor = safe_divisor(a, b);
  const T quotient = floor_quotient(a, divisor);
  const T rest = wrapping_subtract(a, wrapping_multiply(quotient, divisor));
  return b == T(0) ? T(0) : rest;
}

#if defined(__CUDA_ARCH__)
inline constexpr int max_vector_power = 0;
#else
inline constexpr int max_vector_power = 2;
#endif

/// Returns a power modulo 2^16. Takes `Bits` steps for any exponent, so that loops are vectorized.
template <int Bits>
SKERRY_HD SKERRY_INLINE uint16 narrow_power(uint16 base, uint16 exponent) {
  if constexpr (Bits == 0) {
    return 1;
  } else {
    const uint16 factor = (exponent & 1) != 0 ? base : uint16(1);
    const uint16 square = wrapping_multiply(base, base);
    return wrapping_multiply(factor, narrow_power<Bits - 1>(square, exponent >> 1));
  }
}

/// Returns the power, exact modulo 2^bits. With a negative exponent, truncates 1 / base^|exponent|,
/// and returns 0 for base 0: only 1 and -1 have nonzero powers, which follow from the exponent's
/// bits.
template <integral T>
SKERRY_HD SKERRY_INLINE T pow(T base, T exponent) {
  auto bits = static_cast<bits_t<T>>(exponent);
  bool vanishes = false;
  if constexpr (signed_integral<T>) {
    vanishes = (exponent < T(0)) & (base != T(1)) & (base != T(-1));
  }
  if constexpr (sizeof(T) <= max_vector_power) {
    const uint16 power = narrow_power<8 * sizeof(T)>(static_cast<uint16>(base), bits);
    return vanishes ? T(0) : static_cast<T>(power);
  } else {
    if (vanishes) return T(0);
    T result = 1;
    for (; bits != 0; bits >>= 1) {
      if ((bits & 1) != 0) result = wrapping_multiply(result, base);
      base = wrapping_multiply(base, base);
    }
    return result;
  }
}

/// Returns x * 2^count modulo 2^bits; 0 if `count` is negative or at least the number of bits.
template <integral T>
SKERRY_HD SKERRY_INLINE T shift_left(T x, T count) {
  constexpr bits_t<T> width = 8 * sizeof(T);
  const auto shift = static_cast<bits_t<T>>(count);
  const auto moved = static_cast<T>((1u * static_cast<bits_t<T>>(x)) << (shift & (width - 1u)));
  return shift < width ? moved : T(0);
}

/// Returns floor(x / 2^count); 0, or -1 for negative x, if `count` is negative or at least the
/// number of bits.
template <integral T>
SKERRY_HD SKERRY_INLINE T shift_right(T x, T count) {
  constexpr bits_t<T> last = 8 * sizeof(T) - 1;
  const auto requested_shift = static_cast<bits_t<T>>(count);
  const bits_t<T> shift = requested_shift < last ? requested_shift : last;
  const T moved = static_cast<T>(x >> shift);
  if constexpr (signed_integral<T>) {
    return moved;
  } else {
    return requested_shift > last ? T(0) : moved;
  }
}

}  // namespace math
}  // namespace skerry::inline SKERRY_TARGET::ops
