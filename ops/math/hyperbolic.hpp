// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/exponential.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {
namespace math {
namespace own {

/// e / (e + 2) with e = expm1(2 |x|); one division. tanh is 1 from 22 (float32: 20) on.
SKERRY_HD SKERRY_INLINE float64 tanh(float64 x) {
  const float64 size = math::fabs(x);
  const float64 bounded = size > 22.0 ? 22.0 : size;  // NaN stays
  const pair<float64> half = half_expm1(bounded + bounded);
  const pair<float64> above_1 = two_sum(1.0, half.high);
  const pair<float64> y = quotient(half, {above_1.high, above_1.low + half.low});
  return math::copysign(size < 0x1p-28 ? size : y.high + y.low, x);
}

/// In float64, rounded once.
SKERRY_HD SKERRY_INLINE float32 tanh(float32 x) {
  const float64 size = math::fabs(static_cast<float64>(x));
  const float64 bounded = size > 20.0 ? 20.0 : size;
  const float64 e = coarse_expm1(bounded + bounded);
  return math::copysign(static_cast<float32>(e / (e + 2.0)), x);
}

}  // namespace own
}  // namespace math
}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
