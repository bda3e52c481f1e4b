// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/emulator/executor/computed.hpp"

// The reference for conversions to float16 searches all its finite magnitudes, independently of the
// tested arithmetic.

namespace skerry::emulation {
namespace {

constexpr std::uint16_t infinity = 0x7c00;
constexpr auto equal = [](auto a, auto b) { return a == b; };

/// Returns the value of an IEEE 754 binary16; any NaN is NaN.
[[nodiscard]] double value_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
}

[[nodiscard]] std::vector<std::uint16_t> every_half() {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint16_t>(k);
  return all;
}

enum class Rounding { nearest, toward_zero, downward, upward };
struct NamedRounding {
  Rounding rounding;
  const char* name;
  const char* integral;
};
constexpr std::array<NamedRounding, 4> roundings = {{
    {Rounding::nearest, "rn", "rni"},
    {Rounding::toward_zero, "rz", "rzi"},
    {Rounding::downward, "rm", "rmi"},
    {Rounding::upward, "rp", "rpi"},
}};

/// Rounds x to float16, by search among all values. For overflow, infinity counts as 2^16, as if
/// exponents were unbounded.
[[nodiscard]] std::uint16_t rounded(double x, Rounding rounding) {
  if (std::isnan(x)) return 0x7fff;
  static const std::vector<double> magnitudes = [] {
    std::vector<double> values;
    values.reserve(infinity + 1);
    for (std::uint16_t half = 0; half < infinity; ++half) values.push_back(value_of(half));
    values.push_back(65536);
    return values;
  }();
  const double magnitude = std::fabs(x);
  const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (std::isinf(x)) return sign | infinity;
  const auto above = std::ranges::lower_bound(magnitudes, magnitude);
  if (above != magnitudes.end() && *above == magnitude && magnitude != 65536) {
    return static_cast<std::uint16_t>(sign | (above - magnitudes.begin()));
  }
  const auto high =
      std::min<std::uint16_t>(infinity, static_cast<std::uint16_t>(above - magnitudes.begin()));
  const auto low = static_cast<std::uint16_t>(high - 1);
  bool takes_high = false;
  if (rounding == Rounding::nearest) {
    const double below_x = magnitude - magnitudes[low];
    const double above_x = magnitudes[high] - magnitude;
    takes_high = above_x < below_x || (above_x == below_x && high % 2 == 0);
  } else if (rounding != Rounding::toward_zero) {
    takes_high = (rounding == Rounding::upward) == (x > 0);
  }
  return sign | (takes_high ? high : low);
}

/// Returns all float16, the midpoints between neighbours, and the next numbers of T on both sides
/// of these.
template <class T>
[[nodiscard]] std::vector<T> narrowed_values() {
  const T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values = float_edges<T>();
  for (std::uint16_t half = 0; half < infinity; ++half) {
    const auto exact = static_cast<T>(value_of(half));
    const T next = half + 1 == infinity ? T{65536} : static_cast<T>(value_of(half + 1));
    const T middle = (exact + next) / 2;
    for (const T center : {exact, middle}) {
      for (const T one : {std::nextafter(center, -inf), center, std::nextafter(center, inf)}) {
        values.insert(values.end(), {one, -one});
      }
    }
  }
  return values;
}

TEST(EmulationHalves, every_half_is_widened_exactly) {
  const std::vector<std::uint16_t> all = every_half();
  expect_computes_like<std::uint32_t>(
      "cvt.f32.f16",
      [](std::uint16_t half) {
        const double value = value_of(half);
        return std::isnan(value) ? 0x7fffffffU
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
      },
      equal, all);
  expect_computes_like<double>(
      "cvt.f64.f16", [](std::uint16_t half) { return value_of(half); },
      [](double a, double b) {
        return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b);
      },
      all);
  expect_computes_like<float>(
      "cvt.sat.f32.f16",
      [](std::uint16_t half) { return std::fmin(std::fmax(value_of(half), 0.0), 1.0); }, equal,
      all);
}

template <class T>
void check_narrowing(const std::string& source_type, const std::vector<T>& values) {
  for (const auto& [rounding, name, integral] : roundings) {
    expect_computes_like<std::uint16_t>(
        "cvt." + std::string(name) + ".f16." + source_type,
        [&](T x) { return rounded(static_cast<double>(x), rounding); }, equal, values);
  }
}

TEST(EmulationHalves, floats_are_rounded_to_halves) {
  check_narrowing("f32", narrowed_values<float>());
  check_narrowing("f64", narrowed_values<double>());
  // Double rounding, through float32, would differ.
  EXPECT_EQ(computed<std::uint16_t>("cvt.rn.f16.f64", false,
                                    std::vector<double>{1 + 0x1p-11 + 0x1p-40, 0x1p-25 + 0x1p-70}),
            (std::vector<std::uint16_t>{0x3c01, 1}));
  const std::vector<float> unit{-1, -0.0F, 0.25F, 2, std::nanf(""), 1 - 0x1p-20F};
  const std::vector<std::uint16_t> saturated{0, 0, 0x3400, 0x3c00, 0, 0x3c00};
  EXPECT_EQ(computed<std::uint16_t>("cvt.rn.sat.f16.f32", false, unit), saturated);
}

template <class T>
void check_from_integers(const std::string& source_type) {
  std::vector<T> values = integer_edges<T>();
  for (const int edge : {2048, 4096, 8192, 65504, 65520, 65536}) {
    for (int k = -9; k <= 9; ++k) {
      values.push_back(static_cast<T>(edge + k));
      if (std::is_signed_v<T>) values.push_back(static_cast<T>(-edge - k));
    }
  }
  check_narrowing(source_type, values);
}

TEST(EmulationHalves, integers_are_rounded_to_halves) {
  check_from_integers<std::uint16_t>("u16");
  check_from_integers<std::int16_t>("s16");
  check_from_integers<std::uint32_t>("u32");
  check_from_integers<std::int32_t>("s32");
  check_from_integers<std::uint64_t>("u64");
  check_from_integers<std::int64_t>("s64");
  EXPECT_EQ(computed<std::uint16_t>("cvt.rn.f16.s8", false, std::vector<std::uint32_t>{0x1ff, 3}),
            (std::vector<std::uint16_t>{0xbc00, 0x4200}));
  EXPECT_EQ(computed<std::uint16_t>("cvt.rn.f16.u8", false, std::vector<std::uint32_t>{0x1ff, 3}),
            (std::vector<std::uint16_t>{0x5bf8, 0x4200}));
}

[[nodiscard]] double integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(x);
    case Rounding::toward_zero:
      return std::trunc(x);
    case Rounding::downward:
      return std::floor(x);
    case Rounding::upward:
      return std::ceil(x);
  }
  return x;
}

template <class D>
void check_to_integer(const std::string& destination_type) {
  using limits = std::numeric_limits<D>;
  constexpr auto nan = static_cast<D>(sizeof(D) == 8 ? std::uint64_t{1} << 63 : 0);
  const std::vector<std::uint16_t> all = every_half();
  for (const auto& [rounding, name, integral_name] : roundings) {
    const auto reference = [&](std::uint16_t half) {
      const double x = integral(value_of(half), rounding);
      if (std::isnan(x)) return nan;
      if (x <= static_cast<double>(limits::min())) return limits::min();
      return x >= static_cast<double>(limits::max()) ? limits::max() : static_cast<D>(x);
    };
    for (const char* saturation : {".", ".sat."}) {
      std::string opcode = "cvt.";
      opcode.append(integral_name).append(saturation).append(destination_type).append(".f16");
      expect_computes_like<D>(opcode, reference, equal, all);
    }
  }
}

TEST(EmulationHalves, halves_are_converted_to_integers_with_saturation) {
  check_to_integer<std::uint8_t>("u8");
  check_to_integer<std::int8_t>("s8");
  check_to_integer<std::uint16_t>("u16");
  check_to_integer<std::int16_t>("s16");
  check_to_integer<std::uint32_t>("u32");
  check_to_integer<std::int32_t>("s32");
  check_to_integer<std::uint64_t>("u64");
  check_to_integer<std::int64_t>("s64");
}

TEST(EmulationHalves, vectors_of_halves_are_loaded_and_stored) {
  const std::string text = kernel_text(".param .u64 p", R"(.reg .b16 %h<9>; .reg .b32 %r<9>;
      .reg .f32 %f<3>; .reg .b64 %d1; ld.param.u64 %d1, [p];
      ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%d1]; ld.global.v2.b16 {%h5, %h6}, [%d1+8];
      cvt.f32.f16 %f1, %h5; add.f32 %f1, %f1, 0f3f800000; cvt.rn.f16.f32 %h5, %f1;
      mov.b32 %r1, {%h5, %h6}; mov.b16 %h7, 0x3C00;
      st.global.v4.b16 [%d1+16], {%h4, %h3, %h2, %h1}; st.global.b32 [%d1+24], %r1;
      st.global.v2.u16 [%d1+28], {%h7, %h6}; ret;)");
  TestMemory memory;
  const std::uint64_t address = memory.allocate(
      std::vector<std::uint16_t>{1, 2, 3, 4, 0x3c00, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_RUNS(text, {}, {}, memory, address);
  EXPECT_EQ(memory.read<std::uint16_t>(address + 16, 8),
            (std::vector<std::uint16_t>{4, 3, 2, 1, 0x4000, 6, 0x3c00, 6}));
  // A vector of four halves must be aligned to 8 bytes.
  const std::uint64_t between = memory.allocate(64, 2);
  expect_failure(run_text(text, {}, {}, memory, between), 716, {"misaligned"});
}

TEST(EmulationHalves, unsupported_variants_are_rejected) {
  TestMemory memory;
  for (const char* statement :
       {"add.rz.f16 %h1, %h2, %h3", "add.f16.f16 %h1, %h2, %h3", "add.ftz.bf16 %h1, %h2, %h3",
        "add.f16 %r1, %h2, %h3", "div.f16 %h1, %h2, %h3", "fma.f16 %h1, %h2, %h3, %h4",
        "fma.rn.sat.bf16 %h1, %h2, %h3, %h4", "fma.rn.f16x2 %h1, %h2, %h3, %h4",
        "sqrt.rn.f16 %h1, %h2", "setp.lt.f16x2 %p1, %r1, %r2", "cvt.f16.f32 %h1, %f1",
        "cvt.rn.f32.f16 %f1, %h1", "cvt.rn.f16x2.f32 %r1, %f1", "cvt.rn.f16x2.f32 %d1, %f1, %f2",
        "cvt.u32.f16 %r1, %h1", "atom.global.add.f16 %h1, [%d1], %h2", "ld.global.f16 %h1, [%d1]",
        "st.global.f16 [%d1], %h1", "ld.shared.v2.f16 {%h1, %h2}, [%r1]"}) {
    const std::string text = kernel_text("", std::string(R"(.reg .pred %p<9>; .reg .b16 %h<9>;
        .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; )") +
                                                 statement + "; ret;");
    expect_failure(run_text(text, {}, {}, memory), 715, {"unsupported instruction", statement});
  }
}

/// Runs a body for a warp. %r1 is the thread's index, %h1 a defined half; %d1 points to 64 halves,
/// %d2 to the thread's. %h2 and all other registers are undefined.
[[nodiscard]] std::optional<Failure> undefined_in(const std::string& body) {
  TestMemory memory;
  const std::uint64_t written = memory.allocate(std::vector<std::uint16_t>(64, 3));
  const std::string text = kernel_text(".param .u64 p", R"(.reg .pred %p<9>; .reg .b16 %h<9>;
      .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .shared .align 4 .b8 s[256];
      ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 2, %d1;
      ld.global.b16 %h1, [%d2];)" + body + " ret;");
  return run_text(text, {.block = {32}}, {.checks_undefined_values = true}, memory, written);
}

TEST(EmulationHalves, halves_computed_from_undefined_values_are_undefined) {
  const auto expect_caught = [](const std::string& body) {
    expect_failure(undefined_in(body), 719, {"use of an uninitialised value"});
  };
  const auto expect_nothing = [](const std::string& body) {
    const auto failure = undefined_in(body);
    EXPECT_FALSE(failure.has_value()) << body << text_of(failure);
  };
  expect_caught("cvt.f32.f16 %f1, %h2; st.global.b32 [%d1], %f1;");
  expect_caught("cvt.rn.f16.f32 %h3, %f2; st.global.b16 [%d2], %h3;");
  // Every bit of the result depends on every bit of the operand.
  expect_caught(
      "and.b16 %h3, %h2, 1; cvt.rn.f16.u16 %h3, %h3; shr.u16 %h3, %h3, 15;"
      "st.global.b16 [%d2], %h3;");
  expect_caught(
      "st.shared.b16 [s], %h1; ld.shared.v2.b16 {%h3, %h4}, [s]; cvt.f32.f16 %f1, %h4;"
      "st.global.b32 [%d1], %f1;");
  expect_nothing(
      "st.shared.b16 [s], %h1; ld.shared.v2.b16 {%h3, %h4}, [s]; cvt.f32.f16 %f1, %h3;"
      "setp.lt.f32 %p1, %f1, 0f00000000; @%p1 bra $end; add.u32 %r1, %r1, 1; $end:");
  expect_nothing(
      "mov.b32 %r2, {%h1, %h2}; cvt.u16.u32 %h3, %r2; cvt.f32.f16 %f1, %h3;"
      "cvt.rn.f16.f32 %h4, %f1; st.global.b16 [%d2], %h4;");
}

TEST(EmulationHalves, accesses_to_adjacent_halves_are_not_a_race) {
  const auto raced = [](const std::string& body) {
    const std::string text = kernel_text("", R"(.reg .b16 %h<9>; .reg .b32 %r<9>;
        .shared .align 4 .b8 s[256]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;
        mad.lo.u32 %r3, %r1, 2, %r2; xor.b32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 2, %r2;
        cvt.rn.f16.u32 %h1, %r1;)" + body + " ret;");
    TestMemory memory;
    return run_text(text, {.block = {64}}, {.quantum = 4, .checks_shared_races = true}, memory);
  };
  const auto failure = raced("st.shared.b16 [%r3], %h1; ld.shared.b16 %h2, [%r3];");
  EXPECT_FALSE(failure.has_value()) << text_of(failure);
  expect_failure(raced("st.shared.b16 [%r3], %h1; ld.shared.b16 %h2, [%r4];"), 719,
                 {"race on shared memory"});
}

}  // namespace
}  // namespace skerry::emulation
