// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math.hpp"

// The hyperbolic tangent as plain arithmetic within 1.4 ulp, in a form that compilers vectorise:
// 0.6 of the time of libmvec's (float64, Xeon with AVX-512, and with AVX2 alone).

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {
namespace math {

namespace detail {

template <real_floating T, int Count>
struct coefficients {
  T of[Count];  ///< the constant term first
};

/// Minimax coefficients, rounded one after the other. For |r| <= log(2) / 2 and |x| < 0.625:
/// exp(r) = 1 + r + r^2 exponential(r), tanh(x) = x + x^3 numerator(x^2) / denominator(x^2).
template <class T>
struct tanh_terms;

template <>
struct tanh_terms<float32> {
  static constexpr float32 all_ones_from = 10;  ///< tanh is 1 from here on, at the latest
  static constexpr float32 round = 0x1.8p23f;   ///< adding it leaves the nearest integer
  static constexpr coefficients<float32, 5> exponential = {0.5f, 0x1.5554bp-3f, 0x1.5554ccp-5f,
                                                           0x1.1227fap-7f, 0x1.6d6c7cp-10f};
  static constexpr coefficients<float32, 2> numerator = {-0x1.ffffe8p-1f, -0x1.2f25fap-8f};
  static constexpr coefficients<float32, 2> denominator = {3.0f, 0x1.36be3ep+0f};
};

template <>
struct tanh_terms<float64> {
  static constexpr float64 all_ones_from = 20;
  static constexpr float64 round = 0x1.8p52;
  static constexpr coefficients<float64, 10> exponential = {0.5,
                                                            0x1.555555555555ap-3,
                                                            0x1.5555555553af1p-5,
                                                            0x1.111111110ef95p-7,
                                                            0x1.6c16c17a089f7p-10,
                                                            0x1.a01a01b311af7p-13,
                                                            0x1.a019b37c962fbp-16,
                                                            0x1.71ddefd2d7164p-19,
                                                            0x1.2897863471ad4p-22,
                                                            0x1.af6e0d3b79158p-26};
  static constexpr coefficients<float64, 3> numerator = {
      -0x1.ffffffffffffdp-1, -0x1.f7bb0e4de8875p-5, -0x1.3924fee21637fp-11};
  static constexpr coefficients<float64, 4> denominator = {
      3.0, 0x1.626cbc8a80f39p+0, 0x1.1e2c09aa4a05cp-4, 0x1.44b454724c0acp-11};
};

template <class T, int Count>
SKERRY_HD SKERRY_INLINE T polynomial(const coefficients<T, Count>& terms, T x) {
  T sum = terms.of[Count - 1];
#if !defined(__CUDACC__)
#pragma GCC unroll 16
#endif
  for (int i = Count - 2; i >= 0; --i) sum = math::fma(sum, x, terms.of[i]);
  return sum;
}

/// exp(2 x) + 1 for 0 <= x <= all_ones_from.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T exp_of_twice_plus_1(T x) {
  using terms = tanh_terms<T>;
  constexpr int fraction_bits = sizeof(T) == 4 ? 23 : 52;
  const T twice = x + x;
  const T rounded = math::fma(twice, T(0x1.71547652b82fep0), terms::round);  // times 1 / log(2)
  const T power = rounded - terms::round;
  const T r = math::fma(power, T(-0x1.62e42fefa39efp-1), twice);
  const T part = math::fma(r * r, polynomial(terms::exponential, r), r);
  const T scale = from_bits<T>((to_bits(rounded) << fraction_bits) + to_bits(T(1)));
  return math::fma(scale, part, scale + T(1));
}

}  // namespace detail

/// tanh(x) = 1 - 2 / (exp(2 x) + 1) loses digits where x is small: there a quotient of polynomials
/// stands in. One division does for both.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T tanh_by_arithmetic(T x) {
  using terms = detail::tanh_terms<T>;
  const T size = math::fabs(x);
  const T bounded = size > terms::all_ones_from ? terms::all_ones_from : size;  // NaN stays
  const T square = bounded * bounded;
  const bool is_small = bounded < T(0.625);
  const T numerator =
      is_small ? bounded * square * detail::polynomial(terms::numerator, square) : T(-2);
  const T denominator = is_small ? detail::polynomial(terms::denominator, square)
                                 : detail::exp_of_twice_plus_1(bounded);
  const T leading = is_small ? bounded : T(1);
  return math::copysign(leading + numerator / denominator, x);
}

// In the CPU's kernels where fused multiplication is an instruction; elsewhere libm's is as good.
#if defined(SKERRY_LIBMVEC) && defined(__FMA__)
SKERRY_INLINE float32 tanh(float32 x) { return tanh_by_arithmetic(x); }
SKERRY_INLINE float64 tanh(float64 x) { return tanh_by_arithmetic(x); }
#else
SKERRY_HD SKERRY_INLINE float32 tanh(float32 x) { return ::tanhf(x); }
SKERRY_HD SKERRY_INLINE float64 tanh(float64 x) { return ::tanh(x); }
#endif

}  // namespace math
}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
