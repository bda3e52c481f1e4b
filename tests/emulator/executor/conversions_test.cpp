// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/emulator/executor/computed.hpp"

namespace skerry::emulation {
namespace {

constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto equal_or_nan = [](auto a, auto b) { return a == b || (a != a && b != b); };

/// PTX ISA, cvt: converts an integral value to D with saturation.
template <class D, class S>
[[nodiscard]] D saturated(S integral) {
  const bool has_64_bits = sizeof(D) == 8 || sizeof(S) == 8;
  if (integral != integral) {
    return has_64_bits ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
  }
  const auto value = static_cast<long double>(integral);
  const auto lowest = static_cast<long double>(std::numeric_limits<D>::min());
  const auto highest = static_cast<long double>(std::numeric_limits<D>::max());
  return static_cast<D>(std::fmin(std::fmax(value, lowest), highest));
}

template <class D, class S>
void check_to_integer(const std::string& destination_type, const std::string& source_type) {
  const std::vector<S> x = float_edges<S>();
  const std::string types = "." + destination_type + "." + source_type;
  const auto check = [&](const char* mode, S (*round)(S)) {
    expect_computes_like<D>(
        "cvt." + std::string(mode) + types, [&](S a) { return saturated<D>(round(a)); }, equal, x);
  };
  check("rni", [](S a) { return std::nearbyint(a); });
  check("rzi", [](S a) { return std::trunc(a); });
  check("rmi", [](S a) { return std::floor(a); });
  check("rpi", [](S a) { return std::ceil(a); });
}

template <class S>
void check_to_integers(const std::string& source_type) {
  check_to_integer<std::uint16_t, S>("u16", source_type);
  check_to_integer<std::int16_t, S>("s16", source_type);
  check_to_integer<std::uint32_t, S>("u32", source_type);
  check_to_integer<std::int32_t, S>("s32", source_type);
  check_to_integer<std::uint64_t, S>("u64", source_type);
  check_to_integer<std::int64_t, S>("s64", source_type);
}

TEST(EmulationConversions, floats_are_converted_to_integers_with_saturation) {
  check_to_integers<float>("f32");
  check_to_integers<double>("f64");
}

template <class D, class S>
void check_integers(const std::string& destination_type, const std::string& source_type) {
  expect_computes_like<D>(
      "cvt." + destination_type + "." + source_type, [](S a) { return static_cast<D>(a); }, equal,
      integer_edges<S>());
}

TEST(EmulationConversions, integers_are_truncated_or_extended) {
  check_integers<std::int64_t, std::int32_t>("s64", "s32");
  check_integers<std::uint64_t, std::uint32_t>("u64", "u32");
  check_integers<std::int64_t, std::uint32_t>("s64", "u32");
  check_integers<std::uint32_t, std::uint64_t>("u32", "u64");
  check_integers<std::int32_t, std::int16_t>("s32", "s16");
  check_integers<std::uint16_t, std::int64_t>("u16", "s64");
  expect_computes_like<std::int16_t>(
      "cvt.sat.s16.s32",
      [](std::int32_t a) { return static_cast<std::int16_t>(std::clamp(a, -32768, 32767)); }, equal,
      integer_edges<std::int32_t>());
  expect_computes_like<std::uint16_t>(
      "cvt.sat.u16.s64",
      [](std::int64_t a) {
        return static_cast<std::uint16_t>(std::clamp<std::int64_t>(a, 0, 65535));
      },
      equal, integer_edges<std::int64_t>());
}

TEST(EmulationConversions, bytes_are_converted_in_wider_registers) {
  const std::vector<std::uint32_t> wide{0x12345680, 0x7f, 0xffffffff};
  EXPECT_EQ(computed<std::uint32_t>("cvt.s32.s8", false, wide),
            (std::vector<std::uint32_t>{0xffffff80, 0x7f, 0xffffffff}));
  EXPECT_EQ(computed<std::uint32_t>("cvt.u32.u8", false, wide),
            (std::vector<std::uint32_t>{0x80, 0x7f, 0xff}));
  EXPECT_EQ(computed<std::uint16_t>("cvt.u8.u32", false, wide),
            (std::vector<std::uint16_t>{0x80, 0x7f, 0xff}));
  EXPECT_EQ(computed<std::uint16_t>("cvt.s8.s32", true, wide),
            (std::vector<std::uint16_t>{0, 0x7f, 0}));
}

template <class D, class S>
void check_to_float(const std::string& destination_type, const std::string& source_type) {
  const std::vector<S> x = integer_edges<S>();
  const auto check = [&](const char* mode, int rounding) {
    expect_computes_like<D>(
        "cvt." + std::string(mode) + "." + destination_type + "." + source_type,
        [&](S a) {
          std::fesetround(rounding);
          volatile S operand = a;
          const volatile D result = static_cast<D>(operand);
          std::fesetround(FE_TONEAREST);
          return result;
        },
        equal, x);
  };
  check("rn", FE_TONEAREST);
  check("rz", FE_TOWARDZERO);
  check("rm", FE_DOWNWARD);
  check("rp", FE_UPWARD);
}

TEST(EmulationConversions, integers_are_rounded_to_floats) {
  check_to_float<float, std::int32_t>("f32", "s32");
  check_to_float<float, std::uint64_t>("f32", "u64");
  check_to_float<float, std::int64_t>("f32", "s64");
  check_to_float<double, std::int64_t>("f64", "s64");
  check_to_float<double, std::uint64_t>("f64", "u64");
  check_to_float<double, std::int16_t>("f64", "s16");
}

TEST(EmulationConversions, floats_are_rounded_to_floats) {
  const std::vector<float> x = float_edges<float>();
  const std::vector<double> y = float_edges<double>();
  expect_computes_like<double>(
      "cvt.f64.f32", [](float a) { return static_cast<double>(a); }, equal_or_nan, x);
  expect_computes_like<float>(
      "cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); }, equal_or_nan, y);
  expect_computes_like<float>(
      "cvt.rmi.f32.f32", [](float a) { return std::floor(a); }, equal_or_nan, x);
  expect_computes_like<double>(
      "cvt.rzi.f64.f64", [](double a) { return std::trunc(a); }, equal_or_nan, y);
  expect_computes_like<float>(
      "cvt.sat.f32.f32", [](float a) { return a > 0 ? std::fmin(a, 1.0F) : 0.0F; },
      [](float a, float b) { return a == b; }, x);
}

TEST(EmulationConversions, moves_pack_and_unpack_vectors) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(64);
  EXPECT_RUNS(kernel_text(".param .u64 p", R"(.reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
      .reg .b128 %q;
      mov.b64 %d1, 0x0123456789abcdef; mov.b64 {%r1, %r2}, %d1; mov.b64 %d2, {%r2, %r1};
      mov.b32 {%h1, _}, %r1; mov.b32 {_, %h2}, %r1; mov.b32 %r3, {%h2, %h1};
      mov.b128 %q, {%d1, %d2}; mov.b128 {%d3, %d4}, %q;
      ld.param.u64 %d8, [p]; st.global.v2.u32 [%d8], {%r1, %r2}; st.global.u64 [%d8+8], %d2;
      st.global.u32 [%d8+16], %r3; st.global.b128 [%d8+32], %q; st.global.u64 [%d8+48], %d4; ret;)"),
              {}, {}, memory, destination);
  EXPECT_EQ(memory.read<std::uint64_t>(destination, 2),
            (std::vector<std::uint64_t>{0x0123456789abcdef, 0x89abcdef01234567}));
  EXPECT_EQ(memory.read<std::uint32_t>(destination + 16, 1)[0], 0xcdef89abU);
  EXPECT_EQ(
      memory.read<std::uint64_t>(destination + 32, 3),
      (std::vector<std::uint64_t>{0x0123456789abcdef, 0x89abcdef01234567, 0x89abcdef01234567}));
}

}  // namespace
}  // namespace skerry::emulation
