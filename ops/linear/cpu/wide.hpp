// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "ops/kernel/cpu/vector.hpp"
#include "ops/math/real.hpp"

// Vectors with one number of each of several matrices, for factorizations in lanes.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Returns c - a b, rounded once if there is an FMA instruction.
template <class V>
SKERRY_INLINE V minus_product_of_lanes(V c, V a, V b) {
#if defined(SKERRY_HAS_FMA)
  for (int i = 0; i < int(sizeof(V) / sizeof(a[0])); ++i) c[i] = ops::math::fma(-a[i], b[i], c[i]);
  return c;
#else
  return c - a * b;
#endif
}

/// Returns c + a b, rounded like minus_product_of_lanes().
template <class V>
SKERRY_INLINE V plus_product_of_lanes(V c, V a, V b) {
  return minus_product_of_lanes(c, -a, b);
}

template <class V>
SKERRY_INLINE V magnitude_of_lanes(V v) {
  return v < 0 ? -v : v;
}

/// Numbers of type T; components are stored as separate vectors.
template <class T>
struct Wide {
  using real = T;
  static constexpr int parts = 1;
  lanes_of<T> re;

  static Wide load(const T* source) { return {load_lanes(source)}; }
  void store(T* destination) const { store_lanes(destination, re); }
  /// Returns the magnitude by which LAPACK chooses pivots.
  [[nodiscard]] lanes_of<T> size() const { return magnitude_of_lanes(re); }
  [[nodiscard]] Wide conjugate() const { return *this; }
};

template <class R>
struct Wide<complex<R>> {
  using real = R;
  static constexpr int parts = 2;
  lanes_of<R> re;
  lanes_of<R> im;

  static Wide load(const R* source) {
    return {load_lanes(source), load_lanes(source + lane_count<R>)};
  }
  void store(R* destination) const {
    store_lanes(destination, re);
    store_lanes(destination + lane_count<R>, im);
  }
  [[nodiscard]] lanes_of<R> size() const { return magnitude_of_lanes(re) + magnitude_of_lanes(im); }
  [[nodiscard]] Wide conjugate() const { return {re, -im}; }
};

/// Returns c - a b.
template <class T>
SKERRY_INLINE Wide<T> minus_product(Wide<T> c, Wide<T> a, Wide<T> b) {
  if constexpr (Wide<T>::parts == 1) {
    return {minus_product_of_lanes(c.re, a.re, b.re)};
  } else {
    const auto re = minus_product_of_lanes(c.re, a.re, b.re);
    const auto im = minus_product_of_lanes(c.im, a.re, b.im);
    return {minus_product_of_lanes(re, -a.im, b.im), minus_product_of_lanes(im, a.im, b.re)};
  }
}

/// Divides by Smith's method, which avoids squares that may overflow.
template <class T>
SKERRY_INLINE Wide<T> quotient(Wide<T> a, Wide<T> b) {
  if constexpr (Wide<T>::parts == 1) {
    return {a.re / b.re};
  } else {
    const auto is_steep = magnitude_of_lanes(b.im) > magnitude_of_lanes(b.re);
    const auto large = is_steep ? b.im : b.re;
    const auto ratio = (is_steep ? b.re : b.im) / large;
    const auto divisor = large + (is_steep ? b.re : b.im) * ratio;
    const auto re = (is_steep ? a.im : a.re) + (is_steep ? a.re : a.im) * ratio;
    const auto im = (is_steep ? a.re : a.im) - (is_steep ? a.im : a.re) * ratio;
    return {re / divisor, (is_steep ? -im : im) / divisor};
  }
}

template <class Mask, class T>
SKERRY_INLINE Wide<T> choose(Mask mask, Wide<T> a, Wide<T> b) {
  if constexpr (Wide<T>::parts == 1) {
    return {mask ? a.re : b.re};
  } else {
    return {mask ? a.re : b.re, mask ? a.im : b.im};
  }
}

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
