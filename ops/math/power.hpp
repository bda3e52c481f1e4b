// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"
#include "ops/math/power_table.hpp"

// pow computes the power of the base's magnitude, then the sign: 2^(b log2(a)) in float32,
// e^(b log(a)) in float64, with logarithm and product as pairs.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// Returns log2(a) for finite a > 0, with a relative error of about 2^-33. The low part may be as
/// large as 2^-9 times the high one.
SKERRY_HD SKERRY_INLINE Pair<float32> log_as_pair(BinaryParts<float32> a, PowerRow<float32> row) {
  constexpr Pair<float32> per_log = {0x1.715476p0f, 0x1.4ae0cp-26f};  // 1 / log(2)
  const float32 r = math::fma(a.significand, row.reciprocal, -1.0f);
  const float32 half = -0.5f * r;
  const float32 high = math::fma(half, r, r);  // r - r^2 / 2
  const float32 low = math::fma(half, r, r - high);
  const Pair<float32> scaled = two_product(high, per_log.high);
  const float32 rest = math::fma(low, per_log.high, math::fma(high, per_log.low, scaled.low));
  // Error 1.6e-11, relative to r.
  const float32 cube = r * r * r *
                       polynomial(r, 0x1.ec709ep-2f, -0x1.715460p-2f, 0x1.2776b0p-2f,
                                  -0x1.ed9288p-3f, 0x1.a71918p-3f);
  const Pair<float32> sum = fast_two_sum(a.exponent + row.high, scaled.high);
  return {sum.high, (sum.low + row.low) + (rest + cube)};
}

/// Returns log(a) for finite a > 0, normalised, with a relative error of about 2^-63.
SKERRY_HD SKERRY_INLINE Pair<float64> log_as_pair(BinaryParts<float64> a, PowerRow<float64> row) {
  const float64 r = math::fma(a.significand, row.reciprocal, -1.0);
  const float64 of_row = math::fma(a.exponent, log_of_2<float64>::high, row.high);
  const float64 low_of_row = math::fma(a.exponent, log_of_2<float64>::low, row.low);
  const float64 half = -0.5 * r;
  const float64 high = math::fma(half, r, r);  // r - r^2 / 2
  const float64 low = math::fma(half, r, r - high);
  // Error 2.3e-21, relative to r.
  const float64 cube =
      r * r * r *
      polynomial(r, 0x1.5555555555555p-2, -0x1.fffffffffffeep-3, 0x1.999999999cf64p-3,
                 -0x1.55555555b1838p-3, 0x1.249248db7ac8fp-3, -0x1.fffff04b11639p-4,
                 0x1.c72105a0c3199p-4, -0x1.9a18752a10386p-4, 0x1.6857757b301fdp-4);
  const Pair<float64> sum = fast_two_sum(of_row, high);
  return fast_two_sum(sum.high, (sum.low + low_of_row) + (low + cube));
}

template <real_floating T>
SKERRY_HD SKERRY_INLINE Pair<T> log_as_pair(T a) {
  const BinaryParts<T> parts = split_any(a, power_rows_begin<T>);
  return log_as_pair(parts, power_row_of(parts.significand));
}

/// Returns 2^(x.high + x.low) in float32, e^(x.high + x.low) in float64.
SKERRY_HD SKERRY_INLINE Scaled<float32> scaled_power(Pair<float32> x) {
  const float32 rounded = (x.high + x.low) + magic<float32>;
  return {exp2_of_rest((x.high - (rounded - magic<float32>)) + x.low), rounded};
}
SKERRY_HD SKERRY_INLINE Scaled<float64> scaled_power(Pair<float64> x) {
  return scaled_exp(reduce_exponent(x));
}

/// Returns a^b; a must be nonnegative or NaN.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T pow_of_magnitude(T a, T b) {
  constexpr T max_product = sizeof(T) == 4 ? T(200) : T(750);
  const Pair<T> log = log_as_pair(a);
  const bool is_special = !((a > 0) & (a < infinity<T>()));
  const T log_high = is_special ? with_special_logs(a, T(0)) : log.high;
  const T log_low = is_special ? T(0) : log.low;
  const Pair<T> product = two_product(b, log_high);
  const bool is_in_range = math::fabs(product.high) < max_product;
  const T low = is_in_range ? math::fma(b, log_low, product.low) : T(0);
  const T y =
      unscale_any(scaled_power(Pair<T>{clamp(product.high, -max_product, max_product), low}));
  return ((b == 0) | (a == 1)) ? T(1) : y;
}

/// Returns a^b; a must be a positive normal number, and the result normal.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T normal_range_pow(T a, T b, PowerRow<T> row) {
  const Pair<T> log = log_as_pair(split(a, power_rows_begin<T>), row);
  const Pair<T> product = two_product(b, log.high);
  return unscale(scaled_power(Pair<T>{product.high, math::fma(b, log.low, product.low)}));
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T normal_range_pow(T a, T b) {
  return normal_range_pow(a, b, power_row_of(split(a, power_rows_begin<T>).significand));
}

/// Returns |a|^b with the sign of a^b.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T pow(T a, T b) {
  const T power = pow_of_magnitude(math::fabs(a), b);
  const T half = b * T(0.5);
  const bool fractional = math::trunc(b) != b;
  const bool odd = (math::trunc(half) != half) & !fractional;
  const T sign = odd ? math::copysign(T(1), a) : T(1);
  // NaN operands give a fixed NaN: compilers choose the order of factors, and with it which NaN is
  // propagated.
  const bool undefined = (fractional & (a < T(0)) & (a > -infinity<T>())) | isnan(power);
  return undefined ? nan<T>() : sign * power;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
