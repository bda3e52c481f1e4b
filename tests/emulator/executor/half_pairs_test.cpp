// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "tests/emulator/executor/computed.hpp"
#include "tests/emulator/executor/half_reference.hpp"

// Conversions of bfloat16, of pairs and of 8-bit formats, and comparisons.

namespace skerry::emulation {
namespace {

using half = std::uint16_t;
using pair = std::uint32_t;
constexpr half nan_bits = 0x7fff;
constexpr auto equal = [](auto a, auto b) { return a == b; };

struct NamedRounding {
  Rounding rounding;
  std::string name;
  std::string integral;
};
const std::array<NamedRounding, 4> roundings = {{
    {Rounding::nearest, "rn", "rni"},
    {Rounding::toward_zero, "rz", "rzi"},
    {Rounding::downward, "rm", "rmi"},
    {Rounding::upward, "rp", "rpi"},
}};

[[nodiscard]] half rounded(const SmallFormat& format, long double x,
                           Rounding rounding = Rounding::nearest) {
  return std::isnan(x) ? nan_bits : static_cast<half>(format.rounded(x, rounding));
}

/// Returns every 13th number of both formats, the midpoint between it and the next number, and the
/// next numbers of T on both sides of these.
template <class T>
[[nodiscard]] std::vector<T> narrowed_values() {
  const T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values = float_edges<T>();
  for (const SmallFormat* format : {&float16, &bfloat16}) {
    for (std::uint32_t bits = 0; bits < format->largest(); bits += 13) {
      const auto exact = static_cast<T>(format->value_of(bits));
      const auto next = static_cast<T>(format->value_of(bits + 1));
      const T middle = exact + (next - exact) / 2;
      for (const T center : {exact, middle}) {
        for (const T one : {std::nextafter(center, -inf), center, std::nextafter(center, inf)}) {
          values.insert(values.end(), {one, -one});
        }
      }
    }
  }
  return values;
}

template <class T>
void check_narrowing(const std::string& source_type, const std::vector<T>& values) {
  for (const auto& [rounding, name, integral] : roundings) {
    expect_computes_like<half>(
        "cvt." + name + ".bf16." + source_type,
        [&](T x) { return rounded(bfloat16, static_cast<long double>(x), rounding); }, equal,
        values);
  }
}

TEST(EmulationBfloats, floats_are_rounded_to_bfloat16) {
  check_narrowing("f32", narrowed_values<float>());
  check_narrowing("f64", narrowed_values<double>());
  const std::vector<float> values = narrowed_values<float>();
  expect_computes_like<half>(
      "cvt.rn.relu.bf16.f32",
      [](float x) { return rounded(bfloat16, x <= 0 ? 0.0L : static_cast<long double>(x)); }, equal,
      values);
}

template <class T>
void check_from_integers(const std::string& source_type) {
  std::vector<T> values = integer_edges<T>();
  // Midpoints between two numbers, and one less or more, with every number of bits.
  for (int bits = 9; bits < static_cast<int>(8 * sizeof(T)) - 1; ++bits) {
    for (const int added : {-1, 0, 1}) {
      const auto tie = (std::uint64_t{1} << bits) + (std::uint64_t{1} << (bits - 8));
      const auto odd = tie + (std::uint64_t{1} << (bits - 7));
      for (const std::uint64_t one : {tie, odd}) {
        values.push_back(static_cast<T>(one + static_cast<std::uint64_t>(added)));
        if (std::is_signed_v<T>) values.push_back(static_cast<T>(0 - one));
      }
    }
  }
  check_narrowing(source_type, values);
}

TEST(EmulationBfloats, integers_are_rounded_to_bfloat16_once) {
  check_from_integers<std::uint16_t>("u16");
  check_from_integers<std::int16_t>("s16");
  check_from_integers<std::uint32_t>("u32");
  check_from_integers<std::int32_t>("s32");
  check_from_integers<std::uint64_t>("u64");
  check_from_integers<std::int64_t>("s64");
}

TEST(EmulationBfloats, every_bfloat16_is_converted_to_other_floats) {
  const std::vector<half> all = every_half();
  expect_computes_like<std::uint32_t>(
      "cvt.f32.bf16",
      [](half x) {
        return std::isnan(bfloat16.value_of(x)) ? 0x7fffffffU : std::uint32_t{x} << 16;
      },
      equal, all);
  expect_computes_like<half>(
      "cvt.rn.f16.bf16", [](half x) { return rounded(float16, bfloat16.value_of(x)); }, equal, all);
  expect_computes_like<half>(
      "cvt.rn.bf16.f16", [](half x) { return rounded(bfloat16, float16.value_of(x)); }, equal, all);
}

[[nodiscard]] double integral(double x, Rounding rounding) {
  if (rounding == Rounding::nearest) return std::nearbyint(x);
  if (rounding == Rounding::toward_zero) return std::trunc(x);
  return rounding == Rounding::downward ? std::floor(x) : std::ceil(x);
}

TEST(EmulationBfloats, bfloat16_is_converted_to_integers_with_saturation) {
  const std::vector<half> all = every_half();
  for (const auto& [rounding, name, integral_name] : roundings) {
    expect_computes_like<std::int32_t>(
        "cvt." + integral_name + ".s32.bf16",
        [&](half bits) {
          const double x = integral(bfloat16.value_of(bits), rounding);
          if (std::isnan(x)) return 0;
          return static_cast<std::int32_t>(std::clamp(x, -0x1p31, 0x1p31 - 1));
        },
        equal, all);
    for (const SmallFormat* format : {&float16, &bfloat16}) {
      const std::string type = format == &float16 ? "f16" : "bf16";
      expect_computes_like<half>(
          "cvt." + integral_name + "." + type + "." + type,
          [&](half bits) { return rounded(*format, integral(format->value_of(bits), rounding)); },
          equal, all);
    }
  }
}

TEST(EmulationPairs, two_floats_are_converted_to_a_pair_of_halves) {
  const std::vector<float> low = narrowed_values<float>();
  std::vector<float> high = low;
  std::ranges::reverse(high);
  for (const SmallFormat* format : {&float16, &bfloat16}) {
    const std::string type_suffix = format == &float16 ? ".f16x2.f32" : ".bf16x2.f32";
    for (const bool is_nearest : {true, false}) {
      const Rounding rounding = is_nearest ? Rounding::nearest : Rounding::toward_zero;
      for (const bool clamps : {false, true}) {
        for (const bool is_finite : {false, true}) {
          const auto one = [&](float x) {
            const half rounded_bits =
                rounded(*format, clamps && x <= 0 ? 0.0L : static_cast<long double>(x), rounding);
            const bool has_overflow = (rounded_bits & 0x7fffU) == format->largest() + 1;
            return static_cast<half>(is_finite && has_overflow ? rounded_bits - 1 : rounded_bits);
          };
          expect_computes_like<pair>(
              std::string(is_nearest ? "cvt.rn" : "cvt.rz") + (clamps ? ".relu" : "") +
                  (is_finite ? ".satfinite" : "") + type_suffix,
              [&](float first, float second) { return pair{one(first)} << 16 | one(second); },
              equal, high, low);
        }
      }
    }
  }
}

/// e4m3 has no infinity, and 0x7f is NaN; e5m2 is the upper byte of a float16.
constexpr SmallFormat e4m3(4, 3, 0x7e);
constexpr SmallFormat e5m2(5, 2, 0x7b);

TEST(EmulationPairs, eight_bit_formats_are_rounded_and_widened) {
  for (const SmallFormat* format : {&e4m3, &e5m2}) {
    const std::string name = format == &e4m3 ? "e4m3x2" : "e5m2x2";
    std::vector<float> values = float_edges<float>();
    for (std::uint32_t bits = 0; bits < format->largest(); ++bits) {
      const auto exact = static_cast<float>(format->value_of(bits));
      const float middle = (exact + static_cast<float>(format->value_of(bits + 1))) / 2;
      for (const float center : {exact, middle}) {
        for (const float one :
             {std::nextafter(center, -1e9F), center, std::nextafter(center, 1e9F)}) {
          values.insert(values.end(), {one, -one});
        }
      }
    }
    std::vector<float> reversed_values = values;
    std::ranges::reverse(reversed_values);
    const auto one = [&](float x) -> std::uint32_t {
      if (std::isnan(x)) return 0x7f;
      const std::uint32_t bits = format->rounded(x, Rounding::nearest);
      return (bits & 0x7f) > format->largest() ? (bits & 0x80) | format->largest() : bits;
    };
    expect_computes_like<half>(
        "cvt.rn.satfinite." + name + ".f32",
        [&](float high, float low) { return one(high) << 8 | one(low); }, equal, reversed_values,
        values);
    expect_computes_like<pair>(
        "cvt.rn.f16x2." + name,
        [&](half both) {
          const auto wide = [&](std::uint32_t bits) {
            return rounded(float16, format->value_of(bits));
          };
          return pair{wide(both >> 8)} << 16 | wide(both & 0xff);
        },
        equal, every_half());
  }
}

TEST(EmulationPairs, tf32_has_ten_fraction_bits) {
  const std::vector<std::uint32_t> bits{0x3f800000, 0x3f800fff, 0x3f801000, 0x3f803000, 0xbf801001,
                                        0x7f800000, 0xffc00001, 0x7f7fffff, 0x00001000, 0x80000fff};
  const auto opcode = [&](const std::string& name) {
    return computed<std::uint32_t>("cvt." + name + ".tf32.f32", false, bits);
  };
  EXPECT_EQ(opcode("rna"), (std::vector<std::uint32_t>{
                               0x3f800000, 0x3f800000, 0x3f802000, 0x3f804000, 0xbf802000,
                               0x7f800000, 0x7fffffff, 0x7f800000, 0x00002000, 0x80000000}));
  EXPECT_EQ(opcode("rn"), (std::vector<std::uint32_t>{
                              0x3f800000, 0x3f800000, 0x3f800000, 0x3f804000, 0xbf802000,
                              0x7f800000, 0x7fffffff, 0x7f800000, 0x00000000, 0x80000000}));
  EXPECT_EQ(opcode("rz.relu"),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f800000, 0x3f800000, 0x3f802000, 0,
                                        0x7f800000, 0x7fffffff, 0x7f7fe000, 0x00000000, 0}));
}

struct NamedComparison {
  std::string name;
  bool (*holds)(double, double);
};
const std::array<NamedComparison, 14> comparisons = {{
    {"eq", [](double a, double b) { return a == b; }},
    {"ne", [](double a, double b) { return a < b || a > b; }},
    {"lt", [](double a, double b) { return a < b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"gt", [](double a, double b) { return a > b; }},
    {"ge", [](double a, double b) { return a >= b; }},
    {"equ", [](double a, double b) { return !(a < b || a > b); }},
    {"neu", [](double a, double b) { return a != b; }},
    {"ltu", [](double a, double b) { return !(a >= b); }},
    {"leu", [](double a, double b) { return !(a > b); }},
    {"gtu", [](double a, double b) { return !(a <= b); }},
    {"geu", [](double a, double b) { return !(a < b); }},
    {"nan", [](double a, double b) { return std::isnan(a) || std::isnan(b); }},
    {"num", [](double a, double b) { return !std::isnan(a) && !std::isnan(b); }},
}};

TEST(EmulationComparisons, set_compares_halves_and_pairs) {
  const auto [a, b] = pairs_of(std::vector<half>{0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x3f80,
                                                 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0x7fc0});
  std::vector<pair> first;
  std::vector<pair> second;
  for (std::size_t k = 0; k < a.size(); ++k) {
    first.push_back(pair{a[a.size() - 1 - k]} << 16 | a[k]);
    second.push_back(pair{b[b.size() - 1 - k]} << 16 | b[k]);
  }
  for (const SmallFormat* format : {&float16, &bfloat16}) {
    const std::string type = format == &float16 ? "f16" : "bf16";
    const half one = format == &float16 ? 0x3c00 : 0x3f80;
    for (const auto& [name, holds] : comparisons) {
      const auto is_so = [&](std::uint32_t x, std::uint32_t y) {
        return holds(format->value_of(x & 0xffff), format->value_of(y & 0xffff));
      };
      expect_computes_like<half>(
          "set." + name + "." + type + "." + type,
          [&](half x, half y) { return is_so(x, y) ? one : half{0}; }, equal, a, b);
      expect_computes_like<pair>(
          "set." + name + ".u32." + type,
          [&](half x, half y) { return is_so(x, y) ? ~pair{0} : pair{0}; }, equal, a, b);
      const auto both = [&](pair x, pair y, half value) {
        return pair{is_so(x >> 16, y >> 16) ? value : half{0}} << 16 |
               pair{is_so(x, y) ? value : half{0}};
      };
      expect_computes_like<pair>(
          "set." + name + "." + type + "x2." + type + "x2",
          [&](pair x, pair y) { return both(x, y, one); }, equal, first, second);
      expect_computes_like<pair>(
          "set." + name + ".u32." + type + "x2", [&](pair x, pair y) { return both(x, y, 0xffff); },
          equal, first, second);
    }
  }
  // Subnormal, so zero with .ftz.
  EXPECT_EQ((computed<pair>("set.gt.u32.f16", false, std::vector<half>{1}, std::vector<half>{0})),
            std::vector<pair>{~pair{0}});
  EXPECT_EQ(
      (computed<pair>("set.gt.ftz.u32.f16", false, std::vector<half>{1}, std::vector<half>{0})),
      std::vector<pair>{0});
}

TEST(EmulationComparisons, setp_sets_a_predicate_for_each_half_of_a_pair) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d1; ld.param.u64 %d1, [p];
      mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x40003c00;
      setp.lt.f16x2 %p1|%p2, %r1, %r2; selp.b32 %r3, 1, 0, %p1; selp.b32 %r4, 1, 0, %p2;
      setp.lt.or.f16x2 %p3|%p4, %r1, %r2, %p2; selp.b32 %r5, 1, 0, %p3;
      selp.b32 %r6, 1, 0, %p4; setp.lt.and.f16x2 %p3|%p4, %r1, %r2, !%p2;
      selp.b32 %r7, 1, 0, %p4; st.global.v4.b32 [%d1], {%r3, %r4, %r5, %r6};
      st.global.b32 [%d1+16], %r7; ret;)");
  TestMemory memory;
  const std::uint64_t address = memory.allocate(32);
  EXPECT_RUNS(text, {}, {}, memory, address);
  EXPECT_EQ(memory.read<std::uint32_t>(address, 5), (std::vector<std::uint32_t>{0, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace skerry::emulation
