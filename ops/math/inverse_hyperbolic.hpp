// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/hypot.hpp"
#include "ops/math/logarithm_pair.hpp"

// asinh, acosh and atanh as logarithms of pairs.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// log(x + root), x >= 0 and root^2 = x^2 +- 1; log(2 x) where x is so great that root is x.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T log_of_sum(T x, pair<T> root) {
  const bool is_great = x > (sizeof(T) == 4 ? T(0x1p12) : T(0x1p26));
  const pair<T> sum = root.high > x ? fast_two_sum(root.high, x) : fast_two_sum(x, root.high);
  const binary_parts<T> u = split(is_great ? x : sum.high);
  const T shrink = power_of_2(magic<T> - u.exponent);
  const T low = is_great ? T(0) : (sum.low + root.low) * shrink;
  const pair<T> y = add_exponent(is_great ? u.exponent + T(1) : u.exponent,
                                 log_of_significand(u.significand, low));
  return y.high + y.low;
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T asinh(T x) {
  const T size = math::fabs(x);
  const pair<T> square = two_product(size, size);
  const pair<T> above = two_sum(square.high, T(1));
  const pair<T> root = sqrt_of_pair<T>({above.high, above.low + square.low});
  const T y = log_of_sum(size, root);
  const bool is_ordinary =
      (size >= (sizeof(T) == 4 ? T(0x1p-12) : T(0x1p-28))) & (size < infinity<T>());
  return is_ordinary ? math::copysign(y, x) : x;
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T acosh(T x) {
  const pair<T> square = two_product(x, x);
  const pair<T> below = fast_two_sum(square.high, T(-1));
  const pair<T> root = sqrt_of_pair(fast_two_sum(below.high, below.low + square.low));
  const T y = log_of_sum(x, root);
  const T finite = x < T(1) ? nan<T>() : y;
  return x < infinity<T>() ? finite : x;
}

/// Half the logarithm of (1 + x) / (1 - x) = 2^k t, t in [2/3, 3/2]: that of t by the quotient
/// (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)), which is x itself for k = 0.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T atanh(T x) {
  const T size = math::fabs(x);
  const pair<T> above = fast_two_sum(T(1), size);
  const pair<T> below = fast_two_sum(T(1), -size);
  // Bits of floats are within 0.09 of linear in their logarithm.
  constexpr int bits = fraction_bits<T>;
  const bits_t<T> apart = to_bits(above.high) - to_bits(below.high) + (bits_t<T>(1) << (bits - 1));
  const T k = from_bits<T>((apart >> bits) | to_bits(magic<T>)) - magic<T>;
  const T scale = power_of_2(magic<T> + k);
  const pair<T> other = {below.high * scale, below.low * scale};
  const pair<T> numerator = two_sum(above.high - other.high, above.low - other.low);
  const pair<T> sum = two_sum(above.high, other.high);
  const pair<T> y =
      add_exponent(k, log_by_quotient(numerator, {sum.high, sum.low + (above.low + other.low)}));
  const T outside = size == T(1) ? infinity<T>() : nan<T>();
  return math::copysign(size < T(1) ? T(0.5) * (y.high + y.low) : outside, x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
