// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/execute/conversions.hpp"

// Operands are converted to wider types, and results are rounded once. The implementation is
// independent of skerry's own halves, so that tests that compare the two find errors in either.

namespace skerry::emulation {

template <class Half>
struct half_format;
template <>
struct half_format<f16> {
  static constexpr int fraction = 10;           ///< bits
  static constexpr int lowest = -14;            ///< smallest exponent of a normal number
  static constexpr int overflow_exponent = 16;  ///< the smallest exponent that overflows
  static constexpr u16 infinity = 0x7c00;
};
template <>
struct half_format<bf16> {
  static constexpr int fraction = 7;
  static constexpr int lowest = -126;
  static constexpr int overflow_exponent = 128;
  static constexpr u16 infinity = 0x7f80;
};
/// Result of arithmetic and conversions for any NaN (PTX ISA).
inline constexpr u16 half_nan = 0x7fff;

/// Converts a half to float32, and any NaN to the canonical NaN. Returns wider types unchanged.
[[nodiscard]] inline f32 number_of(f16 x) noexcept {
  const u32 sign = u32{x.bits} >> 15 << 31;
  const u32 magnitude = x.bits & 0x7fffU;
  if (magnitude > 0x7c00U) return canonical(std::numeric_limits<f32>::quiet_NaN());
  // Aligns the exponent fields; the biases differ by 112.
  const f32 scaled = std::bit_cast<f32>(magnitude << 13) * 0x1p112F;
  const u32 bits = magnitude == 0x7c00U ? 0x7f800000U : std::bit_cast<u32>(scaled);
  return std::bit_cast<f32>(sign | bits);
}
[[nodiscard]] inline f32 number_of(bf16 x) noexcept {
  return canonical(std::bit_cast<f32>(u32{x.bits} << 16));
}
template <class T>
[[nodiscard]] T number_of(T x) noexcept {
  return x;
}

/// .ftz: flushes subnormal numbers to zero, preserving the sign.
template <bool Ftz, class Half>
[[nodiscard]] Half flushed_half(Half x) noexcept {
  const bool is_subnormal = (x.bits & half_format<Half>::infinity) == 0;
  return Ftz && is_subnormal ? Half{static_cast<u16>(x.bits & 0x8000U)} : x;
}

/// Converts x to a Half with the given rounding.
template <class Half, class Rounding>
[[nodiscard]] Half half_of(f64 x) noexcept {
  using format = half_format<Half>;
  constexpr u32 infinity = format::infinity;
  if (x != x) return {half_nan};
  const u32 sign = std::signbit(x) ? 0x8000U : 0;
  if (std::isinf(x)) return {static_cast<u16>(sign | infinity)};
  constexpr int bias = 1023;
  const u64 bits = std::bit_cast<u64>(x);
  const int exponent = std::clamp(static_cast<int>(bits >> 52 & 0x7ff) - bias, format::lowest,
                                  format::overflow_exponent);
  if (exponent == format::overflow_exponent) {
    const bool is_outward = Rounding::apply(std::copysign(0.75, x)) != 0;
    return {static_cast<u16>(sign | (is_outward ? infinity : infinity - 1))};
  }
  // Round to units in the last place. Subnormals have fewer than 2^fraction units. A value that
  // rounds up to 2^(fraction + 1) units carries into the exponent in the sum below, up to infinity.
  const auto power = static_cast<u64>(bias + format::fraction - exponent);
  const f64 scaled = x * std::bit_cast<f64>(power << 52);
  const auto units = static_cast<u32>(std::fabs(Rounding::apply(scaled)));
  const auto steps = static_cast<u32>(exponent - format::lowest) << format::fraction;
  return {static_cast<u16>(sign | (steps + units))};
}

/// Converts an integer to float64. If bits are lost, the lowest bit is set (rounding to odd), so
/// that a later rounding to fewer bits is correct.
template <class S>
[[nodiscard]] f64 widened(S a) noexcept {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
    constexpr u64 lost = 0x7ff;
    const bool is_negative = a < 0;
    u64 magnitude = is_negative ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a);
    if (magnitude >> 53 != 0) {
      magnitude = (magnitude & ~lost) | ((magnitude & lost) != 0 ? lost + 1 : 0);
    }
    const auto number = static_cast<f64>(magnitude);
    return is_negative ? -number : number;
  } else {
    return static_cast<f64>(a);
  }
}

/// Returns a * b + c of halves in float64. The product is exact; if the sum is not, its lowest bit
/// is set (rounding to odd), so that a later rounding to a half is correct.
[[nodiscard]] inline f64 fused_halves(f64 a, f64 b, f64 c) noexcept {
  const f64 product = a * b;
  const f64 sum = product + c;
  const f64 moved = sum - product;
  const f64 rest = (product - (sum - moved)) + (c - moved);
  const u64 bits = std::bit_cast<u64>(sum);
  const bool is_finite = std::fabs(sum) <= std::numeric_limits<f64>::max();
  if (!is_finite || rest == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<f64>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// How modifiers limit the range of a result.
enum class RangeLimit : std::uint8_t { none, saturated, relu };

/// .sat: clamps to [0, 1]; NaN becomes 0. .relu: negative numbers become 0; NaN stays NaN.
template <RangeLimit Limit>
[[nodiscard]] f64 limited(f64 x) noexcept {
  if (Limit == RangeLimit::saturated) return saturated<true>(x);
  if (Limit == RangeLimit::relu) return x > 0 || x != x ? x : 0.0;
  return x;
}

/// An operation on halves with its modifiers; Exact computes in float64.
template <class Half, auto Exact, bool Ftz = false, RangeLimit Limit = RangeLimit::none>
struct HalfArithmetic {
  static Half apply(auto... operands) {
    const f64 exact = Exact(static_cast<f64>(number_of(flushed_half<Ftz>(operands)))...);
    return flushed_half<Ftz>(half_of<Half, ToNearest>(limited<Limit>(exact)));
  }
};

/// Applies F to both halves of a register.
template <class F>
struct EachHalf {
  template <class Half>
  static Packed<Half> apply(Packed<Half> first, auto... rest) {
    return {F::apply(first.low, rest.low...), F::apply(first.high, rest.high...)};
  }
};

/// Declares F for operands of type Half, and for packed pairs of them.
template <class F, class Half, class... Operand>
void declare_halves(OperationTable& table, std::string_view opcode, std::string_view modifiers) {
  table.add({opcode, modifiers, ".", type<Half>::name}, vector_op<F, Half, Operand...>());
  table.add({opcode, modifiers, ".", type<Packed<Half>>::name},
            vector_op<EachHalf<F>, Packed<Half>, Packed<Operand>...>());
}

}  // namespace skerry::emulation
