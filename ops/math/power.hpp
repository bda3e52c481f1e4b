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

// float32: 2^(b log2(a)), the logarithm and the product in float64, the power of 2 in float32.

/// The first bits of a significand in coarse_log2.
inline constexpr uint32 fourth_root_of_half = 0x3f5744fd;

/// To 5.4e-11 of it: the exponent, or 1/2 more, and the logarithm of a number of [2^-1/4, 2^1/4].
SKERRY_HD SKERRY_INLINE float64 coarse_log2(binary_parts<float32> u) {
  const bool is_upper = u.significand > 0x1.306fep0f;
  const float32 exponent = is_upper ? u.exponent + 0.5f : u.exponent;
  const float64 root = is_upper ? 0x1.6a09e667f3bcdp-1 : 1.0;
  const float64 f = math::fma(static_cast<float64>(u.significand), root, -1.0);
  const float64 terms =
      polynomial(f, 0x1.7154765280826p+0, -0x1.71547638215e2p-1, 0x1.ec70a22da22e9p-2,
                 -0x1.7154d637ba527p-2, 0x1.277372347cb66p-2, -0x1.ec106bd824b02p-3,
                 0x1.a793861a338d5p-3, -0x1.83968d6e6256ep-3, 0x1.34f1c8184e99bp-3);
  return math::fma(f, terms, static_cast<float64>(exponent));
}

/// 2^x for |x| < 2^31, not NaN.
SKERRY_HD SKERRY_INLINE float32 exp2_of_product(float64 x) {
  const float64 rounded = x + magic<float64>;
  const float32 r = static_cast<float32>(x - (rounded - magic<float64>));
  // 2^r = 1 + r log(2) + r^2 q(r), error of q 3e-9
  const float32 leading = math::fma(r, log_of_2<float32>::nearest, 1.0f);
  const float32 lost = math::fma(r, log_of_2<float32>::nearest, 1.0f - leading);
  const float32 q = polynomial(r, 0x1.ebfbdcp-3f, 0x1.c6af7cp-5f, 0x1.3b2dep-7f, 0x1.5f082ep-10f,
                               0x1.416b5ep-13f);
  const float32 significand = leading + math::fma(r * r, q, lost);
  const int32 any = static_cast<int32>(static_cast<uint32>(to_bits(rounded)));
  const int32 bounded = any > 200 ? 200 : any;
  const int32 n = bounded < -200 ? -200 : bounded;
  const int32 half = n >> 1;
  const uint32 bits = to_bits(significand) + (static_cast<uint32>(half) << 23);
  return from_bits<float32>(bits) *
         from_bits<float32>((static_cast<uint32>(n - half) << 23) + to_bits(1.0f));
}

SKERRY_HD SKERRY_INLINE float32 pow_of_magnitude(float32 a, float32 b) {
  const binary_parts<float32> u = split_any(a, fourth_root_of_half);
  const float32 any_exponent = a == 0 ? -infinity<float32>() : u.exponent;
  const float32 exponent = a < infinity<float32>() ? any_exponent : a;  // infinity and NaN
  const float64 product = static_cast<float64>(b) * coarse_log2({exponent, u.significand});
  const float32 power = exp2_of_product(clamp(product, -200.0, 200.0));
  const float32 number = ((a != a) | (b != b)) ? a + b : power;
  return ((b == 0) | (a == 1)) ? 1.0f : number;
}

/// For positive normal numbers a and |b| <= most_ordinary_power.
inline constexpr float32 most_ordinary_power = 0x1p23f;
SKERRY_HD SKERRY_INLINE float32 ordinary_pow(float32 a, float32 b) {
  return exp2_of_product(static_cast<float64>(b) * coarse_log2(split(a, fourth_root_of_half)));
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
