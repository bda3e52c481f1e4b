// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"

// Logarithms as pairs; log2 and log10, which use them in float64.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns R(square), where log((1 + s) / (1 - s)) = 2 s + s R(s^2), for |s| <= 0.2; near-minimax,
/// like log_terms(). Error of R / s^2: 3.8e-17; in float32, for |s| <= 0.1716, 2.3e-8.
SKERRY_HD SKERRY_INLINE float64 wide_log_terms(float64 square) {
  return square * polynomial(square, 0x1.5555555555555p-1, 0x1.9999999999f4ap-2,
                             0x1.24924923d8d36p-2, 0x1.c71c72e6a31a2p-3, 0x1.745caa07872fep-3,
                             0x1.3b2a298d10220p-3, 0x1.0e857a14a6872p-3, 0x1.16d0e176ef65bp-3);
}

SKERRY_HD SKERRY_INLINE float32 wide_log_terms(float32 square) { return log_terms(square); }

/// Returns log((1 + s) / (1 - s)) for s = numerator / denominator in [-0.2, 0.2]. Relative error
/// 2^-58; 2^-27 in float32.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> log_by_quotient(Pair<T> numerator, Pair<T> denominator) {
  const Pair<T> s = quotient(numerator, denominator);
  const T rest = s.high * wide_log_terms(s.high * s.high);
  return {T(2) * s.high, math::fma(T(2), s.low, rest)};
}

/// Returns log(m + low) for m in [sqrt(1/2), sqrt(2)].
SKERRY_HD SKERRY_INLINE Pair<float64> log_of_significand(float64 m, float64 low) {
  const Pair<float64> above = fast_two_sum(1.0, m);
  return log_by_quotient<float64>({m - 1.0, low}, {above.high, above.low + low});
}
/// Returns the same as f + f^2 q(f) + low (1 - 1.12 f + f^2) for f = m - 1. q is a polynomial;
/// error 7.7e-10, relative to the result. The factor of low approximates 1 / (1 + f), the
/// derivative of log(1 + f).
SKERRY_HD SKERRY_INLINE Pair<float32> log_of_significand(float32 m, float32 low) {
  const float32 f = m - 1.0f;
  const float32 q =
      polynomial(f, -0x1p-1f, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a476p-3f, -0x1.555c46p-3f,
                 0x1.233ba8p-3f, -0x1.fc2884p-4f, 0x1.e6bf38p-4f, -0x1.de02d4p-4f, 0x1.147636p-4f);
  return {f, math::fma(f * f, q, low * math::fma(f, f - 1.12f, 1.0f))};
}

/// Returns exponent log(2) + y.
template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> add_exponent(T exponent, Pair<T> y) {
  const Pair<T> sum = fast_two_sum(exponent * log_of_2<T>::high, y.high);
  return {sum.high, sum.low + math::fma(exponent, log_of_2<T>::low, y.low)};
}

/// Returns e per_exponent + unit log(m), the logarithm of 2^e m to another base. The product of e
/// and per_exponent.high is exact.
SKERRY_HD SKERRY_INLINE float64 log_to_base(BinaryParts<float64> u, Pair<float64> per_exponent,
                                            Pair<float64> unit) {
  const Pair<float64> y = log_of_significand(u.significand, -0.0);  // x + -0.0 is x: compiled away
  const Pair<float64> scaled = two_product(y.high, unit.high);
  const float64 low = math::fma(y.low, unit.high, math::fma(y.high, unit.low, scaled.low));
  const Pair<float64> sum = fast_two_sum(u.exponent * per_exponent.high, scaled.high);
  return sum.high + (sum.low + math::fma(u.exponent, per_exponent.low, low));
}
SKERRY_HD SKERRY_INLINE float64 log2_of_parts(BinaryParts<float64> u) {
  return log_to_base(u, {1.0, 0.0}, {log_of_2<float64>::reciprocal, 0x1.777d0ffda0d24p-56});
}
SKERRY_HD SKERRY_INLINE float64 log10_of_parts(BinaryParts<float64> u) {
  return log_to_base(u, {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46},
                     {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
}

/// Like log_to_base(), computed as e per_exponent + f (unit + terms(f)) for f = m - 1 in
/// [-0.293, 0.415). The terms are a near-minimax polynomial; the first is the rounding error of
/// `unit`. The product of e and per_exponent.high is exact.
template <class... Terms>
SKERRY_HD SKERRY_INLINE float32 log_of_parts(BinaryParts<float32> u, Pair<float32> per_exponent,
                                             float32 unit, Terms... terms) {
  const float32 f = u.significand - 1.0f;
  const float32 rest = f * polynomial(f, terms...);
  const float32 low = per_exponent.low == 0 ? rest : math::fma(u.exponent, per_exponent.low, rest);
  return math::fma(u.exponent, per_exponent.high, math::fma(f, unit, low));
}
/// Error of the terms: 4.6e-9, relative to the result.
SKERRY_HD SKERRY_INLINE float32 log2_of_parts(BinaryParts<float32> u) {
  return log_of_parts(u, {1.0f, 0.0f}, 0x1.715476p0f, 0x1.4ae0cp-26f, -0x1.71547p-1f,
                      0x1.ec7094p-2f, -0x1.715afep-2f, 0x1.277f46p-2f, -0x1.eaa252p-3f,
                      0x1.a2c962p-3f, -0x1.87f6fap-3f, 0x1.7f2b94p-3f, -0x1.c3aa82p-4f);
}
SKERRY_HD SKERRY_INLINE float32 log10_of_parts(BinaryParts<float32> u) {
  return log_of_parts(u, {0x1.344p-2f, 0x1.3509f8p-18f}, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f,
                      -0x1.bcb7aap-3f, 0x1.287a7p-3f, -0x1.bcbf52p-4f, 0x1.63d06ep-4f,
                      -0x1.276a4ep-4f, 0x1.f84a82p-5f, -0x1.d7912p-5f, 0x1.cd1484p-5f,
                      -0x1.109a2cp-5f);
}
SKERRY_LOGARITHM(log2)
SKERRY_LOGARITHM(log10)
#undef SKERRY_LOGARITHM

/// Returns log(u.high + u.low) with a relative error below 2^-35, also near 1.
SKERRY_HD SKERRY_INLINE float64 coarse_log_of_pair(Pair<float64> u) {
  const BinaryParts<float64> parts = split(u.high);
  const float64 s = (parts.significand - 1.0) / (parts.significand + 1.0);
  const float64 square = s * s;
  const float64 terms = polynomial(square, 0x1.5555554b9ea73p-1, 0x1.9999ebdd789fcp-2,
                                   0x1.245c0add825b2p-2, 0x1.dddadec72b27ap-3);
  const float64 log = math::fma(s * square, terms, s + s);
  return math::fma(parts.exponent, log_of_2<float64>::nearest, log) + u.low / u.high;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
