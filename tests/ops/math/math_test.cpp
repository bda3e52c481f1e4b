// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/math/real.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "ops/elementwise/all.hpp"
#include "tests/ops/math/same_value.hpp"

// The special cases of array API 2025.12 for real dtypes, copied from its text.

namespace skerry {
namespace {

using testing::same_value;

template <class T>
struct Row1 {
  T x;
  T result;
};

template <class T>
struct Row2 {
  T x1;
  T x2;
  T result;
};

template <class Op, class T>
void expect_values(const std::vector<Row1<T>>& rows) {
  for (const auto& row : rows) {
    EXPECT_TRUE(same_value(Op{}(row.x), row.result)) << Op::info.name << '(' << row.x << ')';
  }
}

template <class Op, class T>
void expect_pairs(const std::vector<Row2<T>>& rows) {
  for (const auto& row : rows) {
    EXPECT_TRUE(same_value(Op{}(row.x1, row.x2), row.result))
        << Op::info.name << '(' << row.x1 << ", " << row.x2 << ')';
  }
}

template <class T>
class RealFunctions : public ::testing::Test {
 public:
  using limits = std::numeric_limits<T>;
  static constexpr T inf = limits::infinity();
  static constexpr T nan = limits::quiet_NaN();
  static constexpr T pi = std::numbers::pi_v<T>;
  /// Returns positive finite numbers from one end of the range to the other.
  static std::vector<T> positive() {
    return {limits::denorm_min(), limits::min(), T(0.5), T(1), T(2.5), T(1000), limits::max()};
  }
};
using reals = ::testing::Types<float32, float64>;
TYPED_TEST_SUITE(RealFunctions, reals);

#define CONSTANTS                                      \
  using T = TypeParam;                                 \
  [[maybe_unused]] constexpr T inf = TestFixture::inf; \
  [[maybe_unused]] constexpr T nan = TestFixture::nan; \
  [[maybe_unused]] constexpr T pi = TestFixture::pi;   \
  [[maybe_unused]] const std::vector<T> positive = TestFixture::positive()

/// Checks the special cases that divide and floor_divide share: NaN, zeros and infinities.
template <class Op, class T>
void expect_quotient_rules(const std::vector<T>& positive) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  expect_pairs<Op, T>({{nan, nan, nan},
                       {nan, T(1), nan},
                       {T(1), nan, nan},
                       {inf, inf, nan},
                       {inf, -inf, nan},
                       {-inf, inf, nan},
                       {-inf, -inf, nan},
                       {T(0), T(0), nan},
                       {T(0), T(-0.0), nan},
                       {T(-0.0), T(0), nan},
                       {T(-0.0), T(-0.0), nan}});
  for (const T x : positive) {
    expect_pairs<Op, T>({{T(0), x, T(0)},
                         {T(-0.0), x, T(-0.0)},
                         {T(0), -x, T(-0.0)},
                         {T(-0.0), -x, T(0)},
                         {x, T(0), inf},
                         {x, T(-0.0), -inf},
                         {-x, T(0), -inf},
                         {-x, T(-0.0), inf},
                         {inf, x, inf},
                         {inf, -x, -inf},
                         {-inf, x, -inf},
                         {-inf, -x, inf},
                         {x, inf, T(0)},
                         {x, -inf, T(-0.0)},
                         {-x, inf, T(-0.0)},
                         {-x, -inf, T(0)}});
  }
  expect_pairs<Op, T>({{T(0), inf, T(0)},
                       {T(0), -inf, T(-0.0)},
                       {inf, T(0), inf},
                       {inf, T(-0.0), -inf},
                       {-inf, T(0), -inf},
                       {-inf, T(-0.0), inf}});
}

TYPED_TEST(RealFunctions, divide_follows_the_quotient_rules) {
  expect_quotient_rules<ops::divide>(TestFixture::positive());
}

TYPED_TEST(RealFunctions, floor_divide_follows_the_quotient_rules) {
  expect_quotient_rules<ops::floor_divide>(TestFixture::positive());
}

TYPED_TEST(RealFunctions, floor_divide_is_the_floor_of_the_exact_quotient) {
  using T = TypeParam;
  expect_pairs<ops::floor_divide, T>({{T(7), T(2), T(3)},
                                      {T(-7), T(2), T(-4)},
                                      {T(7), T(-2), T(-4)},
                                      {T(-7), T(-2), T(3)},
                                      {T(6), T(-2), T(-3)}});
  // 1 / 0.1 rounds to 10, but 0.1 is a little more than a tenth.
  EXPECT_EQ(ops::floor_divide{}(T(1), T(0.1)), T(9));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> factor(T(0.001), T(1));
  for (int i = 0; i < 20000; ++i) {
    const T divisor = factor(random);
    const T near_multiple = divisor * static_cast<T>(random() % 3000);
    // fmod is exact, and so is the other arithmetic for such quotients.
    const long double rest = std::fmod(near_multiple, divisor);
    const auto expected = static_cast<T>(std::round((near_multiple - rest) / divisor));
    ASSERT_EQ(ops::floor_divide{}(near_multiple, divisor), expected)
        << near_multiple << ", " << divisor;
  }
}

TYPED_TEST(RealFunctions, remainder_follows_the_standard) {
  CONSTANTS;
  using op = ops::remainder;
  expect_pairs<op, T>({{nan, T(1), nan},
                       {T(1), nan, nan},
                       {inf, inf, nan},
                       {inf, -inf, nan},
                       {-inf, inf, nan},
                       {-inf, -inf, nan},
                       {T(0), T(0), nan},
                       {T(0), T(-0.0), nan},
                       {T(-0.0), T(0), nan},
                       {T(-0.0), T(-0.0), nan}});
  for (const T x : positive) {
    expect_pairs<op, T>({{T(0), x, T(0)},
                         {T(-0.0), x, T(0)},
                         {T(0), -x, T(-0.0)},
                         {T(-0.0), -x, T(-0.0)},
                         {x, T(0), nan},
                         {x, T(-0.0), nan},
                         {-x, T(0), nan},
                         {-x, T(-0.0), nan},
                         {inf, x, nan},
                         {inf, -x, nan},
                         {-inf, x, nan},
                         {-inf, -x, nan},
                         {x, inf, x},
                         {x, -inf, -inf},
                         {-x, inf, inf},
                         {-x, -inf, -x}});
    expect_pairs<op, T>({{x, x, T(0)}, {-x, x, T(0)}, {x, -x, T(-0.0)}, {-x, -x, T(-0.0)}});
  }
  expect_pairs<op, T>({{T(7), T(3), T(1)},
                       {T(-7), T(3), T(2)},
                       {T(7), T(-3), T(-2)},
                       {T(-7), T(-3), T(-1)},
                       {T(5.5), T(2), T(1.5)}});
}

TYPED_TEST(RealFunctions, remainder_is_exact_for_any_quotient) {
  using T = TypeParam;
  std::mt19937_64 random(6);
  std::uniform_real_distribution<T> exponent(T(-20), T(60));
  for (int i = 0; i < 50000; ++i) {
    const T x1 = std::exp2(exponent(random)) * (random() % 2 == 0 ? T(1) : T(-1));
    const T x2 = std::exp2(exponent(random)) * (random() % 2 == 0 ? T(1) : T(-1));
    T expected = std::fmod(x1, x2);
    if (expected == 0) {
      expected = std::copysign(T(0), x2);
    } else if ((expected < 0) != (x2 < 0)) {
      expected += x2;
    }
    ASSERT_EQ(ops::remainder{}(x1, x2), expected) << x1 << ", " << x2;
  }
}

TYPED_TEST(RealFunctions, pow_follows_the_standard) {
  CONSTANTS;
  using op = ops::pow;
  const T any[] = {T(0), T(-0.0), T(1), T(-1), T(3), T(-2.5), inf, -inf, nan};
  for (const T x : any) {
    expect_pairs<op, T>({{x, T(0), T(1)}, {x, T(-0.0), T(1)}});
    if (!std::isnan(x)) expect_pairs<op, T>({{T(1), x, T(1)}});
    if (x != T(1)) expect_pairs<op, T>({{x, nan, nan}});
    if (x != T(0)) expect_pairs<op, T>({{nan, x, nan}});
  }
  for (const T x : {T(1.5), T(2), T(-3), inf, -inf}) {
    expect_pairs<op, T>({{x, inf, inf}, {x, -inf, T(0)}});
  }
  for (const T x : {T(1), T(-1)}) expect_pairs<op, T>({{x, inf, T(1)}, {x, -inf, T(1)}});
  for (const T x : {T(0), T(-0.0), T(0.5), T(-0.25)}) {
    expect_pairs<op, T>({{x, inf, T(0)}, {x, -inf, inf}});
  }
  for (const T y : positive) {
    expect_pairs<op, T>({{inf, y, inf}, {inf, -y, T(0)}, {T(0), y, T(0)}, {T(0), -y, inf}});
  }
  for (const T odd : {T(1), T(3), T(12345)}) {
    expect_pairs<op, T>(
        {{-inf, odd, -inf}, {-inf, -odd, T(-0.0)}, {T(-0.0), odd, T(-0.0)}, {T(-0.0), -odd, -inf}});
  }
  for (const T other : {T(0.5), T(2), T(2.5), T(1e30)}) {
    expect_pairs<op, T>(
        {{-inf, other, inf}, {-inf, -other, T(0)}, {T(-0.0), other, T(0)}, {T(-0.0), -other, inf}});
  }
  expect_pairs<op, T>(
      {{T(-2), T(0.5), nan}, {T(-2), T(-1.5), nan}, {T(-2), T(3), T(-8)}, {T(2), T(10), T(1024)}});
}

TYPED_TEST(RealFunctions, atan2_follows_the_standard) {
  CONSTANTS;
  using op = ops::atan2;
  expect_pairs<op, T>({{nan, T(1), nan},
                       {T(1), nan, nan},
                       {T(0), T(0), T(0)},
                       {T(0), T(-0.0), pi},
                       {T(-0.0), T(0), T(-0.0)},
                       {T(-0.0), T(-0.0), -pi},
                       {inf, inf, pi / 4},
                       {inf, -inf, 3 * pi / 4},
                       {-inf, inf, -pi / 4},
                       {-inf, -inf, -3 * pi / 4}});
  for (const T x : positive) {
    expect_pairs<op, T>({{x, T(0), pi / 2},
                         {x, T(-0.0), pi / 2},
                         {-x, T(0), -pi / 2},
                         {-x, T(-0.0), -pi / 2},
                         {T(0), x, T(0)},
                         {T(0), -x, pi},
                         {T(-0.0), x, T(-0.0)},
                         {T(-0.0), -x, -pi},
                         {x, inf, T(0)},
                         {x, -inf, pi},
                         {-x, inf, T(-0.0)},
                         {-x, -inf, -pi},
                         {inf, x, pi / 2},
                         {inf, -x, pi / 2},
                         {-inf, x, -pi / 2},
                         {-inf, -x, -pi / 2}});
  }
}

TYPED_TEST(RealFunctions, hypot_follows_the_standard) {
  CONSTANTS;
  using op = ops::hypot;
  for (const T x : {inf, -inf}) {
    expect_pairs<op, T>({{x, nan, inf}, {nan, x, inf}, {x, T(1), inf}, {T(1), x, inf}});
  }
  for (const T x : positive) {
    expect_pairs<op, T>(
        {{T(0), -x, x}, {T(-0.0), x, x}, {-x, T(0), x}, {x, nan, nan}, {nan, x, nan}});
  }
  const T large = std::sqrt(TestFixture::limits::max());
  expect_pairs<op, T>({{3 * large, 4 * large, 5 * large}});
}

TYPED_TEST(RealFunctions, logaddexp_follows_the_standard) {
  CONSTANTS;
  expect_pairs<ops::logaddexp, T>({{nan, T(1), nan},
                                   {T(1), nan, nan},
                                   {nan, inf, nan},
                                   {inf, nan, nan},
                                   {inf, T(1), inf},
                                   {T(1), inf, inf},
                                   {inf, inf, inf},
                                   {inf, -inf, inf},
                                   {-inf, inf, inf},
                                   {-inf, -inf, -inf},
                                   {-inf, T(2), T(2)},
                                   {T(2), -inf, T(2)},
                                   {T(3), T(3), T(3) + std::numbers::ln2_v<T>},
                                   {T(1000), T(1000), T(1000) + std::numbers::ln2_v<T>}});
}

TYPED_TEST(RealFunctions, nextafter_follows_the_standard) {
  CONSTANTS;
  const T any[] = {T(0),
                   T(-0.0),
                   TestFixture::limits::denorm_min(),
                   -TestFixture::limits::denorm_min(),
                   TestFixture::limits::min(),
                   T(1),
                   T(-1),
                   T(2.5),
                   TestFixture::limits::max(),
                   -TestFixture::limits::max(),
                   inf,
                   -inf,
                   nan};
  for (const T x1 : any) {
    for (const T x2 : any) {
      const T result = ops::nextafter{}(x1, x2);
      const T expected = std::nextafter(x1, x2);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(result));
      } else {
        EXPECT_EQ(result, expected) << x1 << " -> " << x2;
        EXPECT_EQ(std::signbit(result), std::signbit(expected)) << x1 << " -> " << x2;
      }
    }
  }
  expect_pairs<ops::nextafter, T>({{T(-0.0), T(0), T(0)}, {T(0), T(-0.0), T(-0.0)}});
}

TYPED_TEST(RealFunctions, copysign_and_signbit_support_the_signs_of_zero_and_nan) {
  CONSTANTS;
  const T negative_nan = std::copysign(nan, T(-1));
  for (const T magnitude : {T(0), T(2), inf, nan}) {
    for (const T x1 : {magnitude, std::copysign(magnitude, T(-1))}) {
      for (const T x2 : {T(-1), T(-0.0), -inf, negative_nan}) {
        EXPECT_TRUE(ops::signbit{}(ops::copysign{}(x1, x2)));
        EXPECT_TRUE(ops::signbit{}(x2));
      }
      for (const T x2 : {T(1), T(0), inf, nan}) {
        EXPECT_FALSE(ops::signbit{}(ops::copysign{}(x1, x2)));
        EXPECT_FALSE(ops::signbit{}(x2));
      }
    }
  }
}

TYPED_TEST(RealFunctions, maximum_minimum_and_clip_propagate_nan) {
  CONSTANTS;
  for (const T x : {T(0), T(-3), inf, -inf, nan}) {
    for (const auto& [a, b] : {std::pair<T, T>{x, nan}, std::pair<T, T>{nan, x}}) {
      EXPECT_TRUE(std::isnan(ops::maximum{}(a, b)));
      EXPECT_TRUE(std::isnan(ops::minimum{}(a, b)));
    }
    EXPECT_TRUE(std::isnan(ops::clip{}(nan, x, inf)));
    EXPECT_TRUE(std::isnan(ops::clip{}(x, nan, T(1))));
    EXPECT_TRUE(std::isnan(ops::clip{}(x, T(0), nan)));
  }
  EXPECT_EQ(ops::maximum{}(T(1), T(2)), T(2));
  EXPECT_EQ(ops::minimum{}(T(1), T(2)), T(1));
  EXPECT_EQ(ops::clip{}(T(5), T(0), T(3)), T(3));
  EXPECT_EQ(ops::clip{}(T(-5), T(0), inf), T(0));
}

TYPED_TEST(RealFunctions, rounding_keeps_integers_zeros_and_infinities) {
  CONSTANTS;
  for (const T x : {T(0), T(-0.0), T(3), T(-4), T(8388609), inf, -inf, nan}) {
    expect_values<ops::ceil, T>({{x, x}});
    expect_values<ops::floor, T>({{x, x}});
    expect_values<ops::round, T>({{x, x}});
    expect_values<ops::trunc, T>({{x, x}});
  }
  expect_values<ops::round, T>({{T(0.5), T(0)},
                                {T(-0.5), T(-0.0)},
                                {T(1.5), T(2)},
                                {T(2.5), T(2)},
                                {T(-2.5), T(-2)},
                                {T(2.6), T(3)}});
  expect_values<ops::floor, T>({{T(-0.5), T(-1)}, {T(1.5), T(1)}});
  expect_values<ops::ceil, T>({{T(-0.5), T(-0.0)}, {T(1.5), T(2)}});
  expect_values<ops::trunc, T>({{T(-1.5), T(-1)}, {T(1.5), T(1)}});
}

TYPED_TEST(RealFunctions, sign_and_abs_follow_the_standard) {
  CONSTANTS;
  expect_values<ops::sign, T>({{T(-3), T(-1)},
                               {T(0), T(0)},
                               {T(-0.0), T(0)},
                               {T(3), T(1)},
                               {inf, T(1)},
                               {-inf, T(-1)},
                               {nan, nan}});
  expect_values<ops::abs, T>({{nan, nan}, {T(-0.0), T(0)}, {-inf, inf}, {T(-2), T(2)}});
}

TYPED_TEST(RealFunctions, unary_functions_follow_the_standard) {
  CONSTANTS;
  expect_values<ops::acos, T>(
      {{nan, nan}, {T(1.1), nan}, {T(-1.1), nan}, {T(1), T(0)}, {T(-1), pi}});
  expect_values<ops::acosh, T>({{nan, nan}, {T(0.9), nan}, {T(1), T(0)}, {inf, inf}});
  expect_values<ops::asin, T>(
      {{nan, nan}, {T(1.1), nan}, {T(-1.1), nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}});
  expect_values<ops::asinh, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, inf}, {-inf, -inf}});
  expect_values<ops::atan, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, pi / 2}, {-inf, -pi / 2}});
  expect_values<ops::atanh, T>({{nan, nan},
                                {T(-1.1), nan},
                                {T(1.1), nan},
                                {T(-1), -inf},
                                {T(1), inf},
                                {T(0), T(0)},
                                {T(-0.0), T(-0.0)}});
  expect_values<ops::cos, T>({{nan, nan}, {T(0), T(1)}, {T(-0.0), T(1)}, {inf, nan}, {-inf, nan}});
  expect_values<ops::cosh, T>({{nan, nan}, {T(0), T(1)}, {T(-0.0), T(1)}, {inf, inf}, {-inf, inf}});
  expect_values<ops::exp, T>({{nan, nan}, {T(0), T(1)}, {T(-0.0), T(1)}, {inf, inf}, {-inf, T(0)}});
  expect_values<ops::exp2, T>(
      {{nan, nan}, {T(-0.0), T(1)}, {T(-1), T(0.5)}, {T(10), T(1024)}, {inf, inf}, {-inf, T(0)}});
  expect_values<ops::expm1, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, inf}, {-inf, T(-1)}});
  expect_values<ops::log, T>(
      {{nan, nan}, {T(-1), nan}, {T(0), -inf}, {T(-0.0), -inf}, {T(1), T(0)}, {inf, inf}});
  expect_values<ops::log1p, T>(
      {{nan, nan}, {T(-2), nan}, {T(-1), -inf}, {T(-0.0), T(-0.0)}, {T(0), T(0)}, {inf, inf}});
  expect_values<ops::log2, T>({{nan, nan},
                               {T(-1), nan},
                               {T(0), -inf},
                               {T(-0.0), -inf},
                               {T(1), T(0)},
                               {inf, inf},
                               {T(8), T(3)}});
  expect_values<ops::log10, T>({{nan, nan},
                                {T(-1), nan},
                                {T(0), -inf},
                                {T(-0.0), -inf},
                                {T(1), T(0)},
                                {inf, inf},
                                {T(1000), T(3)}});
  expect_values<ops::reciprocal, T>(
      {{nan, nan}, {T(0), inf}, {T(-0.0), -inf}, {inf, T(0)}, {-inf, T(-0.0)}, {T(4), T(0.25)}});
  expect_values<ops::sin, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, nan}, {-inf, nan}});
  expect_values<ops::sinh, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, inf}, {-inf, -inf}});
  expect_values<ops::sqrt, T>(
      {{nan, nan}, {T(-1), nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, inf}});
  expect_values<ops::tan, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, nan}, {-inf, nan}});
  expect_values<ops::tanh, T>(
      {{nan, nan}, {T(0), T(0)}, {T(-0.0), T(-0.0)}, {inf, T(1)}, {-inf, T(-1)}});
}

TYPED_TEST(RealFunctions, predicates_distinguish_finite_infinite_and_nan) {
  CONSTANTS;
  for (const T x : positive) {
    EXPECT_TRUE(ops::isfinite{}(-x));
    EXPECT_FALSE(ops::isinf{}(x));
    EXPECT_FALSE(ops::isnan{}(x));
  }
  EXPECT_TRUE(ops::isinf{}(-inf));
  EXPECT_FALSE(ops::isfinite{}(inf));
  EXPECT_FALSE(ops::isnan{}(inf));
  EXPECT_TRUE(ops::isnan{}(nan));
  EXPECT_FALSE(ops::isfinite{}(nan));
  EXPECT_FALSE(ops::isinf{}(nan));
}

}  // namespace
}  // namespace skerry
