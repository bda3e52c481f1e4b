// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "device/emulator/execute/elementwise.hpp"

namespace skerry::emulation {

/// Returns the canonical NaN for a NaN: GPUs return it from float32 arithmetic. Arithmetic of
/// float64 keeps the operand's NaN, as x86 does.
[[nodiscard]] inline f32 canonical(f32 x) noexcept {
  return x == x ? x : std::bit_cast<f32>(0x7fffffffU);
}
[[nodiscard]] inline f64 canonical(f64 x) noexcept { return x; }

/// .ftz: flushes subnormal numbers to zero, preserving the sign.
template <bool Ftz, class T>
[[nodiscard]] inline T flushed(T x) noexcept {
  if constexpr (!Ftz) return x;
  return std::fabs(x) < std::numeric_limits<T>::min() ? std::copysign(T{0}, x) : x;
}

/// .sat: clamps to [0, 1]; NaN becomes 0.
template <bool Sat, class T>
[[nodiscard]] inline T saturated(T x) noexcept {
  if constexpr (!Sat) return x;
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

/// An operation with its modifiers .ftz and .sat.
template <class Exact, bool Ftz = false, bool Sat = false>
struct Arithmetic {
  static auto apply(auto... operands) {
    return saturated<Sat>(flushed<Ftz>(canonical(Exact::apply(flushed<Ftz>(operands)...))));
  }
};

inline constexpr auto fused_product = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
inline constexpr auto reciprocal = []<class T>(T a) { return T{1} / a; };
inline constexpr auto square_root = [](auto a) { return std::sqrt(a); };

}  // namespace skerry::emulation
