// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/math/integer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "ops/elementwise/all.hpp"

namespace skerry {
namespace {

/// Holds every sum, difference and quotient of two 64-bit integers.
__extension__ using wide = __int128;

template <class T>
class IntegerFunctions : public ::testing::Test {
 public:
  using limits = std::numeric_limits<T>;
  static constexpr int width = 8 * sizeof(T);

  /// Returns both ends of the range, small values of both signs, and random values.
  static std::vector<T> values() {
    std::vector<T> result = {limits::min(), limits::max(), static_cast<T>(limits::min() + 1),
                             static_cast<T>(limits::max() - 1)};
    for (int i = -9; i < 10; ++i) result.push_back(static_cast<T>(i));
    std::mt19937_64 random(3);
    for (int i = 0; i < 60; ++i) {
      result.push_back(static_cast<T>(random() >> (random() % 64)));
      result.push_back(static_cast<T>(-static_cast<wide>(random() >> (random() % 64))));
    }
    return result;
  }
};
using integers = ::testing::Types<int8, int16, int32, int64, uint8, uint16, uint32, uint64>;
TYPED_TEST_SUITE(IntegerFunctions, integers);

TYPED_TEST(IntegerFunctions, arithmetic_wraps_around) {
  using T = TypeParam;
  for (const T a : TestFixture::values()) {
    EXPECT_EQ(ops::negative{}(a), static_cast<T>(-static_cast<wide>(a)));
    EXPECT_EQ(ops::abs{}(a), static_cast<T>(a < 0 ? -static_cast<wide>(a) : a));
    EXPECT_EQ(ops::square{}(a), ops::multiply{}(a, a));
    EXPECT_EQ(ops::sign{}(a), static_cast<T>((a > 0) - (a < 0)));
    for (const T b : TestFixture::values()) {
      ASSERT_EQ(ops::add{}(a, b), static_cast<T>(static_cast<wide>(a) + b));
      ASSERT_EQ(ops::subtract{}(a, b), static_cast<T>(static_cast<wide>(a) - b));
      __extension__ using wide_bits = unsigned __int128;
      ASSERT_EQ(ops::multiply{}(a, b),
                static_cast<T>(static_cast<wide_bits>(a) * static_cast<wide_bits>(b)));
    }
  }
}

TYPED_TEST(IntegerFunctions, division_rounds_down_and_never_traps) {
  using T = TypeParam;
  for (const T a : TestFixture::values()) {
    for (const T b : TestFixture::values()) {
      if (b == 0) {
        ASSERT_EQ(ops::floor_divide{}(a, b), T(0));
        ASSERT_EQ(ops::remainder{}(a, b), T(0));
        continue;
      }
      wide quotient = static_cast<wide>(a) / b;
      wide rest = static_cast<wide>(a) % b;
      if (rest != 0 && (rest < 0) != (b < 0)) {
        --quotient;
        rest += b;
      }
      ASSERT_EQ(ops::floor_divide{}(a, b), static_cast<T>(quotient)) << +a << " // " << +b;
      ASSERT_EQ(ops::remainder{}(a, b), static_cast<T>(rest)) << +a << " % " << +b;
    }
  }
}

TYPED_TEST(IntegerFunctions, pow_is_exact_modulo_the_width) {
  using T = TypeParam;
  for (const T base : TestFixture::values()) {
    T expected = 1;
    for (int exponent = 0; exponent < 70; ++exponent) {
      ASSERT_EQ(ops::pow{}(base, static_cast<T>(exponent)), expected)
          << +base << " ** " << exponent;
      expected = ops::multiply{}(expected, base);
    }
  }
}

TYPED_TEST(IntegerFunctions, pow_truncates_for_negative_exponents) {
  using T = TypeParam;
  if constexpr (ops::signed_integral<T>) {
    EXPECT_EQ(ops::pow{}(T(1), T(-3)), T(1));
    EXPECT_EQ(ops::pow{}(T(-1), T(-3)), T(-1));
    EXPECT_EQ(ops::pow{}(T(-1), T(-4)), T(1));
    EXPECT_EQ(ops::pow{}(T(2), T(-1)), T(0));
    EXPECT_EQ(ops::pow{}(T(0), T(-1)), T(0));
  }
}

TYPED_TEST(IntegerFunctions, shifts_by_the_width_or_more_give_zero_or_the_sign_bit) {
  using T = TypeParam;
  for (const T a : TestFixture::values()) {
    for (int count = 0; count < 128; ++count) {
      const auto shift = static_cast<T>(count);
      const bool gone = count >= TestFixture::width;
      const T left = gone ? T(0) : static_cast<T>(static_cast<unsigned __int128>(a) << count);
      const T right = gone ? (a < 0 ? T(-1) : T(0)) : static_cast<T>(static_cast<wide>(a) >> count);
      ASSERT_EQ(ops::bitwise_left_shift{}(a, shift), left) << +a << " << " << count;
      ASSERT_EQ(ops::bitwise_right_shift{}(a, shift), right) << +a << " >> " << count;
    }
    if constexpr (ops::signed_integral<T>) {
      EXPECT_EQ(ops::bitwise_left_shift{}(a, T(-1)), T(0));
      EXPECT_EQ(ops::bitwise_right_shift{}(a, T(-1)), a < 0 ? T(-1) : T(0));
    }
  }
}

TYPED_TEST(IntegerFunctions, rounding_does_not_go_through_floats) {
  using T = TypeParam;
  for (const T a : TestFixture::values()) {
    EXPECT_EQ(ops::round{}(a), a);
    EXPECT_EQ(ops::floor{}(a), a);
    EXPECT_EQ(ops::ceil{}(a), a);
    EXPECT_EQ(ops::trunc{}(a), a);
  }
}

}  // namespace
}  // namespace skerry
