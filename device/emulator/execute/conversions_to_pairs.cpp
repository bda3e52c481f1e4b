// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/halves.hpp"

// Conversions to packed pairs, and to tf32.
namespace skerry::emulation {
namespace {

/// 8-bit floats; a 16-bit register holds two.
struct e4m3 {
  u8 bits;
};
struct e5m2 {
  u8 bits;
};
struct BytePair {
  u8 low;
  u8 high;
};

template <class Byte>
struct byte_format;
template <>
struct byte_format<e4m3> {
  static constexpr std::string_view name = "e4m3x2";
  static constexpr int fraction = 3;
  static constexpr int lowest = -6;
  static constexpr u8 largest = 0x7e;
  static constexpr u8 nan = 0x7f;
};
template <>
struct byte_format<e5m2> {
  static constexpr std::string_view name = "e5m2x2";
  static constexpr int fraction = 2;
  static constexpr int lowest = -14;
  static constexpr u8 largest = 0x7b;
  static constexpr u8 nan = 0x7f;
};

/// Rounds to an 8-bit float, as .satfinite does: values out of range become the largest finite one.
template <class Byte>
[[nodiscard]] u8 byte_of(f64 x) noexcept {
  using format = byte_format<Byte>;
  if (x != x) return format::nan;
  const u32 sign = std::signbit(x) ? 0x80U : 0;
  constexpr int max_exponent = 20;
  const int exponent = x == 0 ? format::lowest
                              : std::clamp(std::isinf(x) ? max_exponent : std::ilogb(x),
                                           format::lowest, max_exponent);
  const f64 scaled = std::ldexp(std::isinf(x) ? 0 : std::fabs(x), format::fraction - exponent);
  const auto units = static_cast<u32>(ToNearest::apply(scaled));
  const u32 bits = (static_cast<u32>(exponent - format::lowest) << format::fraction) + units;
  return static_cast<u8>(
      sign | (exponent == max_exponent ? format::largest : std::min<u32>(bits, format::largest)));
}

template <class Byte>
[[nodiscard]] f64 number_of_byte(u8 x) noexcept {
  using format = byte_format<Byte>;
  const u32 magnitude = x & 0x7fU;
  const f64 sign = (x & 0x80) != 0 ? -1 : 1;
  if (magnitude > format::largest) {
    constexpr bool has_infinity = format::fraction == 2;
    constexpr u32 infinity = format::largest + 1;
    if (has_infinity && magnitude == infinity) return sign * std::numeric_limits<f64>::infinity();
    return std::numeric_limits<f64>::quiet_NaN();
  }
  const auto exponent = static_cast<int>(magnitude >> format::fraction);
  const u32 fraction = magnitude & ((1U << format::fraction) - 1);
  const u32 implicit = exponent == 0 ? 0 : 1U << format::fraction;
  return sign * std::ldexp(implicit + fraction,
                           std::max(exponent, 1) - 1 + format::lowest - format::fraction);
}

template <class Half, class Rounding, RangeLimit Limit, bool Finite>
struct PairOfHalves {
  static Packed<Half> apply(f32 high, f32 low) { return {one_of(low), one_of(high)}; }
  static Half one_of(f32 x) {
    Half half = half_of<Half, Rounding>(limited<Limit>(x));
    constexpr u16 infinity = half_format<Half>::infinity;
    if (Finite && (half.bits & 0x7fffU) == infinity) --half.bits;
    return half;
  }
};

template <class Byte, RangeLimit Limit>
struct PairOfBytes {
  static BytePair apply(f32 high, f32 low) {
    return {byte_of<Byte>(limited<Limit>(low)), byte_of<Byte>(limited<Limit>(high))};
  }
  static BytePair apply(f16x2 a) { return apply(number_of(a.high), number_of(a.low)); }
};

template <class Byte, RangeLimit Limit>
struct HalvesOfBytes {
  static f16x2 apply(BytePair a) { return {one_of(a.low), one_of(a.high)}; }
  static f16 one_of(u8 x) {
    return half_of<f16, ToNearest>(limited<Limit>(number_of_byte<Byte>(x)));
  }
};

template <class Half>
void declare_halves_of_floats(OperationTable& table) {
  const auto declare = [&]<class Rounding, RangeLimit Limit>(std::string_view modifiers) {
    const std::string_view result_type = type<Packed<Half>>::name;
    table.add({"cvt.", modifiers, ".", result_type, ".f32"},
              vector_op<PairOfHalves<Half, Rounding, Limit, false>, Packed<Half>, f32, f32>());
    table.add({"cvt.", modifiers, ".satfinite.", result_type, ".f32"},
              vector_op<PairOfHalves<Half, Rounding, Limit, true>, Packed<Half>, f32, f32>());
  };
  declare.template operator()<ToNearest, RangeLimit::none>("rn");
  declare.template operator()<ToNearest, RangeLimit::relu>("rn.relu");
  declare.template operator()<TowardZero, RangeLimit::none>("rz");
  declare.template operator()<TowardZero, RangeLimit::relu>("rz.relu");
}

template <class Byte>
void declare_bytes(OperationTable& table) {
  const std::string_view name = byte_format<Byte>::name;
  const auto declare = [&]<RangeLimit Limit>(std::string_view relu) {
    table.add({"cvt.rn.satfinite", relu, ".", name, ".f32"},
              vector_op<PairOfBytes<Byte, Limit>, BytePair, f32, f32>());
    table.add({"cvt.rn.satfinite", relu, ".", name, ".f16x2"},
              vector_op<PairOfBytes<Byte, Limit>, BytePair, f16x2>());
    table.add({"cvt.rn", relu, ".f16x2.", name},
              vector_op<HalvesOfBytes<Byte, Limit>, f16x2, BytePair>());
  };
  declare.template operator()<RangeLimit::none>("");
  declare.template operator()<RangeLimit::relu>(".relu");
}

// tf32: float32 whose lowest 13 bits are zero.
constexpr u32 lost_bits = 0x1fff;

enum class TieRule { away, even, never };

template <TieRule Tie, bool Relu>
u32 shortened(f32 x) {
  const u32 bits = std::bit_cast<u32>(x);
  constexpr u32 infinity = 0x7f800000;
  if (x != x) return 0x7fffffff;
  if (Relu && !(x > 0)) return 0;
  if ((bits & infinity) == infinity) return bits;
  const u32 is_odd = bits >> 13 & 1;
  const u32 added = Tie == TieRule::away ? 0x1000U : Tie == TieRule::even ? 0xfffU + is_odd : 0U;
  return (bits + added) & ~lost_bits;
}

}  // namespace

void declare_conversions_to_pairs(OperationTable& table) {
  declare_halves_of_floats<f16>(table);
  declare_halves_of_floats<bf16>(table);
  declare_bytes<e4m3>(table);
  declare_bytes<e5m2>(table);
  table.add({"cvt.rna.tf32.f32"}, vector_op<shortened<TieRule::away, false>, u32, f32>());
  table.add({"cvt.rn.tf32.f32"}, vector_op<shortened<TieRule::even, false>, u32, f32>());
  table.add({"cvt.rn.relu.tf32.f32"}, vector_op<shortened<TieRule::even, true>, u32, f32>());
  table.add({"cvt.rz.tf32.f32"}, vector_op<shortened<TieRule::never, false>, u32, f32>());
  table.add({"cvt.rz.relu.tf32.f32"}, vector_op<shortened<TieRule::never, true>, u32, f32>());
}

}  // namespace skerry::emulation
