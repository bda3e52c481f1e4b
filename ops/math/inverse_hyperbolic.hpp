// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/hypot.hpp"
#include "ops/math/logarithm_pair.hpp"

// asinh, acosh and atanh as logarithms of pairs.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// log(x + root), x >= 0 and root^2 = x^2 +- 1; log(2 x) where x is so great that root is x.
SKERRY_HD SKERRY_INLINE float64 log_of_sum(float64 x, pair<float64> root) {
  const bool is_great = x > 0x1p26;
  const pair<float64> sum = root.high > x ? fast_two_sum(root.high, x) : fast_two_sum(x, root.high);
  const binary_parts<float64> u = split(is_great ? x : sum.high);
  const float64 shrink = power_of_2(magic<float64> - u.exponent);
  const float64 low = is_great ? 0.0 : (sum.low + root.low) * shrink;
  const pair<float64> y = add_exponent(is_great ? u.exponent + 1.0 : u.exponent,
                                       log_of_significand(u.significand, low));
  return y.high + y.low;
}

SKERRY_HD SKERRY_INLINE float64 asinh(float64 x) {
  const float64 size = math::fabs(x);
  const pair<float64> square = two_product(size, size);
  const pair<float64> above = two_sum(square.high, 1.0);
  const pair<float64> root = sqrt_of_pair({above.high, above.low + square.low});
  const float64 y = log_of_sum(size, root);
  const bool is_ordinary = (size >= 0x1p-28) & (size < infinity<float64>());
  return is_ordinary ? math::copysign(y, x) : x;
}

SKERRY_HD SKERRY_INLINE float64 acosh(float64 x) {
  const pair<float64> square = two_product(x, x);
  const pair<float64> below = fast_two_sum(square.high, -1.0);
  const pair<float64> root = sqrt_of_pair(fast_two_sum(below.high, below.low + square.low));
  const float64 y = log_of_sum(x, root);
  const float64 finite = x < 1.0 ? nan<float64>() : y;
  return x < infinity<float64>() ? finite : x;
}

/// Half the logarithm of (1 + x) / (1 - x) = 2^k t, t in [2/3, 3/2]: that of t by the quotient
/// (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)), which is x itself for k = 0.
SKERRY_HD SKERRY_INLINE float64 atanh(float64 x) {
  const float64 size = math::fabs(x);
  const pair<float64> above = fast_two_sum(1.0, size);
  const pair<float64> below = fast_two_sum(1.0, -size);
  // Bits of floats are within 0.09 of linear in their logarithm.
  const uint64 apart = to_bits(above.high) - to_bits(below.high) + (uint64{1} << 51);
  const float64 k = from_bits<float64>((apart >> 52) | to_bits(magic<float64>)) - magic<float64>;
  const float64 scale = power_of_2(magic<float64> + k);
  const pair<float64> other = {below.high * scale, below.low * scale};
  const pair<float64> numerator = two_sum(above.high - other.high, above.low - other.low);
  const pair<float64> sum = two_sum(above.high, other.high);
  const pair<float64> y =
      add_exponent(k, log_by_quotient(numerator, {sum.high, sum.low + (above.low + other.low)}));
  const float64 outside = size == 1.0 ? infinity<float64>() : nan<float64>();
  return math::copysign(size < 1.0 ? 0.5 * (y.high + y.low) : outside, x);
}

/// Squares of float32 are exact, and x + root to 2^-53 of it: near 1 that is enough of the result.
SKERRY_HD SKERRY_INLINE float32 asinh(float32 x) {
  const float64 size = math::fabs(static_cast<float64>(x));
  const float64 square = size * size;
  const float64 root = math::sqrt(square + 1.0);
  const pair<float64> u = two_sum(1.0, size + square / (root + 1.0));
  const float32 y = static_cast<float32>(coarse_log_of_pair(u));
  return math::copysign(size < infinity<float64>() ? y : static_cast<float32>(size), x);
}
SKERRY_HD SKERRY_INLINE float32 acosh(float32 x) {
  const float64 above = static_cast<float64>(x) - 1.0;
  const pair<float64> u = two_sum(1.0, above + math::sqrt(above * (above + 2.0)));
  const float32 y = static_cast<float32>(coarse_log_of_pair(u));
  const float32 finite = x < 1.0f ? nan<float32>() : y;
  return x < infinity<float32>() ? finite : x;
}
SKERRY_HD SKERRY_INLINE float32 atanh(float32 x) {
  const float64 size = math::fabs(static_cast<float64>(x));
  const pair<float64> u = two_sum(1.0, (size + size) / (1.0 - size));
  const float32 y = static_cast<float32>(0.5 * coarse_log_of_pair(u));
  const float32 outside = size == 1.0 ? infinity<float32>() : nan<float32>();
  return math::copysign(size < 1.0 ? y : outside, x);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
