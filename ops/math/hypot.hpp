// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/pair.hpp"

// The length of a vector of two parts.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// sqrt(x.high + x.low) as a pair; 0 for 0. The low part is one step of Newton's method.
template <real_floating T>
SKERRY_HD SKERRY_INLINE pair<T> sqrt_of_pair(pair<T> x) {
  const T root = math::sqrt(x.high);
  const T rest = math::fma(-root, root, x.high) + x.low;
  return {root, root == 0 ? T(0) : rest * (T(0.5) / root)};
}

/// The squares as pairs, of parts that are scaled away from overflow and underflow.
SKERRY_HD SKERRY_INLINE float64 hypot(float64 x1, float64 x2) {
  const float64 a = math::fabs(x1);
  const float64 b = math::fabs(x2);
  const float64 greater = a > b ? a : b;
  const float64 lesser = a > b ? b : a;
  const bool is_large = greater > 0x1p500;
  const bool is_small = greater < 0x1p-400;
  const float64 scale = is_large ? 0x1p-600 : (is_small ? 0x1p600 : 1.0);
  const float64 scale_back = is_large ? 0x1p600 : (is_small ? 0x1p-600 : 1.0);
  const pair<float64> u = two_product(greater * scale, greater * scale);
  const pair<float64> v = two_product(lesser * scale, lesser * scale);
  const pair<float64> sum = fast_two_sum(u.high, v.high);
  const pair<float64> root = sqrt_of_pair<float64>({sum.high, sum.low + (u.low + v.low)});
  const float64 length = (root.high + root.low) * scale_back;
  const bool is_infinite = (a == infinity<float64>()) | (b == infinity<float64>());
  return is_infinite ? infinity<float64>() : length;
}

SKERRY_HD SKERRY_INLINE float32 hypot(float32 x1, float32 x2) {
  const float64 a = x1;
  const float64 b = x2;
  const float32 length = static_cast<float32>(math::sqrt(a * a + b * b));
  const bool is_infinite =
      (math::fabs(x1) == infinity<float32>()) | (math::fabs(x2) == infinity<float32>());
  return is_infinite ? infinity<float32>() : length;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
