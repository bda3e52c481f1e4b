// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/emulator/executor/computed.hpp"

namespace skerry::emulation {
namespace {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

constexpr auto same_bits = [](auto a, auto b) {
  using T = decltype(a);
  return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b) || (a != a && b != b);
};

template <class T, class Reference>
void check_pairs(const std::string& opcode, Reference&& reference) {
  const auto [a, b] = pairs_of(float_edges<T>());
  expect_computes_like<T>(opcode, reference, same_bits, a, b);
}

template <class T>
void check_arithmetic(const std::string& type) {
  check_pairs<T>("add.rn." + type, [](T a, T b) { return a + b; });
  check_pairs<T>("add." + type, [](T a, T b) { return a + b; });
  check_pairs<T>("sub.rn." + type, [](T a, T b) { return a - b; });
  check_pairs<T>("mul.rn." + type, [](T a, T b) { return a * b; });
  check_pairs<T>("div.rn." + type, [](T a, T b) { return a / b; });
  check_pairs<T>("min." + type, [](T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  });
  check_pairs<T>("max." + type, [](T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  });
  check_pairs<T>("copysign." + type, [](T a, T b) { return std::copysign(b, a); });
  const std::vector<T> x = float_edges<T>();
  expect_computes_like<T>("sqrt.rn." + type, [](T a) { return std::sqrt(a); }, same_bits, x);
  expect_computes_like<T>("rcp.rn." + type, [](T a) { return T{1} / a; }, same_bits, x);
  expect_computes_like<T>("neg." + type, [](T a) { return -a; }, same_bits, x);
  expect_computes_like<T>("abs." + type, [](T a) { return std::fabs(a); }, same_bits, x);
}

TEST(EmulationFloats, arithmetic_follows_ieee_754) {
  check_arithmetic<float>("f32");
  check_arithmetic<double>("f64");
}

TEST(EmulationFloats, nan_results_of_float32_are_canonical) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> results =
      computed<float>("sub.rn.f32", false, std::vector{inf}, std::vector{inf});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(results[0]), 0x7fffffffU);
}

TEST(EmulationFloats, neg_and_abs_of_a_nan_match_an_h100) {
  const auto a = std::bit_cast<float>(0xffc00123U);
  const auto b = std::bit_cast<double>(0xfff8000000000123U);
  for (const std::string opcode : {"neg", "abs"}) {
    const float narrow = computed<float>(opcode + ".f32", false, std::vector{a})[0];
    EXPECT_EQ(std::bit_cast<std::uint32_t>(narrow), 0x7fffffffU);
    const double wide = computed<double>(opcode + ".f64", false, std::vector{b})[0];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(wide), 0xfff8000000000123U);
  }
}

template <class T>
void check_fma(const std::string& type) {
  const auto [a, b] = pairs_of(float_edges<T>());
  const std::vector<T> c(a.size(), T{-1});
  expect_computes_like<T>(
      "fma.rn." + type, [](T x, T y, T z) { return std::fma(x, y, z); }, same_bits, a, b, c);
  // (1 + e)^2 - 1 retains e^2, which would be lost in two roundings.
  const T e = std::numeric_limits<T>::epsilon();
  const std::vector<T> one{T{1} + e}, minus{T{-1}};
  EXPECT_EQ(computed<T>("fma.rn." + type, false, one, one, minus)[0], 2 * e + e * e);
}

TEST(EmulationFloats, fma_rounds_once) {
  check_fma<float>("f32");
  check_fma<double>("f64");
}

template <class T>
void check_rounding(const std::string& type) {
  const T e = std::numeric_limits<T>::epsilon();
  const std::vector<T> a{1, -1, 1, -1}, b{e / 4, -e / 4, -e / 8, e / 8};
  const T below = std::nextafter(T{1}, T{0}), above = std::nextafter(T{1}, T{2});
  using list = std::vector<T>;
  EXPECT_EQ(computed<T>("add.rn." + type, false, a, b), (list{1, -1, 1, -1}));
  EXPECT_EQ(computed<T>("add.rz." + type, false, a, b), (list{1, -1, below, -below}));
  EXPECT_EQ(computed<T>("add.rm." + type, false, a, b), (list{1, -above, below, -1}));
  EXPECT_EQ(computed<T>("add.rp." + type, false, a, b), (list{above, -1, 1, -below}));
  const std::vector<T> one{1, 1, 1, 1};
  EXPECT_EQ(computed<T>("fma.rm." + type, false, a, one, b), (list{1, -above, below, -1}));
  EXPECT_EQ(computed<T>("fma.rp." + type, false, a, one, b), (list{above, -1, 1, -below}));
  EXPECT_EQ(computed<T>("fma.rz." + type, false, a, one, b), (list{1, -1, below, -below}));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(EmulationFloats, arithmetic_uses_the_rounding_mode_of_the_instruction) {
  check_rounding<float>("f32");
  check_rounding<double>("f64");
}

TEST(EmulationFloats, ftz_flushes_subnormals) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float min_normal = std::numeric_limits<float>::min();
  const std::vector<float> a{tiny, -tiny, min_normal, min_normal}, b{1, 1, 0.5F, 2};
  EXPECT_EQ(computed<float>("mul.rn.f32", false, a, b),
            (std::vector<float>{tiny, -tiny, min_normal / 2, 2 * min_normal}));
  const std::vector<float> flushed = computed<float>("mul.rn.ftz.f32", false, a, b);
  EXPECT_EQ(flushed, (std::vector<float>{0, -0.0F, 0, 2 * min_normal}));
  EXPECT_TRUE(std::signbit(flushed[1]));
}

template <class T>
void check_comparison(const std::string& name, const std::string& type, bool (*holds)(T, T)) {
  const auto [a, b] = pairs_of(float_edges<T>());
  expect_computes_like<std::uint32_t>(
      "set." + name + ".u32." + type, [&](T x, T y) { return holds(x, y) ? ~0U : 0U; },
      [](auto x, auto y) { return x == y; }, a, b);
}

template <class T>
[[nodiscard]] bool nan(T a, T b) {
  return std::isnan(a) || std::isnan(b);
}

template <class T>
void check_comparisons(const std::string& type) {
  check_comparison<T>("eq", type, [](T a, T b) { return a == b; });
  check_comparison<T>("ne", type, [](T a, T b) { return !nan(a, b) && a != b; });
  check_comparison<T>("lt", type, [](T a, T b) { return a < b; });
  check_comparison<T>("le", type, [](T a, T b) { return a <= b; });
  check_comparison<T>("gt", type, [](T a, T b) { return a > b; });
  check_comparison<T>("ge", type, [](T a, T b) { return a >= b; });
  check_comparison<T>("equ", type, [](T a, T b) { return nan(a, b) || a == b; });
  check_comparison<T>("neu", type, [](T a, T b) { return nan(a, b) || a != b; });
  check_comparison<T>("ltu", type, [](T a, T b) { return nan(a, b) || a < b; });
  check_comparison<T>("leu", type, [](T a, T b) { return nan(a, b) || a <= b; });
  check_comparison<T>("gtu", type, [](T a, T b) { return nan(a, b) || a > b; });
  check_comparison<T>("geu", type, [](T a, T b) { return nan(a, b) || a >= b; });
  check_comparison<T>("nan", type, [](T a, T b) { return nan(a, b); });
  check_comparison<T>("num", type, [](T a, T b) { return !nan(a, b); });
}

TEST(EmulationFloats, comparisons_with_nan_are_ordered_or_unordered) {
  check_comparisons<float>("f32");
  check_comparisons<double>("f64");
}

TEST(EmulationFloats, approximations_are_accurate) {
  const std::vector<float> x{0.25F, 1, 2, 3.7F, 100, 0.001F};
  const auto is_near = [](float a, float b) { return std::fabs(a - b) <= 4e-6F * std::fabs(b); };
  const auto check = [&](const char* opcode, double (*exact)(double)) {
    expect_computes_like<float>(
        opcode, [&](float a) { return static_cast<float>(exact(a)); }, is_near, x);
  };
  check("ex2.approx.ftz.f32", [](double a) { return std::exp2(a); });
  check("lg2.approx.f32", [](double a) { return std::log2(a); });
  check("sin.approx.f32", [](double a) { return std::sin(a); });
  check("cos.approx.f32", [](double a) { return std::cos(a); });
  check("rcp.approx.ftz.f32", [](double a) { return 1 / a; });
  check("rsqrt.approx.ftz.f32", [](double a) { return 1 / std::sqrt(a); });
  check("sqrt.approx.f32", [](double a) { return std::sqrt(a); });
  const std::vector<double> y{0.25, 1, 2, 3.7, 1e300};
  const auto coarse = [](double a, double b) { return std::fabs(a - b) <= 2e-6 * std::fabs(b); };
  const auto upper = [](double a) { return (std::bit_cast<std::uint64_t>(a) << 32) == 0; };
  expect_computes_like<double>(
      "rcp.approx.ftz.f64", [](double a) { return 1 / a; },
      [&](double a, double b) { return coarse(a, b) && upper(a); }, y);
  expect_computes_like<double>(
      "rsqrt.approx.ftz.f64", [](double a) { return 1 / std::sqrt(a); },
      [&](double a, double b) { return coarse(a, b) && upper(a); }, y);
}

}  // namespace
}  // namespace skerry::emulation
