// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/ieee.hpp"

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// One column for each interval of an octave: 16 in float32, 32 in float64, so that a row fills one
/// or four AVX-512 vectors. Row 0 is r, which is near 1 / center of the interval. It has so few
/// bits that r * x - 1 is exact for each x of the interval; its magnitude is at most 0.0495 in
/// float32 and 0.0254 in float64. Rows 1 and 2 are -log(r), high and low part: log2 in float32, ln
/// in float64. The high part has 16 (float64: 41) fraction bits. In the interval around 1, r is 1
/// and its logarithm 0.
// clang-format off
template <real_floating T>
SKERRY_TABLE T power_table[3][16] = {
    {0x1.68p+0f, 0x1.58p+0f, 0x1.48p+0f, 0x1.4p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.2p+0f, 0x1.1p+0f, 0x1.08p+0f, 0x1p+0f, 0x1.fp-1f, 0x1.dp-1f, 0x1.bp-1f, 0x1.ap-1f, 0x1.88p-1f, 0x1.78p-1f},
    {-0x1.f7a8p-2f, -0x1.b48p-2f, -0x1.6e24p-2f, -0x1.49a8p-2f, -0x1.fbcp-3f, -0x1.acf8p-3f, -0x1.5cp-3f, -0x1.664p-4f, -0x1.6bap-5f, 0.0f, 0x1.774p-5f, 0x1.22d8p-3f, 0x1.f6p-3f, 0x1.32cp-2f, 0x1.8a88p-2f, 0x1.c818p-2f},
    {-0x1.5a32c2p-20f, 0x1.408c78p-18f, 0x1.e3263p-18f, 0x1.ed0cbap-20f, -0x1.6b9026p-19f, 0x1.0e9258p-18f, -0x1.a39fbep-19f, 0x1.20a6dep-21f, -0x1.a6eb1ep-18f, 0.0f, -0x1.acd89ap-19f, 0x1.6e155ap-18f, -0x1.3ab7cep-18f, -0x1.1c8f12p-22f, 0x1.80abfcp-18f, 0x1.dc2d46p-18f}};
template <real_floating T>
  requires same_v<T, float64>
SKERRY_TABLE T power_table<T>[3][32] = {
    {0x1.6cp+0, 0x1.64p+0, 0x1.6p+0, 0x1.58p+0, 0x1.5p+0, 0x1.48p+0, 0x1.44p+0, 0x1.3cp+0, 0x1.38p+0, 0x1.3p+0, 0x1.2cp+0, 0x1.24p+0, 0x1.2p+0, 0x1.1cp+0, 0x1.18p+0, 0x1.1p+0, 0x1.0cp+0, 0x1.08p+0, 0x1.04p+0, 0x1p+0, 0x1.f8p-1, 0x1.e4p-1, 0x1.d8p-1, 0x1.c8p-1, 0x1.bcp-1, 0x1.bp-1, 0x1.a8p-1, 0x1.9cp-1, 0x1.9p-1, 0x1.88p-1, 0x1.8p-1, 0x1.78p-1},
    {-0x1.686c81e9b2p-2, -0x1.51aad872ep-2, -0x1.4618bc21c6p-2, -0x1.2e8e2bae12p-2, -0x1.1675cababap-2, -0x1.fb9186d5e4p-3, -0x1.e27076e2bp-3, -0x1.af3c94e80cp-3, -0x1.9525a9cf44p-3, -0x1.5ff3070a78p-3, -0x1.44d2b6ccb8p-3, -0x1.0d77e7cd08p-3, -0x1.e27076e2bp-4, -0x1.a926d3a4bp-4, -0x1.6f0d28ae58p-4, -0x1.f0a30c011p-5, -0x1.77458f633p-5, -0x1.f829b0e78p-6, -0x1.fc0a8b0fcp-7, 0.0, 0x1.020565894p-6, 0x1.ccb73cddep-5, 0x1.4d3115d208p-4, 0x1.da72763848p-4, 0x1.23d712a49cp-3, 0x1.5bf406b544p-3, 0x1.823c16551cp-3, 0x1.bd087383bcp-3, 0x1.f991c6cb3cp-3, 0x1.1178e8227ep-2, 0x1.269621134ep-2, 0x1.3c25277334p-2},
    {0x1.6a2777a83dfd6p-43, 0x1.f4bd8db0a7cc1p-44, 0x1.3d82f484c84ccp-46, 0x1.67b1e99b72bd8p-45, -0x1.8380e731f55c4p-44, 0x1.d572aab993c87p-47, 0x1.a342c2af0003cp-44, 0x1.a4e633fcd9066p-52, -0x1.6b47641307539p-43, -0x1.3d3c873e20a07p-43, 0x1.70cc16135783cp-46, -0x1.cb2cd2ee2f482p-44, 0x1.a342c2af0003cp-45, 0x1.54e4d7a16eab2p-43, 0x1.4b4641b664613p-44, -0x1.8a9985f325c5cp-43, 0x1.181dce586af09p-44, -0x1.980267c7e09e4p-45, -0x1.f1e7cf6d3a69cp-50, 0.0, -0x1.4f716c1b8bdf5p-43, -0x1.34d1e48fb0501p-43, -0x1.53a2582f4e1efp-48, -0x1.caed7fc0b1d1ap-43, 0x1.00d238fd3df5cp-46, -0x1.27023eb68981cp-46, -0x1.c3e448cb39c3p-43, 0x1.8ad0ee9aafb53p-43, -0x1.90d04cd7cc834p-44, 0x1.1ef78ce2d07f2p-44, -0x1.1b61f10522625p-44, -0x1.cf895693f2854p-43}};
// clang-format on

/// Bit pattern of the lower end of the first interval. The column of x is
/// (bits of x - power_rows_begin) >> power_row_shift.
template <real_floating T>
inline constexpr bits_t<T> power_rows_begin =
    static_cast<bits_t<T>>(sizeof(T) == 4 ? 0x3f32aaab : 0x3fe62aaaaaa00000);
template <real_floating T>
inline constexpr int power_row_shift = sizeof(T) == 4 ? 19 : 47;

template <real_floating T>
struct PowerRow {
  T reciprocal;
  T high;
  T low;
};
template <real_floating T>
SKERRY_HD SKERRY_INLINE PowerRow<T> power_row_of(T significand) {
  const auto& table = power_table<T>;
  const auto i = (to_bits(significand) - power_rows_begin<T>) >> power_row_shift<T>;
  return {table[0][i], table[1][i], table[2][i]};
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
