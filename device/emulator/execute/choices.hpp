// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/execute/floats.hpp"

namespace skerry::emulation {

/// Common part of min and max of floats. -0 is less than +0. If an operand is NaN, the result is
/// NaN with Nan, and the other operand without. Xor (.xorsign.abs): compares magnitudes; the result
/// is negative if exactly one operand is.
template <bool Nan, bool Xor, class Ordered, class T>
[[nodiscard]] T choice_of(T a, T b, Ordered&& ordered) {
  if constexpr (Xor) {
    const bool is_negative = std::signbit(a) != std::signbit(b);
    const T magnitude = choice_of<Nan, false>(std::fabs(a), std::fabs(b), ordered);
    return is_negative ? -magnitude : magnitude;
  } else {
    if (Nan) return a == a && b == b ? ordered(a, b) : std::numeric_limits<T>::quiet_NaN();
    return a == a ? (b == b ? ordered(a, b) : a) : b;
  }
}

template <bool Nan, bool Xor = false>
struct Smaller {
  template <class T>
  static T apply(T a, T b) {
    return choice_of<Nan, Xor>(
        a, b, [](T x, T y) { return x == y ? (std::signbit(x) ? x : y) : (x < y ? x : y); });
  }
};

template <bool Nan, bool Xor = false>
struct Larger {
  template <class T>
  static T apply(T a, T b) {
    return choice_of<Nan, Xor>(
        a, b, [](T x, T y) { return x == y ? (std::signbit(x) ? y : x) : (x > y ? x : y); });
  }
};

}  // namespace skerry::emulation
