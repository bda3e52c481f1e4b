// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/hypot.hpp"
#include "ops/math/logarithm_pair.hpp"

// asinh, acosh and atanh as logarithms of pairs.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Above this, the root of x^2 +- 1 rounds to x; x^2 is still finite here.
template <real_floating T>
inline constexpr T great_root = sizeof(T) == 4 ? T(0x1p60) : T(0x1p500);

/// Returns log(x + root) = log(sum) for x >= 0 and root^2 = x^2 +- 1. If x is large, returns log(2
/// x), computed from x / 4.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T log_of_root(T x, Pair<T> sum) {
  const bool is_great = x > great_root<T>;
  const BinaryParts<T> u = split(is_great ? T(0.25) * x : sum.high);
  const T low = (is_great ? T(0) : sum.low) * power_of_2(magic<T> - u.exponent);
  const Pair<T> y =
      add_exponent(u.exponent + (is_great ? T(3) : T(0)), log_of_significand(u.significand, low));
  return y.high + y.low;
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T asinh(T x) {
  const T size = math::fabs(x);
  const Pair<T> square = two_product(size, size);
  const Pair<T> above = two_sum(square.high, T(1));
  const Pair<T> root = sqrt_of_pair<T>({above.high, above.low + square.low});
  const Pair<T> sum = fast_two_sum(root.high, size);
  const T y = log_of_root<T>(size, {sum.high, sum.low + root.low});
  const bool is_in_range =
      (size >= (sizeof(T) == 4 ? T(0x1p-12) : T(0x1p-28))) & (size < infinity<T>());
  return is_in_range ? math::copysign(y, x) : x;
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T acosh(T x) {
  const Pair<T> square = two_product(x, x);
  const Pair<T> below = fast_two_sum(square.high, T(-1));
  const Pair<T> root = sqrt_of_pair(fast_two_sum(below.high, below.low + square.low));
  const Pair<T> sum = fast_two_sum(x, root.high);
  const T y = log_of_root<T>(x, {sum.high, sum.low + root.low});
  const T finite = x < T(1) ? nan<T>() : y;
  return x < infinity<T>() ? finite : x;
}

/// Returns half the logarithm of (1 + x) / (1 - x) = 2^k t, t in [2/3, 3/2]. log(t) follows from
/// the quotient (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)), which is x itself for k = 0.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T atanh(T x) {
  const T size = math::fabs(x);
  const Pair<T> above = fast_two_sum(T(1), size);
  const Pair<T> below = fast_two_sum(T(1), -size);
  // The bits of a float, as an integer, approximate its log2 within 0.09 (in units of 2^bits).
  constexpr int bits = fraction_bits<T>;
  const bits_t<T> bit_difference =
      to_bits(above.high) - to_bits(below.high) + (bits_t<T>(1) << (bits - 1));
  const T rounded = from_bits<T>((bit_difference >> bits) | to_bits(magic<T>));
  const T k = rounded - magic<T>;
  const T scale = power_of_2(rounded);
  const Pair<T> other = {below.high * scale, below.low * scale};
  const Pair<T> numerator = {above.high - other.high, above.low - other.low};
  const Pair<T> sum = two_sum(above.high, other.high);
  const Pair<T> y =
      add_exponent(k, log_by_quotient(numerator, {sum.high, sum.low + (above.low + other.low)}));
  const T result = math::copysign(T(0.5) * (y.high + y.low), x);
  const T outside = size == T(1) ? math::copysign(infinity<T>(), x) : nan<T>();
  return size < T(1) ? result : outside;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
