// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"

// The cube root: x = 2^(3k) s, y = s^(-1/3) by Newton's method, and 2^k s y^2.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns s^(-1/3) for s in [2^-1.5, 2^1.5). A near-minimax polynomial with a relative error of
/// 3.1e-3, and two iterations of fourth order.
SKERRY_HD SKERRY_INLINE float64 inverse_cbrt(float64 s) {
  float64 y = polynomial(s, 0x1.01ef5cp+1, -0x1.317e7ep+1, 0x1.272908p+1, -0x1.3c464fp+0,
                         0x1.568200p-2, -0x1.244b6cp-5);
  for (int i = 0; i < 2; ++i) {
    const float64 rest = math::fma(-s * y, y * y, 1.0);
    const float64 terms = polynomial(rest, 1.0 / 3, 2.0 / 9, 14.0 / 81);
    y = math::fma(y * rest, terms, y);
  }
  return y;
}

/// Returns the cube root of s from y = s^(-1/3). float64: one step of Newton's method, whose
/// residue is computed in pairs; error 0.501 ulp.
template <real_floating T>
SKERRY_HD SKERRY_INLINE float64 cbrt_by_inverse(float64 s, float64 y) {
  const float64 root = s * y * y;
  if constexpr (sizeof(T) == 4) return root;
  const Pair<float64> square = two_product(root, root);
  const Pair<float64> cube = two_product(square.high, root);
  const float64 rest = (s - cube.high) - math::fma(square.low, root, cube.low);
  return math::fma(rest * (1.0 / 3), y * y, root);
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE T cbrt(T x) {
  const float64 size = math::fabs(static_cast<float64>(x));
  const bool is_subnormal = size < 0x1p-1022;
  const BinaryParts<float64> parts = split(is_subnormal ? size * 0x1p54 : size);
  const float64 rounded = math::fma(parts.exponent, 1.0 / 3, magic<float64>);
  const float64 third = rounded - magic<float64>;
  const float64 rest = math::fma(third, -3.0, parts.exponent);  // -1, 0 or 1
  const float64 s = parts.significand * power_of_2(rest + magic<float64>);
  const float64 root = cbrt_by_inverse<T>(s, inverse_cbrt(s));
  const float64 scaled = root * power_of_2(is_subnormal ? rounded - 18.0 : rounded);
  const bool is_regular = (size > 0) & (size < infinity<float64>());
  return is_regular ? static_cast<T>(math::copysign(scaled, static_cast<float64>(x))) : x + x;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
