// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// A complex number that host compilers, nvcc and NVRTC agree on; same memory as `std::complex<T>`,
/// `T[2]` and NumPy's, and aligned as they are, like its parts. Arithmetic lives here, functions in
/// ops/math/complex.hpp.
template <class T>
struct complex {
  using value_type = T;

  T re{};
  T im{};

  constexpr complex() = default;
  SKERRY_HD constexpr complex(T real, T imag = T(0))
      : re(real), im(imag) {}  // NOLINT: a real is a complex
  template <class U>
  SKERRY_HD constexpr explicit complex(complex<U> other)
      : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}

  friend SKERRY_HD constexpr bool operator==(complex a, complex b) {
    return a.re == b.re && a.im == b.im;
  }
};

using complex64 = complex<float32>;
using complex128 = complex<float64>;

template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator+(complex<T> a, complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator-(complex<T> a, complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator-(complex<T> a) {
  return {-a.re, -a.im};
}
/// -x by its bits: to compilers the sum of it and another number is no difference.
SKERRY_HD SKERRY_INLINE constexpr float32 with_other_sign(float32 x) {
  return __builtin_bit_cast(float32, __builtin_bit_cast(uint32, x) ^ 0x80000000u);
}
SKERRY_HD SKERRY_INLINE constexpr float64 with_other_sign(float64 x) {
  return __builtin_bit_cast(float64, __builtin_bit_cast(uint64, x) ^ 0x8000000000000000u);
}

/// The textbook product, as NumPy's: no recovery of infinities (the standard leaves it open). Of
/// the two parts' sums GCC 12 would make one fused instruction in loops, and only there, if one
/// were a difference; -ffp-contract=off doesn't keep it from that (GCC's PR 106902).
template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.re * b.re + with_other_sign(a.im) * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace skerry
