// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"

// Logarithms as pairs, and what is made of them: log2 and log10.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// log(1 + s) - log(1 - s) - 2 s = s R(s^2) for |s| <= 0.2: R, near-minimax as log_terms. Error of
/// R / s^2: 2.6e-17; 1.2e-9 of the coarse ones (for |s| <= 0.1716).
SKERRY_HD SKERRY_INLINE float64 wide_log_terms(float64 square) {
  return square * polynomial(square, 0x1.5555555555555p-1, 0x1.9999999999f4ap-2,
                             0x1.24924923d8d36p-2, 0x1.c71c72e6a31a2p-3, 0x1.745caa07872fep-3,
                             0x1.3b2a298d10220p-3, 0x1.0e857a14a6872p-3, 0x1.16d0e176ef65bp-3);
}

/// log of (1 + s) / (1 - s) where s = numerator / denominator, in [-0.2, 0.2]; within 2^-58 of it.
SKERRY_HD SKERRY_INLINE pair<float64> log_by_quotient(pair<float64> numerator,
                                                      pair<float64> denominator) {
  const pair<float64> s = quotient(numerator, denominator);
  const float64 rest = s.high * wide_log_terms(s.high * s.high);
  return {2.0 * s.high, math::fma(2.0, s.low, rest)};
}

/// log(m + low) for m in [sqrt(1/2), sqrt(2)].
SKERRY_HD SKERRY_INLINE pair<float64> log_of_significand(float64 m, float64 low) {
  const pair<float64> above = fast_two_sum(1.0, m);
  return log_by_quotient({m - 1.0, low}, {above.high, above.low + low});
}

/// exponent log(2) + y.
SKERRY_HD SKERRY_INLINE pair<float64> add_exponent(float64 exponent, pair<float64> y) {
  const pair<float64> sum = fast_two_sum(exponent * log_of_2<float64>::high, y.high);
  return {sum.high, sum.low + math::fma(exponent, log_of_2<float64>::low, y.low)};
}

/// log(2^e m), `per_exponent` of e and `unit` times the natural one of m. The product of e and the
/// high part is exact.
SKERRY_HD SKERRY_INLINE float64 log_to_base(float64 x, pair<float64> per_exponent,
                                            pair<float64> unit) {
  const binary_parts<float64> u = split_any(x);
  const pair<float64> y = log_of_significand(u.significand, 0.0);
  const pair<float64> scaled = two_product(y.high, unit.high);
  const float64 low = scaled.low + math::fma(y.high, unit.low, y.low * unit.high);
  const pair<float64> sum = fast_two_sum(u.exponent * per_exponent.high, scaled.high);
  const float64 result = sum.high + (sum.low + math::fma(u.exponent, per_exponent.low, low));
  return with_special_logs(x, result);
}
SKERRY_HD SKERRY_INLINE float64 log2(float64 x) {
  return log_to_base(x, {1.0, 0.0}, {log_of_2<float64>::reciprocal, 0x1.777d0ffda0d24p-56});
}
SKERRY_HD SKERRY_INLINE float64 log10(float64 x) {
  return log_to_base(x, {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46},
                     {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
}

/// In float64, rounded once: to about 2^-31 before.
SKERRY_HD SKERRY_INLINE float64 coarse_log_to_base(float64 u, float64 per_exponent, float64 unit) {
  return coarse_log(u, per_exponent, unit, 0x1.5555554b9ea73p-1, 0x1.9999ebdd789fcp-2,
                    0x1.245c0add825b2p-2, 0x1.dddadec72b27ap-3);
}
SKERRY_HD SKERRY_INLINE float32 log2(float32 x) {
  const float64 y = coarse_log_to_base(x, 1.0, log_of_2<float64>::reciprocal);
  return with_special_logs(x, static_cast<float32>(y));
}
SKERRY_HD SKERRY_INLINE float32 log10(float32 x) {
  const float64 y = coarse_log_to_base(x, 0x1.34413509f79ffp-2, 0x1.bcb7b1526e50ep-2);
  return with_special_logs(x, static_cast<float32>(y));
}

/// log(u.high + u.low), near 1 too, to about 2^-31 of it.
SKERRY_HD SKERRY_INLINE float64 coarse_log_of_pair(pair<float64> u) {
  return coarse_log_to_base(u.high, log_of_2<float64>::nearest, 1.0) + u.low / u.high;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
