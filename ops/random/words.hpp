// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/logarithm.hpp"
#include "ops/random/philox.hpp"

// Distributions that use one word of a block per element, or two words per two elements:
// branch-free arithmetic, which the CPU loops vectorize. A word is as wide as the element.

namespace skerry::inline SKERRY_TARGET::ops::random {

/// Returns log(x) for a positive normal number: the same bits on every device and at every ISA
/// level.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T log_of_normal(T x) {
  return math::portable::log_of_parts(math::portable::split(x), T(0));
}

/// Returns a multiple of 2^-53 in [0, 1).
SKERRY_HD SKERRY_INLINE float64 uniform_of(uint64 word) { return to_real(word >> 11) * 0x1p-53; }
/// Returns a multiple of 2^-24 in [0, 1).
SKERRY_HD SKERRY_INLINE float32 uniform_of(uint32 word) {
  return static_cast<float32>(static_cast<int32>(word >> 8)) * 0x1p-24f;
}

/// Returns a uniform number in (0, 1], with all low bits: its logarithm covers the range of
/// the word.
SKERRY_HD SKERRY_INLINE float64 positive_uniform_of(uint64 word) {
  return to_real(word) * 0x1p-64 + 0x1p-65;
}
SKERRY_HD SKERRY_INLINE float32 positive_uniform_of(uint32 word) {
  return static_cast<float32>(static_cast<int32>(word >> 1)) * 0x1p-31f + 0x1p-32f;
}

struct uniform_word {
  template <class W>
  SKERRY_HD SKERRY_INLINE auto operator()(W word) const {
    return uniform_of(word);
  }
};

struct exponential_word {
  template <class W>
  SKERRY_HD SKERRY_INLINE auto operator()(W word) const {
    const auto u = positive_uniform_of(word);
    return decltype(positive_uniform_of(word))(0) -
           log_of_normal(u);  // not unary minus: -log(1) would be -0
  }
};

template <class T>
struct Two {
  T first;
  T second;
};

/// Returns the distance, in radians, of an angle from the nearest multiple of a quarter turn. The
/// angle is given as a word: a fraction of a full turn.
SKERRY_HD SKERRY_INLINE float64 rest_of_turn(uint64 word) {
  constexpr float64 unit = 0x1.921fb54442d18p0 * 0x1p-52;  // pi / 2
  const uint64 shifted = ((word << 2) ^ (uint64{1} << 63)) >> 12;
  return (math::from_bits<float64>(0x4330000000000000u | shifted) - 0x1.8p52) * unit;
}
SKERRY_HD SKERRY_INLINE float32 rest_of_turn(uint32 word) {
  return static_cast<float32>(static_cast<int32>(word << 2)) * (0x1.921fb6p0f * 0x1p-32f);
}
template <class W>
SKERRY_HD SKERRY_INLINE W quarters_of_turn(W word) {
  constexpr int top = 8 * int(sizeof(W)) - 2;
  return (word + (W(1) << (top - 1))) >> top;
}

/// Returns cosine and sine for |r| <= pi / 4, to an ulp or two. Coefficients from
/// ops/math/trigonometric.hpp for float64, and from Cephes for float32.
SKERRY_HD SKERRY_INLINE Two<float64> cosine_and_sine(float64 r) {
  const float64 square = r * r;
  const float64 s = math::portable::polynomial(
      square, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019926p-13,
      0x1.71de3a545e700p-19, -0x1.ae64540f0ba18p-26, 0x1.61217c1864fa1p-33, -0x1.ab161757f0c62p-41);
  const float64 c = math::portable::polynomial(
      square, 0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d02p-16,
      -0x1.27e4fb7711e1dp-22, 0x1.1eed8de9ef73ep-29, -0x1.9394b76d1f265p-37, 0x1.ab76cf6e9b364p-45);
  return {math::fma(square * square, c, math::fma(square, -0.5, 1.0)), math::fma(r * square, s, r)};
}
SKERRY_HD SKERRY_INLINE Two<float32> cosine_and_sine(float32 r) {
  const float32 square = r * r;
  const float32 s =
      math::portable::polynomial(square, -1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f);
  const float32 c = math::portable::polynomial(square, 4.166664568298827e-2f,
                                               -1.388731625493765e-3f, 2.443315711809948e-5f);
  return {math::fma(square * square, c, math::fma(square, -0.5f, 1.0f)),
          math::fma(r * square, s, r)};
}

/// Returns two independent normal numbers by the Box-Muller method: radius and angle of a point.
template <class W>
SKERRY_HD SKERRY_INLINE auto normal_pair(W radius_word, W angle_word) {
  const auto u = positive_uniform_of(radius_word);
  using T = decltype(positive_uniform_of(radius_word));
  const T radius = math::sqrt(T(-2) * log_of_normal(u));
  const Two<T> direction = cosine_and_sine(rest_of_turn(angle_word));
  const W quarters = quarters_of_turn(angle_word);
  const bool is_odd = (quarters & 1) != 0;
  const T x = is_odd ? direction.second : direction.first;
  const T y = is_odd ? direction.first : direction.second;
  // A quarter turn maps (x, y) to (-y, x).
  return Two<T>{math::portable::negate_if(radius * x, W((quarters >> 1) ^ (quarters & 1))),
                math::portable::negate_if(radius * y, W(quarters >> 1))};
}

/// Returns a word of a block by its number.
template <class W>
SKERRY_HD SKERRY_INLINE W word_of(Block drawn, int number) {
  if constexpr (sizeof(W) == 8) {
    return number == 0 ? drawn.first : drawn.second;
  } else {
    const uint64 half = number < 2 ? drawn.first : drawn.second;
    return static_cast<uint32>((number & 1) != 0 ? half >> 32 : half);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::ops::random
