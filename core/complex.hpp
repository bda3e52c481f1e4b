// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

/// A complex number for host compilers, nvcc and NVRTC, with the layout and alignment of
/// `std::complex<T>`, `T[2]` and NumPy's complex dtypes. This header has its arithmetic;
/// ops/math/complex.hpp has its functions.
template <class T>
struct complex {
  using value_type = T;

  T re{};
  T im{};

  constexpr complex() = default;
  SKERRY_HD constexpr complex(T real, T imag = T(0))
      : re(real), im(imag) {}  // NOLINT: implicit, as a real number is complex
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
/// Returns -x by flipping the sign bit, so that the compiler can't turn x + with_other_sign(y) into
/// a subtraction.
SKERRY_HD SKERRY_INLINE constexpr float32 with_other_sign(float32 x) {
  return __builtin_bit_cast(float32, __builtin_bit_cast(uint32, x) ^ 0x80000000u);
}
SKERRY_HD SKERRY_INLINE constexpr float64 with_other_sign(float64 x) {
  return __builtin_bit_cast(float64, __builtin_bit_cast(uint64, x) ^ 0x8000000000000000u);
}

/// The textbook product, as in NumPy: it does not recover infinities as C99's Annex G does (the
/// standard leaves that open). Uses sums only: in loops, GCC 12 contracts a product and a
/// subtraction into an FMA even with -ffp-contract=off (GCC PR 106902).
template <class T>
SKERRY_HD SKERRY_INLINE constexpr complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.re * b.re + with_other_sign(a.im) * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace skerry
