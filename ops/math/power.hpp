// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"
#include "ops/math/power_table.hpp"

// pow: of the magnitude of the base, and then the sign.

namespace skerry::inline SKERRY_TARGET::ops::math::own {

/// log(x) for finite x > 0 to about 2^-68 of it, normalised.
SKERRY_HD SKERRY_INLINE pair<float64> log_as_pair(float64 x) {
  const bool is_subnormal = x < 0x1p-1022;
  const uint64 bits = to_bits(is_subnormal ? x * 0x1p52 : x);
  const uint64 above = bits - power_table_begin;
  const uint64 row = (above >> 45) & 127;
  const uint64 biased = ((above >> 52) + 2048) & 4095;
  const float64 exponent =
      from_bits<float64>(biased | to_bits(magic<float64>)) - (magic<float64> + 2048.0);
  const float64 n = is_subnormal ? exponent - 52.0 : exponent;
  const float64 significand = from_bits<float64>(bits - (above & 0xfff0000000000000));
  const float64 r = math::fma(significand, power_table[0][row], -1.0);
  const float64 of_row = math::fma(n, log_of_2<float64>::high, power_table[1][row]);
  const float64 low_of_row = math::fma(n, log_of_2<float64>::low, power_table[2][row]);
  const pair<float64> sum = two_sum(of_row, r);
  const float64 half = -0.5 * r;
  const pair<float64> square = two_product(r, half);
  const float64 high = sum.high + square.high;
  const float64 lost = sum.high - high + square.high;
  // Error 1.2e-18, |r| <= 0.0069.
  const float64 cube = r * r * r *
                       polynomial(r, 0x1.5555555555555p-2, -0x1.0000000000015p-2,
                                  0x1.99999999999c0p-3, -0x1.5555554e84a0ap-3, 0x1.2492491e60302p-3,
                                  -0x1.00045e52f2c54p-3, 0x1.c724631881568p-4);
  return fast_two_sum(high, low_of_row + sum.low + square.low + lost + cube);
}

/// a^b for a >= 0 or NaN: e^(b log(a)), the logarithm and the product as pairs.
SKERRY_HD SKERRY_INLINE float64 pow_of_magnitude(float64 a, float64 b) {
  const pair<float64> log = log_as_pair(a);
  const bool is_special = !((a > 0) & (a < infinity<float64>()));
  const float64 log_high = is_special ? with_special_logs(a, 0.0) : log.high;
  const float64 log_low = is_special ? 0.0 : log.low;
  const pair<float64> product = two_product(b, log_high);
  const bool is_in_range = math::fabs(product.high) < 750.0;
  const float64 low = is_in_range ? math::fma(b, log_low, product.low) : 0.0;
  const float64 y = exp_of_pair<float64>({product.high, low});
  return ((b == 0) | (a == 1)) ? 1.0 : y;
}

/// In float64, rounded once: 2^(b log2(a)).
SKERRY_HD SKERRY_INLINE float32 pow_of_magnitude(float32 a, float32 b) {
  const float64 x = a;
  // 4.8e-14 of log(x)
  const float64 regular = coarse_log(
      x, 1.0, log_of_2<float64>::reciprocal, 0x1.55555555553b3p-1, 0x1.9999999b8b7eap-2,
      0x1.24924624bd706p-2, 0x1.c71fd22403f20p-3, 0x1.7381f4df19969p-3, 0x1.5477d1a4ad781p-3);
  const float64 log2 = with_special_logs(x, regular);
  const float64 exponent = clamp(static_cast<float64>(b) * log2, -200.0, 200.0);
  const float64 rounded = exponent + magic<float64>;
  const float64 rest = exponent - (rounded - magic<float64>);
  const coarse_exp_parts y = coarse_exp_of_rest(rest * log_of_2<float64>::nearest, rounded);
  const float64 power = math::fma(y.scale, y.rest, y.scale);
  return ((b == 0) | (a == 1)) ? 1.0f : static_cast<float32>(power);
}

/// |a|^b, and then the sign.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T pow(T a, T b) {
  const T power = pow_of_magnitude(math::fabs(a), b);
  const T half = b * T(0.5);
  const bool fractional = math::trunc(b) != b;
  const bool odd = (math::trunc(half) != half) & !fractional;
  const T sign = odd ? math::copysign(T(1), a) : T(1);
  const bool undefined = fractional & (a < T(0)) & (a > -infinity<T>());
  return undefined ? nan<T>() : sign * power;
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::own
