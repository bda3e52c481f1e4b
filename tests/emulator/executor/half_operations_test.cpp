// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <functional>
#include <random>

#include "tests/emulator/executor/computed.hpp"
#include "tests/emulator/executor/half_reference.hpp"

// References are computed in long double. Its 64-bit significand represents sums and products of
// float16 exactly, and those of bfloat16 numbers of similar magnitude. Expected results that need
// more bits are literals.

namespace skerry::emulation {
namespace {

using half = std::uint16_t;
using pair = std::uint32_t;
constexpr half nan_bits = 0x7fff;
constexpr auto equal = [](auto a, auto b) { return a == b; };

struct TypeOfHalf {
  const SmallFormat* format;
  std::string name;
};
const std::array<TypeOfHalf, 2> types = {{{&float16, "f16"}, {&bfloat16, "bf16"}}};

struct Modifiers {
  std::string text;
  bool flushes = false;
  bool saturates = false;
  bool clamps = false;
};
const Modifiers none{};
const std::array<Modifiers, 6> of_fma = {{{""},
                                          {".ftz", true},
                                          {".sat", false, true},
                                          {".ftz.sat", true, true},
                                          {".relu", false, false, true},
                                          {".ftz.relu", true, false, true}}};

[[nodiscard]] half flushed(half bits, const SmallFormat& format) {
  const std::uint32_t smallest_normal = &format == &float16 ? 0x400 : 0x80;
  return (bits & 0x7fff) < smallest_normal ? bits & 0x8000 : bits;
}

/// Returns special values and numbers of similar magnitude, whose exact results fit long double.
[[nodiscard]] std::vector<half> operands_of(const SmallFormat& format, unsigned seed,
                                            std::size_t count) {
  const bool is_wide = &format == &bfloat16;
  std::mt19937 random(seed);
  std::vector<half> values = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                              0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfd55, 0x3c01, 0x3bff};
  if (is_wide) {
    values = {0,      0x8000, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x7f80, 0xff80,
              0x7fc1, 0xffa5, 0x4300, 0x3c80, 0xc37f, 0x3f00, 0x40a0, 0xbe80};
  }
  while (values.size() < count) {
    const std::uint32_t exponent = is_wide ? 114 + random() % 27 : random() % 31;
    const std::uint32_t fraction = random() % (is_wide ? 128 : 1024);
    values.push_back(
        static_cast<half>((random() & 0x8000) | exponent << (is_wide ? 7 : 10) | fraction));
  }
  return values;
}

/// Returns the correctly rounded result of `exact`, with modifiers applied.
template <class Exact, class... A>
[[nodiscard]] half expected(const SmallFormat& format, const Modifiers& modifiers, Exact&& exact,
                            A... operands) {
  const auto number = [&](half bits) {
    return static_cast<long double>(
        format.value_of(modifiers.flushes ? flushed(bits, format) : bits));
  };
  long double result = exact(number(operands)...);
  if (modifiers.saturates) {
    result = std::isnan(result) ? 0.0L : std::clamp(result, 0.0L, 1.0L);
    if (result == 0) result = 0.0L;
  }
  if (modifiers.clamps && !std::isnan(result) && result <= 0) result = 0.0L;
  if (std::isnan(result)) return nan_bits;
  const auto bits = static_cast<half>(format.rounded(result, Rounding::nearest));
  return modifiers.flushes ? flushed(bits, format) : bits;
}

/// Checks an operation on halves and on registers that hold two halves.
template <class... A, class Reference>
void check(const std::string& opcode, const std::string& type, Reference&& reference,
           const A&... operands) {
  expect_computes_like<half>(opcode + "." + type, reference, equal, operands...);
  const auto doubled = [](const std::vector<half>& values) {
    std::vector<pair> pairs;
    for (std::size_t k = 0; k < values.size(); ++k) {
      pairs.push_back(pair{values[(k * 7 + 3) % values.size()]} << 16 | values[k]);
    }
    return pairs;
  };
  const auto of_pairs = [&](auto... both) {
    const auto low = reference(static_cast<half>(both)...);
    const auto high = reference(static_cast<half>(both >> 16)...);
    return pair{high} << 16 | low;
  };
  expect_computes_like<pair>(opcode + "." + type + "x2", of_pairs, equal, doubled(operands)...);
}

template <class Exact>
void check_binary(const std::string& opcode, Exact&& exact) {
  for (const auto& [format, name] : types) {
    const auto [a, b] = pairs_of(operands_of(*format, 1, 150));
    for (const Modifiers& modifiers : of_fma) {
      if (modifiers.clamps || (name == "bf16" && !modifiers.text.empty())) continue;
      const auto reference = [&](half x, half y) {
        return expected(*format, modifiers, exact, x, y);
      };
      for (const std::string rounding : {"", ".rn"}) {
        check(opcode + rounding + modifiers.text, name, reference, a, b);
      }
    }
  }
}

TEST(EmulationHalfArithmetic, sums_are_rounded_once) {
  check_binary("add", std::plus<>{});
  check_binary("sub", std::minus<>{});
}

TEST(EmulationHalfArithmetic, products_are_rounded_once) {
  check_binary("mul", std::multiplies<>{});
}

TEST(EmulationHalfArithmetic, sums_of_products_are_rounded_once) {
  for (const auto& [format, name] : types) {
    std::vector<half> a = operands_of(*format, 2, 2000);
    std::vector<half> b = operands_of(*format, 3, 2000);
    std::vector<half> c = operands_of(*format, 4, 2000);
    const std::size_t edges = 16;
    for (std::size_t k = 0; k < edges * edges * edges; ++k) {
      a.push_back(a[k % edges]);
      b.push_back(b[k / edges % edges]);
      c.push_back(c[k / edges / edges]);
    }
    for (const Modifiers& modifiers : of_fma) {
      if (name == "bf16" && (modifiers.flushes || modifiers.saturates)) continue;
      const auto exact = [](long double x, long double y, long double z) { return x * y + z; };
      check(
          "fma.rn" + modifiers.text, name,
          [&](half x, half y, half z) { return expected(*format, modifiers, exact, x, y, z); }, a,
          b, c);
    }
  }
}

/// Adds the smallest half, its negative and zero to products halfway between two halves. In float64
/// the smallest half would be lost. Expected values were computed with exact fractions.
TEST(EmulationHalfArithmetic, the_smallest_addend_decides_a_tie) {
  struct Products {
    std::string type;
    std::vector<half> a;
    std::vector<half> b;
    std::vector<half> sums;
  };
  const std::array<Products, 2> all = {
      {{"bf16",
        {0x3ff8, 0x3ff8, 0x3ff8, 0x3fb6, 0x3fb6, 0x3fb6, 0x3fc0, 0x3fc0, 0x3fc0},
        {0x3ff0, 0x3ff0, 0x3ff0, 0x3fc0, 0x3fc0, 0x3fc0, 0x3fb2, 0x3fb2, 0x3fb2},
        {0x4069, 0x4068, 0x4068, 0x4009, 0x4008, 0x4008, 0x4006, 0x4005, 0x4006}},
       {"f16",
        {0x3df0, 0x3df0, 0x3df0, 0x3cc0, 0x3cc0, 0x3cc0, 0x3c28, 0x3c28, 0x3c28},
        {0x3f40, 0x3f40, 0x3f40, 0x3d08, 0x3d08, 0x3d08, 0x3cc0, 0x3cc0, 0x3cc0},
        {0x4162, 0x4161, 0x4162, 0x3dfa, 0x3df9, 0x3dfa, 0x3cf0, 0x3cef, 0x3cf0}}}};
  for (const Products& one : all) {
    std::vector<half> c;
    while (c.size() < one.a.size()) c.insert(c.end(), {0x0001, 0x8001, 0x0000});
    EXPECT_EQ((computed<half>("fma.rn." + one.type, false, one.a, one.b, c)), one.sums);
    std::vector<half> negative = one.a;
    std::vector<half> sums = one.sums;
    for (std::size_t k = 0; k < c.size(); ++k) {
      negative[k] ^= 0x8000;
      sums[k] ^= 0x8000;
      c[k] ^= c[k] == 0 ? 0 : 0x8000;
    }
    EXPECT_EQ((computed<half>("fma.rn." + one.type, false, negative, one.b, c)), sums);
  }
}

TEST(EmulationHalfArithmetic, abs_and_neg_change_the_sign_of_every_number) {
  const std::vector<half> all = every_half();
  for (const auto& [format, name] : types) {
    check("neg", name, [](half x) { return static_cast<half>(x ^ 0x8000); }, all);
    check("abs", name, [](half x) { return static_cast<half>(x & 0x7fff); }, all);
  }
  check(
      "neg.ftz", "f16", [](half x) { return static_cast<half>(flushed(x, float16) ^ 0x8000); },
      all);
  check(
      "abs.ftz", "f16", [](half x) { return static_cast<half>(flushed(x, float16) & 0x7fff); },
      all);
}

/// PTX ISA, min and max: -0 is less than +0, and NaN is ignored except with .NaN.
[[nodiscard]] long double extremum(long double a, long double b, bool wants_larger,
                                   bool wants_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (wants_nan || (std::isnan(a) && std::isnan(b))) return std::nanl("");
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == wants_larger ? b : a;
  return (a < b) == wants_larger ? b : a;
}

TEST(EmulationHalfArithmetic, min_and_max_follow_the_manual) {
  for (const auto& [format, name] : types) {
    const auto [a, b] = pairs_of(operands_of(*format, 5, 80));
    for (const bool wants_larger : {false, true}) {
      for (const bool wants_nan : {false, true}) {
        for (const Modifiers& modifiers : {none, Modifiers{".ftz", true}}) {
          if (modifiers.flushes && name == "bf16") continue;
          const std::string opcode =
              (wants_larger ? "max" : "min") + modifiers.text + (wants_nan ? ".NaN" : "");
          const auto exact = [&](long double x, long double y) {
            return extremum(x, y, wants_larger, wants_nan);
          };
          const auto with_sign = [&](long double x, long double y) {
            const long double magnitude = exact(std::fabs(x), std::fabs(y));
            return std::signbit(x) != std::signbit(y) ? -magnitude : magnitude;
          };
          check(
              opcode, name,
              [&](half x, half y) { return expected(*format, modifiers, exact, x, y); }, a, b);
          check(
              opcode + ".xorsign.abs", name,
              [&](half x, half y) { return expected(*format, modifiers, with_sign, x, y); }, a, b);
        }
      }
    }
  }
}

TEST(EmulationHalfArithmetic, approximations_are_accurate) {
  // Within one unit in the last place.
  const auto is_near = [](half actual, half reference) {
    return actual == reference || std::abs(int{actual} - int{reference}) <= 1;
  };
  const std::vector<half> all = every_half();
  for (const auto& [format, name] : types) {
    const bool flushes = name == "bf16";
    const Modifiers modifiers{"", flushes};
    const auto power = [](long double x) { return std::exp2(x); };
    const auto tangent = [](long double x) { return std::tanh(x); };
    expect_computes_like<half>(
        std::string("ex2.approx") + (flushes ? ".ftz." : ".") + name,
        [&](half x) { return expected(*format, modifiers, power, x); }, is_near, all);
    expect_computes_like<half>(
        "tanh.approx." + name, [&](half x) { return expected(*format, none, tangent, x); }, is_near,
        all);
  }
}

}  // namespace
}  // namespace skerry::emulation
