// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/emulation/execute/conversions.hpp"

// Nothing is computed in float16 here: it is converted. The arithmetic is not the library's own, so
// that neither hides an error of the other.

namespace skerry::emulation {

/// The number that an operand of a conversion is, in a type that arithmetic is done in. Every NaN
/// of float16 becomes the one of float32.
[[nodiscard]] inline f32 number_of(f16 x) noexcept {
  const u32 sign = u32{x.bits} >> 15 << 31;
  const u32 magnitude = x.bits & 0x7fffU;
  if (magnitude > 0x7c00U) return canonical(std::numeric_limits<f32>::quiet_NaN());
  // Both have their exponents at the same place then, which are 112 apart.
  const f32 scaled = std::bit_cast<f32>(magnitude << 13) * 0x1p112F;
  const u32 bits = magnitude == 0x7c00U ? 0x7f800000U : std::bit_cast<u32>(scaled);
  return std::bit_cast<f32>(sign | bits);
}
template <class T>
[[nodiscard]] T number_of(T x) noexcept {
  return x;
}

/// x as Rounding makes it a float16; there is one NaN (PTX ISA, cvt).
template <class Rounding>
[[nodiscard]] f16 half_of(f64 x) noexcept {
  if (x != x) return {0x7fff};
  const u32 sign = std::signbit(x) ? 0x8000U : 0;
  if (std::isinf(x)) return {static_cast<u16>(sign | 0x7c00U)};
  constexpr int lowest = -14;
  constexpr int beyond = 16;
  const int exponent = x == 0 ? lowest : std::clamp(std::ilogb(x), lowest, beyond);
  if (exponent == beyond) {
    const bool is_outward = Rounding::of(std::copysign(0.75, x)) != 0;
    return {static_cast<u16>(sign | (is_outward ? 0x7c00U : 0x7bffU))};
  }
  // In units of the last place: 1024 of them, and whatever is subnormal has fewer. What is rounded
  // up to 2048 has the next exponent by this sum, or is infinite.
  const auto units = static_cast<u32>(std::fabs(Rounding::of(std::ldexp(x, 10 - exponent))));
  return {static_cast<u16>(sign | ((static_cast<u32>(exponent - lowest) << 10) + units))};
}

template <class Rounding, bool Sat>
struct as_half {
  template <class S>
  static f16 of(S a) {
    return half_of<Rounding>(saturated<Sat>(static_cast<f64>(a)));
  }
};

}  // namespace skerry::emulation
