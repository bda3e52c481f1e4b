// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/pair.hpp"

// The length of a vector of two components.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns sqrt(x.high + x.low) as a pair; 0 for 0. The low part is one step of Newton's method.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> sqrt_of_pair(Pair<T> x) {
  const T root = math::sqrt(x.high);
  const T rest = math::fma(-root, root, x.high) + x.low;
  return {root, root == 0 ? T(0) : rest * (T(0.5) / root)};
}

/// Returns the root of the sum of squares, which is computed in pairs and rounded. The components
/// are scaled by a power of 2 that brings the greater one into [2, 4).
template <real_floating T>
SKERRY_HD SKERRY_INLINE T hypot(T x1, T x2) {
  constexpr bits_t<T> one = bits_t<T>(1) << fraction_bits<T>;  // in the exponent bits
  const T a = math::fabs(x1);
  const T b = math::fabs(x2);
  const T greater = a > b ? a : b;
  const T lesser = a > b ? b : a;
  const bits_t<T> exponent = to_bits(greater) & to_bits(infinity<T>());
  const bits_t<T> bounded = exponent > 2 * one ? exponent : 2 * one;
  const T scale = from_bits<T>(2 * to_bits(T(1)) + one - bounded);
  const Pair<T> u = two_product(greater * scale, greater * scale);
  const Pair<T> v = two_product(lesser * scale, lesser * scale);
  const Pair<T> sum = fast_two_sum(u.high, v.high);
  const T length = math::sqrt(sum.high + (sum.low + (u.low + v.low))) * from_bits<T>(bounded - one);
  const bool is_infinite = (a == infinity<T>()) | (b == infinity<T>());
  return is_infinite ? infinity<T>() : length;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
