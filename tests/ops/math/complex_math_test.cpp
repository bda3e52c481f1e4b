// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/math/complex.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "ops/elementwise/all.hpp"
#include "tests/ops/math/same_value.hpp"

// The special cases of array API 2025.12 for complex dtypes, copied from its text. As in the text,
// the argument is a + bj.

namespace skerry {
namespace {

using testing::same_value;

/// Which signs of a result the standard leaves unspecified.
enum class OpenSign { none, re, im, both };

template <class T>
struct Row {
  T a;
  T b;
  T re;
  T im;
  OpenSign open = OpenSign::none;
};

/// Checks f(a + bj), and f(conj(z)) = conj(f(z)) where the standard requires it.
template <class Op, class T>
void expect_rows(const std::vector<Row<T>>& rows, bool conjugates = true) {
  for (const auto& [a, b, re, im, open] : rows) {
    const bool re_open = open == OpenSign::re || open == OpenSign::both;
    const bool im_open = open == OpenSign::im || open == OpenSign::both;
    for (const T side : {T(1), T(-1)}) {
      if (side < 0 && !conjugates) continue;
      const complex<T> result = Op{}(complex<T>(a, side * b));
      EXPECT_TRUE(same_value(result.re, re, re_open) && same_value(result.im, side * im, im_open))
          << Op::info.name << '(' << a << ", " << side * b << ") = (" << result.re << ", "
          << result.im << "), want (" << re << ", " << side * im << ')';
    }
  }
}

template <class T>
class ComplexFunctions : public ::testing::Test {
 public:
  using limits = std::numeric_limits<T>;
  static constexpr T inf = limits::infinity();
  static constexpr T nan = limits::quiet_NaN();
  static constexpr T pi = std::numbers::pi_v<T>;
  static std::vector<T> positive() {
    return {limits::denorm_min(), limits::min(), T(0.5), T(1), T(2), T(3), T(4), T(100),
            limits::max()};
  }
  static std::vector<T> nonzero() {
    std::vector<T> result = positive();
    for (const T x : positive()) result.push_back(-x);
    return result;
  }
  static std::vector<T> finite() {
    std::vector<T> result = nonzero();
    result.push_back(T(0));
    result.push_back(T(-0.0));
    return result;
  }
};
using reals = ::testing::Types<float32, float64>;
TYPED_TEST_SUITE(ComplexFunctions, reals);

#define CONSTANTS                                      \
  using T = TypeParam;                                 \
  [[maybe_unused]] constexpr T inf = TestFixture::inf; \
  [[maybe_unused]] constexpr T nan = TestFixture::nan; \
  [[maybe_unused]] constexpr T pi = TestFixture::pi;   \
  [[maybe_unused]] constexpr T zero = 0;               \
  [[maybe_unused]] constexpr T minus_zero = T(-0.0)

TYPED_TEST(ComplexFunctions, abs_follows_the_standard) {
  CONSTANTS;
  for (const T x : {zero, minus_zero, T(3), T(-4), inf, -inf, nan}) {
    for (const T infinity : {inf, -inf}) {
      EXPECT_EQ(ops::abs{}(complex<T>(infinity, x)), inf);
      EXPECT_EQ(ops::abs{}(complex<T>(x, infinity)), inf);
    }
    for (const T no : {zero, minus_zero}) {
      EXPECT_TRUE(same_value(ops::abs{}(complex<T>(no, x)), std::fabs(x)));
      EXPECT_TRUE(same_value(ops::abs{}(complex<T>(x, no)), std::fabs(x)));
    }
    if (!std::isinf(x)) {
      EXPECT_TRUE(std::isnan(ops::abs{}(complex<T>(x, nan))));
      EXPECT_TRUE(std::isnan(ops::abs{}(complex<T>(nan, x))));
    }
  }
  const T large = std::sqrt(TestFixture::limits::max());
  EXPECT_TRUE(same_value(ops::abs{}(complex<T>(3 * large, 4 * large)), 5 * large));
}

TYPED_TEST(ComplexFunctions, acos_follows_the_standard) {
  CONSTANTS;
  using op = ops::acos;
  for (const T a : {zero, minus_zero}) {
    expect_rows<op, T>({{a, zero, pi / 2, minus_zero}, {a, nan, pi / 2, nan}});
  }
  for (const T a : TestFixture::finite()) expect_rows<op, T>({{a, inf, pi / 2, -inf}});
  for (const T a : TestFixture::nonzero()) expect_rows<op, T>({{a, nan, nan, nan}});
  for (const T b : TestFixture::positive()) {
    expect_rows<op, T>({{-inf, b, pi, -inf}, {inf, b, zero, -inf}});
  }
  for (const T b : TestFixture::finite()) expect_rows<op, T>({{nan, b, nan, nan}});
  expect_rows<op, T>({{-inf, inf, 3 * pi / 4, -inf},
                      {inf, inf, pi / 4, -inf},
                      {inf, nan, nan, inf, OpenSign::im},
                      {-inf, nan, nan, inf, OpenSign::im},
                      {nan, inf, nan, -inf},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, acosh_follows_the_standard) {
  CONSTANTS;
  using op = ops::acosh;
  for (const T a : {zero, minus_zero}) expect_rows<op, T>({{a, zero, zero, pi / 2}});
  for (const T a : TestFixture::finite()) expect_rows<op, T>({{a, inf, inf, pi / 2}});
  for (const T a : TestFixture::nonzero()) expect_rows<op, T>({{a, nan, nan, nan}});
  for (const T b : TestFixture::positive()) {
    expect_rows<op, T>({{-inf, b, inf, pi}, {inf, b, inf, zero}});
  }
  for (const T b : TestFixture::finite()) expect_rows<op, T>({{nan, b, nan, nan}});
  expect_rows<op, T>({{zero, nan, nan, pi / 2, OpenSign::im},
                      {-inf, inf, inf, 3 * pi / 4},
                      {inf, inf, inf, pi / 4},
                      {inf, nan, inf, nan},
                      {-inf, nan, inf, nan},
                      {nan, inf, inf, nan},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, asinh_follows_the_standard) {
  CONSTANTS;
  using op = ops::asinh;
  for (const T a : TestFixture::positive()) expect_rows<op, T>({{a, inf, inf, pi / 2}});
  for (const T a : TestFixture::finite()) expect_rows<op, T>({{a, nan, nan, nan}});
  for (const T b : TestFixture::positive()) expect_rows<op, T>({{inf, b, inf, zero}});
  for (const T b : TestFixture::nonzero()) expect_rows<op, T>({{nan, b, nan, nan}});
  expect_rows<op, T>({{zero, zero, zero, zero},
                      {minus_zero, zero, minus_zero, zero},
                      {inf, inf, inf, pi / 4},
                      {-inf, inf, -inf, pi / 4},
                      {nan, zero, nan, zero},
                      {nan, inf, inf, nan, OpenSign::re},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, atanh_follows_the_standard) {
  CONSTANTS;
  using op = ops::atanh;
  for (const T a : TestFixture::positive()) expect_rows<op, T>({{a, inf, zero, pi / 2}});
  for (const T a : TestFixture::nonzero()) expect_rows<op, T>({{a, nan, nan, nan}});
  for (const T b : TestFixture::positive()) {
    expect_rows<op, T>({{inf, b, zero, pi / 2}, {-inf, b, minus_zero, pi / 2}});
  }
  for (const T b : TestFixture::finite()) expect_rows<op, T>({{nan, b, nan, nan}});
  expect_rows<op, T>({{zero, zero, zero, zero},
                      {zero, nan, zero, nan},
                      {T(1), zero, inf, zero},
                      {T(-1), zero, -inf, zero},
                      {inf, inf, zero, pi / 2},
                      {inf, nan, zero, nan},
                      {nan, inf, zero, pi / 2, OpenSign::re},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, cosh_follows_the_standard) {
  CONSTANTS;
  using op = ops::cosh;
  for (const T a : TestFixture::nonzero()) {
    expect_rows<op, T>({{a, inf, nan, nan}, {a, nan, nan, nan}});
  }
  for (const T b : TestFixture::nonzero()) {
    expect_rows<op, T>({{inf, b, inf * std::cos(b), inf * std::sin(b)},
                        {-inf, b, inf * std::cos(b), -inf * std::sin(b)},
                        {nan, b, nan, nan}});
  }
  expect_rows<op, T>({{zero, zero, T(1), zero},
                      {zero, inf, nan, zero, OpenSign::im},
                      {zero, nan, nan, zero, OpenSign::im},
                      {inf, zero, inf, zero},
                      {-inf, zero, inf, minus_zero},
                      {inf, inf, inf, nan, OpenSign::re},
                      {inf, nan, inf, nan},
                      {nan, zero, nan, zero, OpenSign::im},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, sinh_follows_the_standard) {
  CONSTANTS;
  using op = ops::sinh;
  for (const T a : TestFixture::positive()) {
    expect_rows<op, T>({{a, inf, nan, nan}, {a, nan, nan, nan}});
  }
  for (const T b : TestFixture::nonzero()) {
    expect_rows<op, T>({{inf, b, inf * std::cos(b), inf * std::sin(b)},
                        {-inf, b, -inf * std::cos(b), inf * std::sin(b)},
                        {nan, b, nan, nan}});
  }
  expect_rows<op, T>({{zero, zero, zero, zero},
                      {minus_zero, zero, minus_zero, zero},
                      {zero, inf, zero, nan, OpenSign::re},
                      {zero, nan, zero, nan, OpenSign::re},
                      {inf, zero, inf, zero},
                      {-inf, zero, -inf, zero},
                      {inf, inf, inf, nan, OpenSign::re},
                      {inf, nan, inf, nan, OpenSign::re},
                      {nan, zero, nan, zero},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, tanh_follows_the_standard) {
  CONSTANTS;
  using op = ops::tanh;
  for (const T a : TestFixture::nonzero()) {
    expect_rows<op, T>({{a, inf, nan, nan}, {a, nan, nan, nan}});
  }
  for (const T b : TestFixture::positive()) {
    expect_rows<op, T>({{inf, b, T(1), zero}, {-inf, b, T(-1), zero}, {nan, b, nan, nan}});
  }
  expect_rows<op, T>({{zero, zero, zero, zero},
                      {minus_zero, zero, minus_zero, zero},
                      {zero, inf, zero, nan},
                      {zero, nan, zero, nan},
                      {inf, inf, T(1), zero, OpenSign::im},
                      {inf, nan, T(1), zero, OpenSign::im},
                      {nan, zero, nan, zero},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, exp_follows_the_standard) {
  CONSTANTS;
  using op = ops::exp;
  for (const T a : {zero, minus_zero}) expect_rows<op, T>({{a, zero, T(1), zero}});
  for (const T a : TestFixture::finite()) {
    expect_rows<op, T>({{a, inf, nan, nan}, {a, nan, nan, nan}});
  }
  for (const T b : TestFixture::nonzero()) {
    expect_rows<op, T>({{-inf, b, zero * std::cos(b), zero * std::sin(b)},
                        {inf, b, inf * std::cos(b), inf * std::sin(b)},
                        {nan, b, nan, nan}});
  }
  expect_rows<op, T>({{inf, zero, inf, zero}, {-inf, zero, zero, zero}, {nan, zero, nan, zero}});
  expect_rows<op, T>({{nan, inf, nan, nan}, {nan, nan, nan, nan}});
  // The text leaves these signs unspecified; the official test suite does not.
  expect_rows<op, T>({{-inf, inf, zero, zero},
                      {-inf, nan, zero, zero},
                      {inf, inf, inf, nan},
                      {inf, nan, inf, nan}},
                     false);
}

TYPED_TEST(ComplexFunctions, expm1_follows_the_standard) {
  CONSTANTS;
  using op = ops::expm1;
  for (const T a : {zero, minus_zero}) expect_rows<op, T>({{a, zero, zero, zero}});
  for (const T a : TestFixture::finite()) {
    expect_rows<op, T>({{a, inf, nan, nan}, {a, nan, nan, nan}});
  }
  for (const T b : TestFixture::nonzero()) {
    expect_rows<op, T>({{-inf, b, T(-1), zero * std::sin(b)},
                        {inf, b, inf * std::cos(b), inf * std::sin(b)},
                        {nan, b, nan, nan}});
  }
  expect_rows<op, T>({{inf, zero, inf, zero}, {-inf, zero, T(-1), zero}, {nan, zero, nan, zero}});
  expect_rows<op, T>({{nan, inf, nan, nan}, {nan, nan, nan, nan}});
  expect_rows<op, T>({{-inf, inf, T(-1), zero},
                      {-inf, nan, T(-1), zero},
                      {inf, inf, inf, nan},
                      {inf, nan, inf, nan}},
                     false);
}

/// Checks the special cases that log and log1p share.
template <class Op, class T, class Fixture>
void expect_logarithm_rules() {
  constexpr T inf = Fixture::inf;
  constexpr T nan = Fixture::nan;
  constexpr T pi = Fixture::pi;
  for (const T a : Fixture::finite()) {
    expect_rows<Op, T>({{a, inf, inf, pi / 2}, {a, nan, nan, nan}});
  }
  for (const T b : Fixture::positive()) {
    expect_rows<Op, T>({{-inf, b, inf, pi}, {inf, b, inf, T(0)}});
  }
  for (const T b : Fixture::finite()) expect_rows<Op, T>({{nan, b, nan, nan}});
  expect_rows<Op, T>({{-inf, inf, inf, 3 * pi / 4},
                      {inf, inf, inf, pi / 4},
                      {inf, nan, inf, nan},
                      {-inf, nan, inf, nan},
                      {nan, inf, inf, nan},
                      {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, logarithms_follow_the_standard) {
  CONSTANTS;
  expect_logarithm_rules<ops::log, T, TestFixture>();
  expect_rows<ops::log, T>({{minus_zero, zero, -inf, pi}, {zero, zero, -inf, zero}});
  expect_logarithm_rules<ops::log1p, T, TestFixture>();
  expect_rows<ops::log1p, T>({{T(-1), zero, -inf, zero}});
  const T ln2 = std::numbers::ln2_v<T>;
  const T ln10 = std::numbers::ln10_v<T>;
  expect_rows<ops::log2, T>({{minus_zero, zero, -inf, pi / ln2},
                             {zero, zero, -inf, zero},
                             {-inf, inf, inf, 3 * pi / 4 / ln2},
                             {T(8), zero, T(3), zero}});
  expect_rows<ops::log10, T>({{minus_zero, zero, -inf, pi / ln10},
                              {zero, zero, -inf, zero},
                              {-inf, inf, inf, 3 * pi / 4 / ln10},
                              {T(1000), zero, T(3), zero}});
}

TYPED_TEST(ComplexFunctions, sqrt_follows_the_standard) {
  CONSTANTS;
  using op = ops::sqrt;
  for (const T a : {zero, minus_zero}) expect_rows<op, T>({{a, zero, zero, zero}});
  for (const T a : TestFixture::finite()) {
    expect_rows<op, T>({{a, inf, inf, inf}, {a, nan, nan, nan}});
  }
  for (const T a : {inf, -inf, nan}) expect_rows<op, T>({{a, inf, inf, inf}});
  for (const T b : TestFixture::positive()) {
    expect_rows<op, T>({{-inf, b, zero, inf}, {inf, b, inf, zero}});
  }
  for (const T b : TestFixture::finite()) expect_rows<op, T>({{nan, b, nan, nan}});
  expect_rows<op, T>(
      {{-inf, nan, nan, inf, OpenSign::im}, {inf, nan, inf, nan}, {nan, nan, nan, nan}});
}

TYPED_TEST(ComplexFunctions, sign_follows_the_standard) {
  CONSTANTS;
  for (const T a : {zero, minus_zero}) {
    for (const T b : {zero, minus_zero}) {
      expect_rows<ops::sign, T>({{a, b, zero, zero}}, false);
    }
  }
  for (const T x : {zero, T(1), inf, -inf, nan}) {
    expect_rows<ops::sign, T>({{x, nan, nan, nan}, {nan, x, nan, nan}});
  }
  const T large = TestFixture::limits::max();
  const T half = std::numbers::sqrt2_v<T> / 2;
  expect_rows<ops::sign, T>({{T(3), T(4), T(0.6), T(0.8)}, {large, -large, half, -half}});
}

/// Checks f(z) = -i g(iz) or f(z) = g(iz), by which the standard defines the circular functions.
template <class Circular, class Hyperbolic, class T>
void expect_defined_by(bool rotated_back, const std::vector<T>& values) {
  for (const T a : values) {
    for (const T b : values) {
      const complex<T> direct = Circular{}(complex<T>(a, b));
      const complex<T> inner = Hyperbolic{}(complex<T>(-b, a));
      const complex<T> expected = rotated_back ? complex<T>(inner.im, -inner.re) : inner;
      EXPECT_TRUE(same_value(direct.re, expected.re) && same_value(direct.im, expected.im))
          << Circular::info.name << '(' << a << ", " << b << ')';
    }
  }
}

TYPED_TEST(ComplexFunctions, circular_functions_are_defined_by_hyperbolic_ones) {
  CONSTANTS;
  const std::vector<T> values = {zero, minus_zero, T(0.5), T(-2), inf, -inf, nan};
  expect_defined_by<ops::asin, ops::asinh, T>(true, values);
  expect_defined_by<ops::atan, ops::atanh, T>(true, values);
  expect_defined_by<ops::cos, ops::cosh, T>(false, values);
  expect_defined_by<ops::sin, ops::sinh, T>(true, values);
  expect_defined_by<ops::tan, ops::tanh, T>(true, values);
}

TYPED_TEST(ComplexFunctions, division_does_not_overflow_before_its_result_does) {
  CONSTANTS;
  const T large = TestFixture::limits::max() / 4;
  const T small = TestFixture::limits::min();
  const auto expect = [](complex<T> x1, complex<T> x2, complex<T> want) {
    const complex<T> result = ops::divide{}(x1, x2);
    EXPECT_TRUE(same_value(result.re, want.re)) << x1.re << " / " << x2.re;
    EXPECT_TRUE(same_value(result.im, want.im)) << x1.im << " / " << x2.im;
  };
  expect({large, large}, {large, large}, {T(1), T(0)});
  expect({small, small}, {small, -small}, {T(0), T(1)});
  expect({T(1), T(0)}, {large, T(0)}, {1 / large, T(0)});
  expect({T(1), T(2)}, {T(3), T(4)}, {T(0.44), T(0.08)});
  const complex<T> all_nan = {nan, nan};
  EXPECT_TRUE(ops::isnan{}(ops::divide{}(all_nan, all_nan)));
  EXPECT_TRUE(ops::isnan{}(ops::multiply{}(all_nan, all_nan)));
  EXPECT_TRUE(ops::isinf{}(ops::reciprocal{}(complex<T>(zero, zero))));
}

TYPED_TEST(ComplexFunctions, pow_is_exact_for_small_powers_of_small_integers) {
  using T = TypeParam;
  const auto power = [](complex<T> x1, T x2) { return ops::pow{}(x1, complex<T>(x2, T(0))); };
  EXPECT_EQ(power({T(0), T(1)}, T(2)), complex<T>(T(-1), T(0)));
  EXPECT_EQ(power({T(1), T(2)}, T(3)), complex<T>(T(-11), T(-2)));
  EXPECT_EQ(power({T(0), T(2)}, T(-2)), complex<T>(T(-0.25), T(0)));
  EXPECT_EQ(power({T(5), T(-3)}, T(0)), complex<T>(T(1), T(0)));
  EXPECT_EQ(power({T(0), T(0)}, T(2.5)), complex<T>(T(0), T(0)));
  const complex<T> root = power({T(3), T(4)}, T(0.5));
  EXPECT_TRUE(same_value(root.re, T(2)));
  EXPECT_TRUE(same_value(root.im, T(1)));
}

TYPED_TEST(ComplexFunctions, predicates_check_both_parts) {
  CONSTANTS;
  EXPECT_TRUE(ops::isinf{}(complex<T>(nan, -inf)));
  EXPECT_TRUE(ops::isnan{}(complex<T>(inf, nan)));
  EXPECT_FALSE(ops::isfinite{}(complex<T>(T(1), inf)));
  EXPECT_TRUE(ops::isfinite{}(complex<T>(T(1), T(2))));
  EXPECT_FALSE(ops::equal{}(complex<T>(T(1), nan), complex<T>(T(1), nan)));
  EXPECT_TRUE(ops::not_equal{}(complex<T>(T(1), T(2)), complex<T>(T(1), T(3))));
  EXPECT_TRUE(ops::equal{}(complex<T>(zero, minus_zero), complex<T>(minus_zero, zero)));
}

/// Functions of a huge argument return a finite result if the exact value is in range.
TYPED_TEST(ComplexFunctions, huge_arguments_give_finite_results) {
  CONSTANTS;
  const T huge = std::sqrt(TestFixture::limits::max());
  for (const T a : {huge, -huge, T(1), zero}) {
    for (const T b : {huge, -huge, T(1), minus_zero}) {
      if (a == 0 && b == 0) continue;
      const complex<T> z(a, b);
      const complex<T> one(T(1), T(0));
      for (const complex<T> result :
           {ops::acos{}(z), ops::acosh{}(z), ops::asin{}(z), ops::asinh{}(z), ops::log{}(z),
            ops::log1p{}(z), ops::sqrt{}(z), ops::sign{}(z), ops::tanh{}(z), ops::tan{}(z),
            ops::reciprocal{}(z), ops::divide{}(z, z), ops::divide{}(one, z)}) {
        EXPECT_TRUE(ops::isfinite{}(result)) << a << ", " << b;
      }
      if (b != 0 || a != T(1)) {
        EXPECT_TRUE(ops::isfinite{}(ops::atanh{}(z))) << a << ", " << b;
      }
    }
  }
}

/// Compares with std::complex in long double, which is accurate except near overflow and branch
/// points.
TYPED_TEST(ComplexFunctions, values_agree_with_the_standard_library) {
  using T = TypeParam;
  using reference = std::complex<long double>;
  const long double tolerance = 4 * std::numeric_limits<T>::epsilon();
  const auto expect_near = [&](const char* name, complex<T> z, complex<T> result, reference want) {
    using limits = std::numeric_limits<T>;
    if (std::abs(want) > limits::max() / 2 || std::abs(want) < limits::min()) return;
    const reference error(result.re - want.real(), result.im - want.imag());
    EXPECT_LE(std::abs(error), tolerance * std::abs(want)) << name << ' ' << z.re << ' ' << z.im;
  };
  for (T a = T(-3.1); a < T(3.2); a += T(0.37)) {
    for (T b = T(-3.3); b < T(3.2); b += T(0.41)) {
      const complex<T> z(a, b);
      const reference w(a, b);
      expect_near("acos", z, ops::acos{}(z), std::acos(w));
      expect_near("acosh", z, ops::acosh{}(z), std::acosh(w));
      expect_near("asin", z, ops::asin{}(z), std::asin(w));
      expect_near("asinh", z, ops::asinh{}(z), std::asinh(w));
      expect_near("atan", z, ops::atan{}(z), std::atan(w));
      expect_near("atanh", z, ops::atanh{}(z), std::atanh(w));
      expect_near("cos", z, ops::cos{}(z), std::cos(w));
      expect_near("cosh", z, ops::cosh{}(z), std::cosh(w));
      expect_near("exp", z, ops::exp{}(z), std::exp(w));
      expect_near("expm1", z, ops::expm1{}(z), std::exp(w) - reference(1));
      expect_near("log", z, ops::log{}(z), std::log(w));
      expect_near("log1p", z, ops::log1p{}(z), std::log(w + reference(1)));
      expect_near("sin", z, ops::sin{}(z), std::sin(w));
      expect_near("sinh", z, ops::sinh{}(z), std::sinh(w));
      expect_near("sqrt", z, ops::sqrt{}(z), std::sqrt(w));
      expect_near("tan", z, ops::tan{}(z), std::tan(w));
      expect_near("tanh", z, ops::tanh{}(z), std::tanh(w));
      expect_near("reciprocal", z, ops::reciprocal{}(z), reference(1) / w);
      for (const reference power : {reference(0.5L, 1.5L), reference(40.5L, -20.25L),
                                    reference(-60.5L, 3), reference(17, 0), reference(-9, 0)}) {
        const complex<T> exponent(static_cast<T>(power.real()), static_cast<T>(power.imag()));
        expect_near("pow", z, ops::pow{}(z, exponent), std::pow(w, power));
      }
    }
  }
}

}  // namespace
}  // namespace skerry
