// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/bfloat16.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/float16.hpp"

namespace skerry {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint16_t infinite_bits = 0x7f80;
constexpr std::uint16_t sign = 0x8000;

template <class T>
std::uint16_t narrowed(T x) {
  return std::bit_cast<std::uint16_t>(bfloat16(x));
}
/// Not inlined: compilers drop both conversions of a round trip.
[[gnu::noinline]] float widened(unsigned bits) {
  return std::bit_cast<bfloat16>(static_cast<std::uint16_t>(bits));
}

/// Returns the value by the definition: 7 bits of fraction, 8 of exponent with bias 127. The
/// successor of the largest finite value counts as 2^128.
double value_of(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 7 & 255u);
  const auto fraction = static_cast<double>(bits & 0x7fu);
  const double size =
      exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(fraction + 128, exponent - 134);
  return (bits & sign) != 0 ? -size : size;
}
bool is_nan(unsigned bits) { return (bits & 0x7fffu) > infinite_bits; }

TEST(bfloat16, widens_all_of_its_values) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float got = widened(bits);
    ASSERT_EQ(std::isnan(got), is_nan(bits)) << bits;
    ASSERT_EQ(std::signbit(got), (bits & sign) != 0) << bits;
    if ((bits & 0x7fffu) == infinite_bits) {
      ASSERT_TRUE(std::isinf(got));
    } else if (!is_nan(bits)) {
      ASSERT_EQ(got, value_of(bits)) << bits;
    }
  }
}

TEST(bfloat16, round_trips_all_its_values) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const unsigned want = is_nan(bits) ? bits | 0x40u : bits;  // quiet
    ASSERT_EQ(narrowed(widened(bits)), want);
    ASSERT_EQ(narrowed(static_cast<double>(widened(bits))), want);
  }
}

/// Checks rounding between two adjacent values: the midpoint goes to the even one, others to the
/// nearer one.
template <class T>
void check_between(unsigned bits) {
  const double low = value_of(bits);
  const auto middle = static_cast<T>(low + (value_of(bits + 1) - low) / 2);  // exact
  const unsigned even = (bits & 1u) == 0 ? bits : bits + 1;
  for (const unsigned sign_bits : {0u, unsigned{sign}}) {
    const T turn = sign_bits == 0 ? T(1) : T(-1);
    ASSERT_EQ(narrowed(turn * middle), sign_bits | even) << bits;
    ASSERT_EQ(narrowed(turn * std::nextafter(middle, T(0))), sign_bits | bits) << bits;
    ASSERT_EQ(narrowed(turn * std::nextafter(middle, T(inf))), sign_bits | (bits + 1)) << bits;
  }
}

TEST(bfloat16, rounds_to_the_nearest_and_ties_to_even) {
  for (unsigned bits = 0; bits < infinite_bits; ++bits) {
    check_between<float>(bits);
    check_between<double>(bits);
  }
}

TEST(bfloat16, has_limits) {
  EXPECT_EQ(narrowed(bfloat16::max_finite), 0x7f7f);
  EXPECT_EQ(narrowed(std::numeric_limits<float>::max()), infinite_bits);
  EXPECT_EQ(narrowed(-std::numeric_limits<double>::max()), sign | infinite_bits);
  EXPECT_EQ(narrowed(-inf), sign | infinite_bits);
  EXPECT_EQ(narrowed(double{inf}), infinite_bits);
  EXPECT_EQ(narrowed(0x1p-126f), 0x0080);
  EXPECT_EQ(narrowed(0x1p-133f), 0x0001);
  EXPECT_EQ(narrowed(0x1p-134f), 0x0000);
  EXPECT_EQ(narrowed(-0x1p-149f), sign);
  for (const double tiny : {0x1p-149, 0x1p-150, 0x1p-1074}) {
    EXPECT_EQ(narrowed(tiny), 0);
    EXPECT_EQ(narrowed(-tiny), sign);
  }
}

TEST(bfloat16, nan_keeps_its_sign_and_the_high_bits_of_its_payload) {
  const auto narrow_bits = [](std::uint32_t bits) { return narrowed(std::bit_cast<float>(bits)); };
  EXPECT_EQ(narrow_bits(0x7fc00000), 0x7fc0);
  EXPECT_EQ(narrow_bits(0xffc10000), 0xffc1);
  EXPECT_EQ(narrow_bits(0x7fffffff), 0x7fff) << "no carry into the sign";
  EXPECT_EQ(narrow_bits(0x7f800001), 0x7fc0) << "signalling, and no bit of the payload fits";
  EXPECT_EQ(narrowed(std::bit_cast<double>(std::uint64_t{0xfff8000000000001})), 0xffc0);
  EXPECT_EQ(narrowed(std::bit_cast<double>(std::uint64_t{0x7ff0000000000001})), 0x7fc0);
}

TEST(bfloat16, rounds_float64_once) {
  // Rounded to float32 first, each would be a tie.
  EXPECT_EQ(narrowed(1 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(narrowed(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(narrowed(1 + 3 * 0x1p-8 - 0x1p-40), 0x3f81);
  EXPECT_EQ(narrowed(1 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(narrowed(0x1p-134 + 0x1p-170), 0x0001) << "subnormal in float32, too";
  EXPECT_EQ(narrowed(3 * 0x1p-134 - 0x1p-170), 0x0001);
  EXPECT_EQ(narrowed(0x1.ffp127 - 0x1p80), 0x7f7f);
  EXPECT_EQ(narrowed(0x1.ffp127), infinite_bits);
}

/// Checks n against the nearest of the two values around it, by exact differences.
template <class I>
void check_integer(I n) {
  const unsigned bits = narrowed(n);
  const auto distance = [&](unsigned candidate) {
    const auto difference = static_cast<__int128>(value_of(candidate)) - static_cast<__int128>(n);
    return difference < 0 ? -difference : difference;
  };
  for (const unsigned adjacent : {bits - 1, bits + 1}) {
    if (bits == 0) break;
    ASSERT_LE(distance(bits), distance(adjacent)) << n;
    if (distance(bits) == distance(adjacent)) {
      ASSERT_EQ(bits & 1u, 0u) << n;
    }
  }
}

TEST(bfloat16, rounds_integers_once) {
  for (int n = -70000; n <= 70000; ++n) check_integer(n);
  for (int shift = 9; shift < 63; ++shift) {
    for (int offset = -3; offset <= 3; ++offset) {
      for (int fraction = 256; fraction < 512; fraction += 5) {  // odd and even: values and ties
        const auto middle =
            shift < 54 ? std::int64_t{fraction} << shift : std::int64_t{fraction} << 54;
        check_integer(middle + offset);
        check_integer(-middle + offset);
        check_integer(static_cast<std::uint64_t>(middle) * 2 + static_cast<std::uint64_t>(offset));
        check_integer(static_cast<std::int32_t>(middle + offset));
        check_integer(static_cast<std::uint32_t>(middle + offset));
      }
    }
  }
  // Rounded to float64 first, it would be a tie and round down.
  EXPECT_EQ(narrowed((std::int64_t{257} << 54) + 1), narrowed(258 * 0x1p54));
  EXPECT_EQ(narrowed(std::int64_t{257} << 54), narrowed(0x1p62));
  EXPECT_EQ(narrowed(std::numeric_limits<std::int64_t>::min()), narrowed(-0x1p63));
  EXPECT_EQ(narrowed(std::numeric_limits<std::uint64_t>::max()), narrowed(0x1p64));
  EXPECT_EQ(narrowed(true), 0x3f80);
  EXPECT_EQ(narrowed(false), 0);
}

TEST(bfloat16, converts_float16) {
  EXPECT_EQ(narrowed(float16(1.5F)), 0x3fc0);
  EXPECT_EQ(float32(float16(bfloat16(0x1p20F))), inf);
}

TEST(bfloat16, is_a_constant_expression) {
  static_assert(float32(bfloat16(1.5f)) == 1.5f);
  static_assert(float32(bfloat16(1 + 0x1p-8 + 0x1p-40)) == 1 + 0x1p-7f);
  static_assert(float32(bfloat16(257)) == 256);
  static_assert(float32(bfloat16{}) == 0);
}

}  // namespace
}  // namespace skerry
