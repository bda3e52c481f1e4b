// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <limits>
#include <type_traits>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bitwise.hpp"
#include "ops/elementwise/cpu/fast_forms.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Operations that are simpler if the second operand is a scalar. Integer division multiplies by the
// divisor's reciprocal: a 64-bit division takes ten times as long, and vectors of narrower integers
// would be divided as doubles. An integer power takes the same steps for all items. Floating
// division by a power of two multiplies by its reciprocal, which is exact, so that results are
// rounded the same. (ops/elementwise/apply.cpp replaces the powers 2 and -1 by square and
// reciprocal.)

namespace skerry::inline SKERRY_TARGET::kernels {

/// floor(x / divisor) for a divisor above 1, or below -1 (`IsNegative`): Granlund and Montgomery,
/// "Division by Invariant Integers using Multiplication" (1994), figures 4.1 and 4.2. For bytes, a
/// reciprocal of twice the bits is exact and needs no shift, which vectors of bytes lack.
template <class T, bool IsNegative>
class Division {
 public:
  explicit Division(T divisor) {
    const auto magnitude =
        static_cast<U>(IsNegative ? ops::wrapping_subtract(T(0), divisor) : divisor);
    shift_ = std::bit_width(static_cast<U>(magnitude - 1));
    if constexpr (bits == 8) {
      reciprocal_ = static_cast<uint16>(65535 / magnitude + 1);
      return;
    }
    // Signed values are divided as magnitudes of at most 2^(bits - 1): their reciprocal fits U.
    const W dividend =
        static_cast<W>(ops::signed_integral<T> ? W(1) << (bits - 1 + shift_)
                                               : ((W(1) << shift_) - magnitude) << bits);
    reciprocal_ = static_cast<U>(dividend / magnitude + 1);
  }

  SKERRY_INLINE T operator()(T x) const {
    if constexpr (ops::signed_integral<T>) {
      const T directed = IsNegative ? ops::wrapping_subtract(T(0), x) : x;
      // The negated minimum is positive (2^63 for 64 bits), although its highest bit is set.
      const auto sign = static_cast<U>((IsNegative ? directed & ~x : x) >> (bits - 1));
      const U product = high_product(static_cast<U>(static_cast<U>(directed) ^ sign));
      return static_cast<T>((bits == 8 ? product : product >> (shift_ - 1)) ^ sign);
    } else {
      const U high = high_product(x);
      return static_cast<T>(bits == 8 ? high : (((x - high) >> 1) + high) >> (shift_ - 1));
    }
  }

 private:
  static constexpr int bits = 8 * int(sizeof(T));
  __extension__ using uint128 = unsigned __int128;
  using U = ops::bits_t<T>;
  using W = std::conditional_t<bits == 64, uint128, std::conditional_t<bits == 32, uint64, uint32>>;
  using factor = std::conditional_t<bits == 8, uint16, U>;

  [[nodiscard]] SKERRY_INLINE U high_product(U x) const {
    return static_cast<U>((W(factor(x)) * reciprocal_) >> (bits == 8 ? 16 : bits));
  }

  int shift_;
  factor reciprocal_;
};

/// Calls `run_loop` with a Division by the divisor. Returns false for the divisors -1, 0 and 1.
template <ops::integral T, class Run>
bool divide_by(T divisor, Run run_loop) {
  if (divisor > T(1)) {
    run_loop(Division<T, false>(divisor));
    return true;
  }
  if constexpr (ops::signed_integral<T>) {
    if (divisor < T(-1)) {
      run_loop(Division<T, true>(divisor));
      return true;
    }
  }
  return false;
}

template <ops::integral T>
struct ScalarForm<ops::floor_divide, T> {
  template <class Run>
  static bool apply(T divisor, Run run_loop) {
    return divide_by(divisor, run_loop);
  }
};

template <ops::integral T>
struct ScalarForm<ops::remainder, T> {
  template <class Run>
  static bool apply(T divisor, Run run_loop) {
    return divide_by(divisor, [&](auto quotient) {
      run_loop([divisor, quotient](T x) {
        return ops::wrapping_subtract(x, ops::wrapping_multiply(quotient(x), divisor));
      });
    });
  }
};

/// Multiplies, since no vector instruction shifts bytes. A negative or too large shift counts as 8.
template <ops::integral T>
  requires(sizeof(T) == 1)
struct ScalarForm<ops::bitwise_right_shift, T> {
  template <class Run>
  static bool apply(T shift, Run run_loop) {
    using wide = std::conditional_t<ops::signed_integral<T>, int16, uint16>;
    const auto factor = static_cast<wide>(256 >> minimum(static_cast<uint8>(shift), 8));
    run_loop([factor](T x) { return static_cast<T>(static_cast<wide>(x * factor) >> 8); });
    return true;
  }
};

template <ops::real_floating T>
struct ScalarForm<ops::divide, T> {
  template <class Run>
  static bool apply(T divisor, Run run_loop) {
    using limits = std::numeric_limits<T>;
    constexpr auto mantissa = (ops::bits_t<T>(1) << (limits::digits - 1)) - 1;
    const T reciprocal = T(1) / divisor;
    const bool is_power = (ops::math::to_bits(divisor) & mantissa) == 0;  // or 0, or infinite
    if (!is_power || !(ops::math::fabs(divisor) >= limits::min()) ||
        !(ops::math::fabs(reciprocal) >= limits::min())) {
      return false;
    }
    run_loop([reciprocal](T x) { return x * reciprocal; });
    return true;
  }
};

template <ops::real_floating T>
struct ScalarForm<ops::pow, T> {
  template <class Run>
  static bool apply(T exponent, Run run_loop) {
    if (exponent != T(3)) return false;
    run_loop([](T x) { return ops::math::cube(x); });
    return true;
  }
};

template <ops::integral T>
struct ScalarForm<ops::pow, T> {
  template <class Run>
  static bool apply(T exponent, Run run_loop) {
    if (exponent < T(0) || exponent > T(127)) return false;
    if (exponent < T(4)) {
      run_loop([exponent](T x) { return small_power<2>(x, exponent); });
    } else {
      run_loop([exponent](T x) { return small_power<7>(x, exponent); });
    }
    return true;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
