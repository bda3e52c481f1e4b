// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/float16.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skerry {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint16_t half_inf = 0x7c00;
constexpr std::uint16_t sign = 0x8000;

std::uint16_t bits_of(float16 x) { return std::bit_cast<std::uint16_t>(x); }
template <class T>
std::uint16_t narrowed(T x) {
  return bits_of(float16(x));
}
/// Not inlined: compilers drop both conversions of a round trip, and then a signaling NaN stays
/// one.
[[gnu::noinline]] float widened(unsigned bits) {
  return std::bit_cast<float16>(static_cast<std::uint16_t>(bits));
}

/// Returns the value by the definition of binary16: 10 bits of fraction, 5 of exponent with bias
/// 15.
double value_of(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31u);
  const auto fraction = static_cast<double>(bits & 0x3ffu);
  double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  return (bits & sign) != 0 ? -size : size;
}

TEST(float16, widens_all_of_its_values) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double want = value_of(bits);
    const float got = widened(bits);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got) & 0x7fffffu, 0x400000u | (bits & 0x3ffu) << 13);
    } else {
      ASSERT_EQ(got, want) << bits;
    }
    ASSERT_EQ(std::signbit(got), (bits & sign) != 0) << bits;
  }
}

TEST(float16, round_trips_all_its_values) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const bool is_nan = std::isnan(value_of(bits));
    const unsigned want = is_nan ? bits | 0x200u : bits;  // quiet
    ASSERT_EQ(narrowed(widened(bits)), want);
    ASSERT_EQ(narrowed(static_cast<double>(widened(bits))), want);
  }
}

/// Checks rounding between two adjacent values: the midpoint goes to the even one, others to the
/// nearer one. The successor of the largest finite value is infinity, which counts as 2^16.
template <class T>
void check_between(unsigned bits) {
  const auto low = static_cast<T>(value_of(bits));
  const T high = bits + 1 == half_inf ? T(65536) : static_cast<T>(value_of(bits + 1));
  const T middle = (low + high) / 2;  // exact
  const unsigned even = (bits & 1u) == 0 ? bits : bits + 1;
  for (const unsigned sign_bits : {0u, unsigned{sign}}) {
    const T turn = sign_bits == 0 ? T(1) : T(-1);
    ASSERT_EQ(narrowed(turn * middle), sign_bits | even) << bits;
    ASSERT_EQ(narrowed(turn * std::nextafter(middle, T(0))), sign_bits | bits) << bits;
    ASSERT_EQ(narrowed(turn * std::nextafter(middle, T(inf))), sign_bits | (bits + 1)) << bits;
  }
}

TEST(float16, rounds_to_the_nearest_and_ties_to_even) {
  for (unsigned bits = 0; bits < half_inf; ++bits) {
    check_between<float>(bits);
    check_between<double>(bits);
  }
}

TEST(float16, has_limits) {
  EXPECT_EQ(narrowed(65504.0f), 0x7bff);
  EXPECT_EQ(narrowed(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(narrowed(65520.0f), half_inf);
  EXPECT_EQ(narrowed(std::numeric_limits<float>::max()), half_inf);
  EXPECT_EQ(narrowed(-std::numeric_limits<double>::max()), sign | half_inf);
  EXPECT_EQ(narrowed(inf), half_inf);
  EXPECT_EQ(narrowed(-INFINITY), sign | half_inf);
  EXPECT_EQ(narrowed(0x1p-14f), 0x0400);
  EXPECT_EQ(narrowed(0x1p-24f), 0x0001);
  EXPECT_EQ(narrowed(0x1p-25f), 0x0000);
  EXPECT_EQ(narrowed(-0x1p-25f), sign);
  EXPECT_EQ(narrowed(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  for (const double tiny : {0x1p-126, 0x1p-149, 0x1p-1074}) {
    EXPECT_EQ(narrowed(tiny), 0);
    EXPECT_EQ(narrowed(-tiny), sign);
    EXPECT_EQ(narrowed(static_cast<float>(tiny)), 0);
  }
}

TEST(float16, nan_keeps_its_sign_and_the_high_bits_of_its_payload) {
  const auto narrow_bits = [](std::uint32_t bits) { return narrowed(std::bit_cast<float>(bits)); };
  EXPECT_EQ(narrow_bits(0x7fc00000), 0x7e00);
  EXPECT_EQ(narrow_bits(0xffc00000), 0xfe00);
  EXPECT_EQ(narrow_bits(0x7fc02000), 0x7e01);
  EXPECT_EQ(narrow_bits(0x7f800001), 0x7e00) << "signalling, and no bit of the payload fits";
  EXPECT_EQ(narrowed(std::bit_cast<double>(std::uint64_t{0xfff8000000000001})), 0xfe00);
  EXPECT_EQ(narrowed(std::bit_cast<double>(std::uint64_t{0x7ff0000000000001})) & 0x7e00, 0x7e00);
}

TEST(float16, rounds_float64_once) {
  // Rounded to float32 first, it would be a tie and round down.
  EXPECT_EQ(narrowed(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(narrowed(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(narrowed(1 + 3 * 0x1p-11 - 0x1p-40), 0x3c01);
  EXPECT_EQ(narrowed(1 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(narrowed(65520 - 0x1p-30), 0x7bff);
  EXPECT_EQ(narrowed(0x1p-25 + 0x1p-70), 0x0001);
}

TEST(float16, rounds_integers) {
  for (int n = -70000; n <= 70000; ++n) {
    ASSERT_EQ(narrowed(n), narrowed(static_cast<float>(n))) << n;
  }
  EXPECT_EQ(narrowed(2049), narrowed(2048.0f));
  EXPECT_EQ(narrowed(2051), narrowed(2052.0f));
  EXPECT_EQ(narrowed(65519), 0x7bff);
  EXPECT_EQ(narrowed(65520), half_inf);
  EXPECT_EQ(narrowed(std::numeric_limits<std::int64_t>::max()), half_inf);
  EXPECT_EQ(narrowed(std::numeric_limits<std::int64_t>::min()), sign | half_inf);
  EXPECT_EQ(narrowed(std::numeric_limits<std::uint64_t>::max()), half_inf);
  EXPECT_EQ(narrowed(true), 0x3c00);
  EXPECT_EQ(narrowed(false), 0);
}

TEST(float16, is_a_constant_expression) {
  static_assert(float32(float16(1.5f)) == 1.5f);
  static_assert(float32(float16(1 + 0x1p-11 + 0x1p-40)) == 1 + 0x1p-10f);
  static_assert(float32(float16(0x1p-24f)) == 0x1p-24f);
  static_assert(float32(float16(65520)) == inf);
  static_assert(float32(float16{}) == 0);
}

}  // namespace
}  // namespace skerry
