// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm_pair.hpp"

// log(e^a + e^b) = a + log(1 + e^(b - a)) for a >= b. If a < 0, the two terms may cancel, and the
// result may be arbitrarily small. It is then computed as log(1 + t), t = (e^a - 1) + e^b.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns 2^n e^(r + low) with a relative error of 2^-57; n = rounded - magic is at least -1082.
SKERRY_HD SKERRY_INLINE Pair<float64> exp_as_pair(ReducedExponent<float64> x) {
  const float64 r = x.r;
  const float64 low = x.low;
  const Pair<float64> leading = fast_two_sum(1.0, r);
  const float64 rest = leading.low + math::fma(r * r, exp_terms(r), math::fma(r, low, low));
  const Pair<float64> y = fast_two_sum(leading.high, rest);
  return {unscale_any<float64>({y.high, x.rounded}), unscale_any<float64>({y.low, x.rounded})};
}

/// Returns log(1 + y) for 0 <= y <= 1.
SKERRY_HD SKERRY_INLINE Pair<float64> log1p_of_pair(Pair<float64> y) {
  const Pair<float64> u = fast_two_sum(1.0, y.high);
  const BinaryParts<float64> parts = split(u.high);
  const float64 low = (u.low + y.low) * (parts.exponent == 0 ? 1.0 : 0.5);
  const Pair<float64> any_log =
      add_exponent(parts.exponent, log_of_significand(parts.significand, low));
  const bool is_linear = y.high < 0x1p-60;
  return {is_linear ? y.high : any_log.high, is_linear ? y.low : any_log.low};
}

/// Returns greater + log; greater if that is infinite, NaN if either argument is.
SKERRY_HD SKERRY_INLINE float64 add_log(float64 greater, Pair<float64> log, float64 x1,
                                        float64 x2) {
  const Pair<float64> sum = two_sum(greater, log.high);
  const float64 finite = sum.high + (sum.low + log.low);
  const float64 result = math::fabs(greater) < infinity<float64>() ? finite : greater;
  return ((x1 != x1) | (x2 != x2)) ? x1 + x2 : result;
}

/// Computes logaddexp, accurate to the last place unless the terms cancel.
SKERRY_HD SKERRY_INLINE float64 fast_logaddexp(float64 x1, float64 x2) {
  const float64 greater = x1 > x2 ? x1 : x2;
  const float64 lesser = x1 > x2 ? x2 : x1;
  const Pair<float64> distance = two_sum(lesser, -greater);
  const bool is_out_of_range = !(distance.high > -750.0);  // or infinite
  const Pair<float64> y = exp_as_pair(reduce_exponent(Pair<float64>{
      is_out_of_range ? -750.0 : distance.high, is_out_of_range ? 0.0 : distance.low}));
  return add_log(greater, log1p_of_pair(y), x1, x2);
}

/// True if the terms may cancel. is_cancelled() is true if they do: the fast result is so small
/// that its error matters.
SKERRY_HD SKERRY_INLINE bool may_cancel(float64 x1, float64 x2) {
  const float64 greater = x1 > x2 ? x1 : x2;
  return (greater < 0) & (greater > -0.75);
}
SKERRY_HD SKERRY_INLINE bool is_cancelled(float64 x1, float64 x2, float64 result) {
  const float64 greater = x1 > x2 ? x1 : x2;
  return may_cancel(x1, x2) & (math::fabs(result) < -0.125 * greater);
}

/// Returns e^x - 1 for |x| < 0.4, from x / 16 and four doublings, with a relative error of 2^-98.
SKERRY_HD inline Pair<float64> expm1_as_pair(Pair<float64> x) {
  const Pair<float64> t = {x.high * 0.0625, x.low * 0.0625};
  const float64 tail = polynomial(t.high, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
                                  1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800);
  // 1 / 6!, ... 1 / 2!
  constexpr Pair<float64> terms[] = {{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                     {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                     {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                     {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                     {0.5, 0.0}};
  Pair<float64> sum = {tail, 0.0};
  for (const Pair<float64> term : terms) sum = add(term, multiply(sum, t));
  Pair<float64> y = add(t, multiply(multiply(t, t), sum));
  for (int i = 0; i < 4; ++i) y = add<float64>({y.high + y.high, y.low + y.low}, multiply(y, y));
  return y;
}

/// Returns t + 2^(n + lift) e^r for n = rounded - magic.
SKERRY_HD inline Pair<float64> add_scaled_exp(Pair<float64> t, Pair<float64> r, float64 rounded,
                                              float64 lift) {
  const Pair<float64> y = expm1_as_pair(r);
  const float64 n = rounded - magic<float64>;
  const float64 scale = n + lift < -1000.0 ? 0.0 : power_of_2(rounded + lift);
  return add(add<float64>({scale, 0.0}, t), Pair<float64>{y.high * scale, y.low * scale});
}

/// Returns t + 2^lift e^x for x in (-750, 0).
SKERRY_HD inline Pair<float64> add_exp(Pair<float64> t, float64 x, float64 lift) {
  using log_2 = log_of_2<float64>;
  const float64 rounded = math::fma(x, log_2::reciprocal, magic<float64>);
  const float64 n = rounded - magic<float64>;
  const Pair<float64> low = two_product(n, -log_2::low);
  const float64 lowest = math::fma(n, -0x1.f97b57a079a19p-103, low.low);
  const Pair<float64> r = add<float64>({math::fma(n, -log_2::high, x), 0.0}, {low.high, lowest});
  return add_scaled_exp(t, r, rounded, lift);
}

/// Computes logaddexp for terms that cancel. Its error of 2^-100 suffices for results above 2^-46.
SKERRY_HD inline float64 accurate_logaddexp(float64 x1, float64 x2) {
  const float64 greater = x1 > x2 ? x1 : x2;
  const float64 lesser = x1 > x2 ? x2 : x1;
  if (greater > -0x1p-100) {  // greater + e^lesser; scaled up, as low parts may be subnormal
    const Pair<float64> sum = add_exp({greater * 0x1p300, 0.0}, lesser, 300.0);
    return (sum.high + sum.low) * 0x1p-300;
  }
  const Pair<float64> of_greater = add_exp({-1.0, 0.0}, greater, 0.0);
  const Pair<float64> t = add_exp(of_greater, lesser, 0.0);
  const Pair<float64> log = log_by_quotient(t, add<float64>({2.0, 0.0}, t));
  return log.high + log.low;
}

SKERRY_HD SKERRY_INLINE float64 logaddexp(float64 x1, float64 x2) {
  const float64 fast_result = fast_logaddexp(x1, x2);
  return is_cancelled(x1, x2, fast_result) ? accurate_logaddexp(x1, x2) : fast_result;
}

// float32 uses the same method, in float64, and rounds once.

SKERRY_HD SKERRY_INLINE float32 fast_logaddexp(float32 x1, float32 x2) {
  const float64 a = x1;
  const float64 b = x2;
  const float64 greater = a > b ? a : b;
  const float64 lesser = a > b ? b : a;
  const float64 distance = lesser - greater;
  const CoarseExpParts y = coarse_exp(distance > -200.0 ? distance : -200.0);
  const Pair<float64> u = fast_two_sum(1.0, math::fma(y.scale, y.rest, y.scale));
  const float64 finite = greater + coarse_log_of_pair(u);
  const float64 result = math::fabs(greater) < infinity<float64>() ? finite : greater;
  return static_cast<float32>(((greater != greater) | (lesser != lesser)) ? greater + lesser
                                                                          : result);
}
SKERRY_HD SKERRY_INLINE bool is_cancelled(float32 x1, float32 x2, float32 result) {
  const float32 greater = x1 > x2 ? x1 : x2;
  return (greater < 0) & (greater > -0.75f) & (math::fabs(result) < -0.0625f * greater);
}
SKERRY_HD SKERRY_INLINE float32 accurate_logaddexp(float32 x1, float32 x2) {
  return static_cast<float32>(
      accurate_logaddexp(static_cast<float64>(x1), static_cast<float64>(x2)));
}
SKERRY_HD SKERRY_INLINE float32 logaddexp(float32 x1, float32 x2) {
  const float32 fast_result = fast_logaddexp(x1, x2);
  return is_cancelled(x1, x2, fast_result) ? accurate_logaddexp(x1, x2) : fast_result;
}

// logaddexp2 uses the same method with 2^x = 2^n e^(r log(2)), n + r = x, and computes float32 in
// float64.

SKERRY_HD SKERRY_INLINE Pair<float64> reciprocal_log_of_2() {
  return {log_of_2<float64>::reciprocal, 0x1.777d0ffda0d24p-56};
}

/// Returns (x.high - n + x.low) log(2) for n = rounded - magic.
SKERRY_HD SKERRY_INLINE Pair<float64> rest_of_exponent_of_2(Pair<float64> x, float64 rounded) {
  const Pair<float64> rest = fast_two_sum(x.high - (rounded - magic<float64>), x.low);
  return multiply(rest, Pair<float64>{log_of_2<float64>::nearest, log_of_2<float64>::residual});
}

/// Computes logaddexp2, accurate to the last place unless the terms cancel.
SKERRY_HD SKERRY_INLINE float64 fast_logaddexp2(float64 x1, float64 x2) {
  const float64 greater = x1 > x2 ? x1 : x2;
  const float64 lesser = x1 > x2 ? x2 : x1;
  const Pair<float64> distance = two_sum(lesser, -greater);
  const bool is_out_of_range = !(distance.high > -1080.0);  // or infinite
  const Pair<float64> d = {is_out_of_range ? -1080.0 : distance.high,
                           is_out_of_range ? 0.0 : distance.low};
  const float64 rounded = d.high + magic<float64>;
  const Pair<float64> r = rest_of_exponent_of_2(d, rounded);
  const Pair<float64> y = exp_as_pair(ReducedExponent<float64>{rounded, r.high, r.low});
  return add_log(greater, multiply(log1p_of_pair(y), reciprocal_log_of_2()), x1, x2);
}

/// True if the terms cancel: the fast result is so small that its error matters.
SKERRY_HD SKERRY_INLINE bool is_cancelled_in_base_2(float64 x1, float64 x2, float64 result) {
  const float64 greater = x1 > x2 ? x1 : x2;
  return (greater < 0) & (greater > -1.0625) & (math::fabs(result) < -0.125 * greater);
}

/// Returns t + 2^(x + lift) for x in (-1082, 0).
SKERRY_HD inline Pair<float64> add_exp2(Pair<float64> t, float64 x, float64 lift) {
  const float64 rounded = x + magic<float64>;
  return add_scaled_exp(t, rest_of_exponent_of_2({x, 0.0}, rounded), rounded, lift);
}

/// Computes logaddexp2 for terms that cancel, like accurate_logaddexp().
SKERRY_HD inline float64 accurate_logaddexp2(float64 x1, float64 x2) {
  const float64 greater = x1 > x2 ? x1 : x2;
  const float64 lesser = x1 > x2 ? x2 : x1;
  if (greater > -0x1p-100) {  // greater + 2^lesser / log(2)
    const Pair<float64> scaled = multiply<float64>(
        {greater * 0x1p300, 0.0}, {log_of_2<float64>::nearest, log_of_2<float64>::residual});
    return multiply(add_exp2(scaled, lesser, 300.0), reciprocal_log_of_2()).high * 0x1p-300;
  }
  const Pair<float64> of_greater = add_exp2({-1.0, 0.0}, greater, 0.0);
  const Pair<float64> t = add_exp2(of_greater, lesser, 0.0);
  const Pair<float64> log = log_by_quotient(t, add<float64>({2.0, 0.0}, t));
  return multiply(log, reciprocal_log_of_2()).high;
}

SKERRY_HD SKERRY_INLINE float64 logaddexp2(float64 x1, float64 x2) {
  const float64 fast_result = fast_logaddexp2(x1, x2);
  return is_cancelled_in_base_2(x1, x2, fast_result) ? accurate_logaddexp2(x1, x2) : fast_result;
}
SKERRY_HD SKERRY_INLINE float32 logaddexp2(float32 x1, float32 x2) {
  return static_cast<float32>(logaddexp2(static_cast<float64>(x1), static_cast<float64>(x2)));
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
