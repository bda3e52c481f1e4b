// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Operations that are simpler by one scalar. 64-bit integers are divided by a product with the
// divisor's reciprocal, as processors take ten times as long for a quotient of that width; others
// are divided as vectors of doubles. A cube is two products. (Squares and reciprocals are
// operations of their own, which ops/elementwise/apply.cpp takes for these powers.)

namespace skerry::inline SKERRY_TARGET::kernels {

/// floor(x / divisor) for a divisor above 1: Granlund and Montgomery, "Division by Invariant
/// Integers using Multiplication" (1994), figures 4.1 and 4.2.
template <class T>
class division {
 public:
  explicit division(T divisor)
      : shift_(std::bit_width(static_cast<uint64>(divisor) - 1)),
        // Signed ones are divided by their magnitudes, of 63 bits, whose reciprocal fits.
        reciprocal_(ops::signed_integral<T>
                        ? quotient(uint128(1) << (63 + shift_), divisor)
                        : quotient(((uint128(1) << shift_) - static_cast<uint64>(divisor)) << 64,
                                   divisor)) {}

  SKERRY_INLINE T operator()(T x) const {
    if constexpr (ops::signed_integral<T>) {
      const auto sign = static_cast<uint64>(x >> 63);
      return static_cast<T>((high_product(static_cast<uint64>(x) ^ sign) >> (shift_ - 1)) ^ sign);
    } else {
      const uint64 high = high_product(x);
      return (((x - high) >> 1) + high) >> (shift_ - 1);
    }
  }

 private:
  __extension__ using uint128 = unsigned __int128;

  static uint64 quotient(uint128 dividend, T divisor) {
    return static_cast<uint64>(dividend / static_cast<uint64>(divisor)) + 1;
  }
  [[nodiscard]] SKERRY_INLINE uint64 high_product(uint64 x) const {
    return static_cast<uint64>((uint128(x) * reciprocal_) >> 64);
  }

  int shift_;
  uint64 reciprocal_;
};

template <class T>
  requires ops::integral<T> && (sizeof(T) == 8)
struct scalar_form<ops::floor_divide, T> {
  static constexpr bool exists = true;
  template <class Run>
  static bool apply(T divisor, Run run) {
    if (divisor <= T(1)) return false;
    run(division<T>(divisor));
    return true;
  }
};

template <class T>
  requires ops::integral<T> && (sizeof(T) == 8)
struct scalar_form<ops::remainder, T> {
  static constexpr bool exists = true;
  template <class Run>
  static bool apply(T divisor, Run run) {
    if (divisor <= T(1)) return false;
    run([divisor, quotient = division<T>(divisor)](T x) {
      return ops::wrapping_subtract(x, ops::wrapping_multiply(quotient(x), divisor));
    });
    return true;
  }
};

template <ops::real_numeric T>
struct scalar_form<ops::pow, T> {
  static constexpr bool exists = true;
  template <class Run>
  static bool apply(T exponent, Run run) {
    if (exponent != T(3)) return false;
    run([](T x) {
      if constexpr (ops::integral<T>) {
        return ops::wrapping_multiply(ops::wrapping_multiply(x, x), x);
      } else {
        return ops::math::cube(x);
      }
    });
    return true;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
