// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// A complex number for host compilers, nvcc and NVRTC, with the layout and alignment of
/// `std::complex<T>`, `T[2]` and NumPy's. Arithmetic is here, functions in ops/math/complex.hpp.
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
/// -x by its bits, so that the compiler does not see x + with_other_sign(y) as a difference.
SKERRY_HD SKERRY_INLINE constexpr float32 with_other_sign(float32 x) {
  return __builtin_bit_cast(float32, __builtin_bit_cast(uint32, x) ^ 0x80000000u);
}
SKERRY_HD SKERRY_INLINE constexpr float64 with_other_sign(float64 x) {
  return __builtin_bit_cast(float64, __builtin_bit_cast(uint64, x) ^ 0x8000000000000000u);
}

/// The textbook product, as in NumPy: infinities are not recovered (the standard leaves that open).
/// Written with sums only: GCC 12 would fuse a difference in loops, and only there, even with
/// -ffp-contract=off (GCC's PR 106902).
template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.re * b.re + with_other_sign(a.im) * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace skerry
