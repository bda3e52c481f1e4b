// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Where a quick form is right for all but a few elements, blocks are computed by it, and those
// elements once more, one by one: the operation's own result for each.

namespace skerry::inline SKERRY_TARGET::kernels {

template <ops::real_floating T>
struct fast_form<ops::logaddexp, T> {
  static constexpr bool exists = true;

  SKERRY_INLINE T operator()(T x1, T x2) const {
    return ops::math::portable::fast_logaddexp(x1, x2);
  }

  /// Whether the greater is in (-3/4, 0), where terms cancel. By its bits: GCC 12 vectorises no
  /// reduction by comparison.
  struct needs_slow_path {
    SKERRY_INLINE ops::bits_t<T> operator()(T x1, T x2) const {
      using B = ops::bits_t<T>;
      constexpr B min_negative_bits = (B(1) << (8 * sizeof(B) - 1)) + 1;
      const B above = ops::math::to_bits(x1 > x2 ? x1 : x2) - min_negative_bits;
      return (above - ops::math::to_bits(T(0.75))) & ~above;
    }
  };

  static SKERRY_INLINE T corrected(T x1, T x2, T fast_result) {
    return ops::math::portable::is_cancelled(x1, x2, fast_result)
               ? ops::math::portable::accurate_logaddexp(x1, x2)
               : fast_result;
  }
};

/// Remainders of quotients that have no more bits than fit.
template <class Op, class T>
struct near_remainder {
  static constexpr bool exists = true;
  SKERRY_INLINE T operator()(T a, T b) const {
    const T rest = ops::math::near_rest(a, b);
    return ops::same_v<Op, ops::fmod> ? ops::math::copysign(rest, a)
                                      : ops::math::rest_as_of(b, rest);
  }
  struct needs_slow_path {
    SKERRY_INLINE ops::bits_t<T> operator()(T a, T b) const {
      return ops::math::has_large_quotient(a, b) ? ~ops::bits_t<T>{0} : ops::bits_t<T>{0};
    }
  };
  static SKERRY_INLINE T corrected(T a, T b, T fast_result) {
    return ops::math::has_large_quotient(a, b) ? Op{}(a, b) : fast_result;
  }
};
template <ops::real_floating T>
  requires(sizeof(T) == 4 || ops::math::fast_fma)
struct fast_form<ops::remainder, T> : near_remainder<ops::remainder, T> {};
template <ops::real_floating T>
  requires(sizeof(T) == 4 || ops::math::fast_fma)
struct fast_form<ops::fmod, T> : near_remainder<ops::fmod, T> {};

/// 64-bit integers of up to 51 bits, divided as doubles, since no vector instruction divides
/// integers. A quotient that isn't an integer is at least 1 / |b| away from one, relatively more
/// than 2^-52, so rounding doesn't reach it; quotient * b is exact, too.
template <class Op, class T>
struct QuotientOfDoubles {
  static constexpr bool exists = true;

  SKERRY_INLINE T operator()(T a, T b) const {
    const float64 x = to_double(a);
    const float64 y = to_double(b);
    const bool is_truncated = ops::same_v<Op, ops::fmod>;
    const float64 quotient = is_truncated ? ops::math::trunc(x / y) : ops::math::floor(x / y);
    const bool is_quotient = ops::same_v<Op, ops::floor_divide>;
    const T result = to_integer(is_quotient ? quotient : x - quotient * y);
    return b == T(0) ? T(0) : result;
  }

  /// Whether one of them has more bits.
  struct needs_slow_path {
    SKERRY_INLINE uint64 operator()(T a, T b) const {
      constexpr int bits = 51;
      constexpr uint64 bias = ops::signed_integral<T> ? uint64{1} << bits : 0;
      const uint64 together = (static_cast<uint64>(a) + bias) | (static_cast<uint64>(b) + bias);
      return uint64{0} - (together >> (ops::signed_integral<T> ? bits + 1 : bits));
    }
  };

  static SKERRY_INLINE T corrected(T a, T b, T fast_result) {
    return needs_slow_path{}(a, b) != 0 ? Op{}(a, b) : fast_result;
  }

 private:
  // In a double from 2^52 to 2^53 the last bits are an integer: conversions for every level.
  static constexpr float64 origin = 6755399441055744.0;  // 1.5 * 2^52

  static SKERRY_INLINE float64 to_double(T x) {
    const uint64 bits = static_cast<uint64>(x) + ops::math::to_bits(origin);
    return ops::math::from_bits<float64>(bits) - origin;
  }
  static SKERRY_INLINE T to_integer(float64 whole) {
    return static_cast<T>(ops::math::to_bits(whole + origin) - ops::math::to_bits(origin));
  }
};

template <ops::integral T>
  requires(sizeof(T) == 8)
struct fast_form<ops::floor_divide, T> : QuotientOfDoubles<ops::floor_divide, T> {};
template <ops::integral T>
  requires(sizeof(T) == 8)
struct fast_form<ops::remainder, T> : QuotientOfDoubles<ops::remainder, T> {};
template <ops::integral T>
  requires(sizeof(T) == 8)
struct fast_form<ops::fmod, T> : QuotientOfDoubles<ops::fmod, T> {};

/// Exponents below 128 by as many steps for each: those of a vector go together.
template <ops::integral T>
  requires(sizeof(T) >= 4)
struct fast_form<ops::pow, T> {
  static constexpr bool exists = true;
  static constexpr int bits = 7;

  SKERRY_INLINE T operator()(T base, T exponent) const {
    T power = 1;
#pragma GCC unroll 8
    for (int k = 0; k < bits; ++k) {
      power = ops::wrapping_multiply(power, ((exponent >> k) & T(1)) != T(0) ? base : T(1));
      base = ops::wrapping_multiply(base, base);
    }
    return power;
  }

  /// Whether the exponent is another.
  struct needs_slow_path {
    SKERRY_INLINE ops::bits_t<T> operator()(T, T exponent) const {
      return ops::bits_t<T>{0} - (static_cast<ops::bits_t<T>>(exponent) >> bits);
    }
  };

  static SKERRY_INLINE T corrected(T base, T exponent, T fast_result) {
    return needs_slow_path{}(base, exponent) != 0 ? ops::pow{}(base, exponent) : fast_result;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
