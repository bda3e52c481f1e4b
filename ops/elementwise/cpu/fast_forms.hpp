// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/vector.hpp"

// Fast forms omit an operation's expensive cases, such as angles above 2^40, or use arithmetic for
// which vector instructions exist. Their results have the same bits as the operation's, so it does
// not matter which form computes a block.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Returns bits of which the highest is set unless x is a positive normal number.
template <class T>
SKERRY_INLINE ops::bits_t<T> no_positive_normal(T x) {
  using limits = std::numeric_limits<T>;
  const ops::bits_t<T> bits = ops::math::to_bits(x);
  return (bits - ops::math::to_bits(limits::min())) | (ops::math::to_bits(limits::max()) - bits);
}

/// Returns bits of which the highest is set if |x| exceeds `bound` or x is NaN.
template <class T>
SKERRY_INLINE ops::bits_t<T> greater_magnitude(T x, T bound) {
  return ops::math::to_bits(bound) - ops::math::to_bits(ops::math::fabs(x));
}

template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct FastForm<ops::exp, T> {
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T x) {
    return greater_magnitude(x, ops::math::portable::max_normal_exponent<T>);
  }
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_exp(x); }
};

template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct FastForm<ops::exp2, T> {
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T x) {
    return greater_magnitude(x, ops::math::portable::max_normal_exponent_of_2<T>);
  }
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_exp2(x); }
};

#define SKERRY_NORMAL_RANGE_LOGARITHMS(name)                                                      \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::real_floating<T>                           \
  struct FastForm<ops::name, T> {                                                                 \
    static SKERRY_INLINE ops::bits_t<T> slow_bits(T x) { return no_positive_normal(x); }          \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_##name(x); } \
  };
SKERRY_NORMAL_RANGE_LOGARITHMS(log)
SKERRY_NORMAL_RANGE_LOGARITHMS(log10)
SKERRY_NORMAL_RANGE_LOGARITHMS(log2)
#undef SKERRY_NORMAL_RANGE_LOGARITHMS

#define SKERRY_NORMAL_RANGE_ANGLES(name)                                                          \
  template <class T>                                                                              \
  struct normal_range_##name {                                                                    \
    static SKERRY_INLINE ops::bits_t<T> slow_bits(T x) {                                          \
      return greater_magnitude(x, ops::math::portable::max_normal_angle<T>);                      \
    }                                                                                             \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_##name(x); } \
  };                                                                                              \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::same_v<T, float64>                         \
  struct FastForm<ops::name, T> : normal_range_##name<T> {};                                      \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::same_v<T, float32>                         \
  struct FastForm<ops::name, T> {                                                                 \
    using wide_form = normal_range_##name<T>;                                                     \
    static SKERRY_INLINE ops::bits_t<T> slow_bits(T x) {                                          \
      return greater_magnitude(x, ops::math::portable::near_angle);                               \
    }                                                                                             \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::near_##name(x); }         \
  };
SKERRY_NORMAL_RANGE_ANGLES(cos)
SKERRY_NORMAL_RANGE_ANGLES(sin)
SKERRY_NORMAL_RANGE_ANGLES(tan)
#undef SKERRY_NORMAL_RANGE_ANGLES

/// Valid for positive normal bases and exponents with a normal result. Excludes the exponents 2, 3
/// and -1, whose powers are products or quotients.
template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct FastForm<ops::pow, T> {
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T base, T exponent) {
    constexpr int bits = std::numeric_limits<T>::digits - 1;
    constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    constexpr T origin = ops::math::portable::magic<T>;
    // |log2(base)| is at most the magnitude of the base's exponent plus 1.
    const ops::bits_t<T> biased = ops::math::to_bits(base) >> bits;
    const T power = ops::math::from_bits<T>(biased | ops::math::to_bits(origin)) - (origin + bias);
    const T power_bound = (ops::math::fabs(power) + T(1)) * ops::math::fabs(exponent);
    const ops::bits_t<T> excess = ops::math::to_bits(T(bias - 2)) - ops::math::to_bits(power_bound);
    const bool is_product = (exponent == T(2)) | (exponent == T(3)) | (exponent == T(-1));
    const ops::bits_t<T> outside = no_positive_normal(base) | excess;
    return is_product ? ops::sign_bit<T> : outside;
  }

  SKERRY_INLINE T operator()(T base, T exponent) const {
    return ops::math::portable::normal_range_pow(base, exponent);
  }

#if defined(SKERRY_LOOKS_UP_LANES)
  /// Looks up the table's rows in registers, since the compiler would gather them from memory:
  /// float32 from 16.4 to 9.7 us (10^4 elements; EPYC, Zen 4; NumPy: 9).
  static SKERRY_INLINE void run(char* const* data, int64 n) {
    using bits = typename VectorOf<T>::bits;
    constexpr int64 size = sizeof(T);
    const auto& table = ops::math::portable::power_table<T>;
    alignas(vector_bytes) T row[3][tuning::fast_form_block];
    for (int64 i = 0; i < n; i += lane_count<T>) {
      const T* const source = reinterpret_cast<const T*>(data[1]) + i;
      const lanes_of<T> x =
          load_some_lanes<T>(source, minimum(n - i, lane_count<T>), lanes_of<T>{});
      const bits index = (bits(x) - ops::math::portable::power_rows_begin<T>) >>
                         ops::math::portable::power_row_shift<T>;
      for (int k = 0; k < 3; ++k) store_lanes(row[k] + i, look_up_lanes(table[k], index));
    }
    char* const out = data[0];
    const char* const base = data[1];
    const char* const exponent = data[2];
    SKERRY_IVDEP
    for (int64 i = 0; i < n; ++i) {
      const T power = ops::math::portable::normal_range_pow<T>(load<T>(base + i * size),
                                                               load<T>(exponent + i * size),
                                                               {row[0][i], row[1][i], row[2][i]});
      store<T>(out + i * size, power);
    }
  }
#endif
};

/// Valid for numbers that are not is_extreme(): their squares, products and quotients are in range.
template <class T>
  requires ops::complex_floating<T>
struct FastForm<ops::divide, T> {
  static SKERRY_INLINE uint64 slow_bits(T x1, T x2) {
    return ops::math::detail::is_extreme(complex128(x1)) |
           ops::math::detail::is_extreme(complex128(x2));
  }
  SKERRY_INLINE T operator()(T x1, T x2) const {
    return T(ops::math::detail::unscaled_quotient(complex128(x1), complex128(x2)));
  }
};

template <ops::real_floating T>
struct FastForm<ops::logaddexp, T> {
  SKERRY_INLINE T operator()(T x1, T x2) const {
    return ops::math::portable::fast_logaddexp(x1, x2);
  }

  /// The highest bit is set if the greater argument is in (-3/4, 0), where terms cancel.
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T x1, T x2) {
    using B = ops::bits_t<T>;
    constexpr B min_negative_bits = (B(1) << (8 * sizeof(B) - 1)) + 1;
    const B above = ops::math::to_bits(x1 > x2 ? x1 : x2) - min_negative_bits;
    return (above - ops::math::to_bits(T(0.75))) & ~above;
  }

  static SKERRY_INLINE T corrected(T x1, T x2, T fast_result) {
    return ops::math::portable::is_cancelled(x1, x2, fast_result)
               ? ops::math::portable::accurate_logaddexp(x1, x2)
               : fast_result;
  }
};

/// Remainders of divisions whose quotient has no more bits than a T holds exactly.
template <class Op, class T>
struct NearRemainder {
  SKERRY_INLINE T operator()(T a, T b) const {
    const T rest = ops::math::near_rest(a, b);
    return ops::same_v<Op, ops::fmod> ? ops::math::copysign(rest, a)
                                      : ops::math::rest_as_of(b, rest);
  }
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T a, T b) {
    return ops::math::has_large_quotient(a, b) ? ~ops::bits_t<T>{0} : ops::bits_t<T>{0};
  }
  static SKERRY_INLINE T corrected(T a, T b, T fast_result) {
    return ops::math::has_large_quotient(a, b) ? Op{}(a, b) : fast_result;
  }
};
template <ops::real_floating T>
  requires(sizeof(T) == 4 || ops::math::fast_fma)
struct FastForm<ops::remainder, T> : NearRemainder<ops::remainder, T> {};
template <ops::real_floating T>
  requires(sizeof(T) == 4 || ops::math::fast_fma)
struct FastForm<ops::fmod, T> : NearRemainder<ops::fmod, T> {};

/// Divides 64-bit integers of up to 51 bits as doubles, since no vector instruction divides
/// integers. A quotient that isn't an integer differs from the nearest one by at least 1 / |b|,
/// relatively more than 2^-52, so it is not rounded to that integer. quotient * b is exact, too.
template <class Op, class T>
struct QuotientOfDoubles {
  SKERRY_INLINE T operator()(T a, T b) const {
    const float64 x = to_double(a);
    const float64 y = to_double(b);
    const bool is_truncated = ops::same_v<Op, ops::fmod>;
    const float64 quotient = is_truncated ? ops::math::trunc(x / y) : ops::math::floor(x / y);
    const bool is_quotient = ops::same_v<Op, ops::floor_divide>;
    const T result = to_integer(is_quotient ? quotient : x - quotient * y);
    return b == T(0) ? T(0) : result;
  }

  /// The highest bit is set if an operand has more than `bits` bits.
  static SKERRY_INLINE uint64 slow_bits(T a, T b) {
    constexpr int bits = 51;
    constexpr uint64 bias = ops::signed_integral<T> ? uint64{1} << bits : 0;
    const uint64 together = (static_cast<uint64>(a) + bias) | (static_cast<uint64>(b) + bias);
    return uint64{0} - (together >> (ops::signed_integral<T> ? bits + 1 : bits));
  }

  static SKERRY_INLINE T corrected(T a, T b, T fast_result) {
    return slow_bits(a, b) != 0 ? Op{}(a, b) : fast_result;
  }

 private:
  // The low bits of a double from 2^52 to 2^53 are an integer. This converts at every x86-64 level.
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
struct FastForm<ops::floor_divide, T> : QuotientOfDoubles<ops::floor_divide, T> {};
template <ops::integral T>
  requires(sizeof(T) == 8)
struct FastForm<ops::remainder, T> : QuotientOfDoubles<ops::remainder, T> {};
template <ops::integral T>
  requires(sizeof(T) == 8)
struct FastForm<ops::fmod, T> : QuotientOfDoubles<ops::fmod, T> {};

/// Computes a power for an exponent of `Bits` bits. The number of steps is constant, so that the
/// loop is vectorized.
template <int Bits, ops::integral T>
SKERRY_INLINE T small_power(T base, T exponent) {
  T power = 1;
  SKERRY_UNROLL(8)
  for (int k = 0; k < Bits; ++k) {
    power = ops::wrapping_multiply(power, ((exponent >> k) & T(1)) != T(0) ? base : T(1));
    base = ops::wrapping_multiply(base, base);
  }
  return power;
}

template <ops::integral T>
  requires(sizeof(T) >= 4)
struct FastForm<ops::pow, T> {
  static constexpr int bits = 7;

  SKERRY_INLINE T operator()(T base, T exponent) const { return small_power<bits>(base, exponent); }

  /// The highest bit is set if the exponent has more than `bits` bits or is negative.
  static SKERRY_INLINE ops::bits_t<T> slow_bits(T, T exponent) {
    return ops::bits_t<T>{0} - (static_cast<ops::bits_t<T>>(exponent) >> bits);
  }

  static SKERRY_INLINE T corrected(T base, T exponent, T fast_result) {
    return slow_bits(base, exponent) != 0 ? ops::pow{}(base, exponent) : fast_result;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
