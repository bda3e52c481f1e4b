// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/cbrt.hpp"
#include "ops/math/exponential.hpp"
#include "ops/math/hyperbolic.hpp"
#include "ops/math/hypot.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/inverse_hyperbolic.hpp"
#include "ops/math/inverse_trigonometric.hpp"
#include "ops/math/libm.hpp"
#include "ops/math/logaddexp.hpp"
#include "ops/math/logarithm.hpp"
#include "ops/math/logarithm_pair.hpp"
#include "ops/math/power.hpp"
#include "ops/math/trigonometric.hpp"

// Real functions, with the same name for float32 and float64 and with the special cases of the
// standard. They select instead of branching, so that the compiler can vectorize loops.

namespace skerry::inline SKERRY_TARGET::ops::math {

/// True if functions use skerry's implementations (namespace portable), which return the same bits
/// in every loop, build and machine, but need fused multiply-add instructions. Otherwise they call
/// libm (namespace libm) for each element. Functions of complex numbers use namespace `elementary`,
/// which is the portable one on GPUs too: there, both forms take about as many instructions.
#if defined(SKERRY_HAS_FMA) || defined(__CUDACC__)
inline constexpr bool has_portable_functions = true;
namespace elementary = portable;
#else
inline constexpr bool has_portable_functions = false;
namespace elementary = libm;
#endif

enum class Form { portable, libm };

/// The functions with both forms, and the forms that CUDA units use for float32 and float64:
/// portable unless a GPU then takes more than 1.5 times as many instructions as for CUDA's
/// function. Counted by `bench/gpu/function_instructions.py` for arguments in the normal range.
/// Instructions in double precision count twice, since an H100 runs half as many of them per
/// second.
// clang-format off
#define SKERRY_UNARY_FUNCTIONS(entry) \
  entry(acos, portable, portable)   \
  entry(acosh, libm, portable) \
  entry(asin, portable, portable)   \
  entry(asinh, libm, portable) \
  entry(atan, libm, portable)  \
  entry(atanh, libm, portable) \
  entry(cos, libm, libm)  \
  entry(cosh, libm, libm) \
  entry(exp, libm, portable)   \
  entry(exp2, libm, portable)  \
  entry(expm1, portable, libm) \
  entry(log, portable, portable)    \
  entry(log10, portable, portable)  \
  entry(log1p, portable, portable)  \
  entry(log2, portable, portable)   \
  entry(sin, libm, libm)  \
  entry(sinh, portable, portable)   \
  entry(tan, libm, libm)  \
  entry(tanh, libm, portable)
#define SKERRY_BINARY_FUNCTIONS(entry) \
  entry(atan2, portable, portable)  \
  entry(hypot, portable, libm) \
  entry(pow, portable, portable)
// clang-format on

template <real_floating T>
SKERRY_HD constexpr bool is_portable([[maybe_unused]] Form cuda_in_float32,
                                     [[maybe_unused]] Form cuda_in_float64) {
#if defined(__CUDACC__)
  return (sizeof(T) == 4 ? cuda_in_float32 : cuda_in_float64) == Form::portable;
#else
  return has_portable_functions;
#endif
}

#define SKERRY_UNARY(name, cuda_in_float32, cuda_in_float64)                      \
  template <real_floating T>                                                      \
  SKERRY_HD SKERRY_INLINE T name(T x) {                                           \
    if constexpr (is_portable<T>(Form::cuda_in_float32, Form::cuda_in_float64)) { \
      return portable::name(x);                                                   \
    } else {                                                                      \
      return libm::name(x);                                                       \
    }                                                                             \
  }
#define SKERRY_BINARY(name, cuda_in_float32, cuda_in_float64)                     \
  template <real_floating T>                                                      \
  SKERRY_HD SKERRY_INLINE T name(T x1, T x2) {                                    \
    if constexpr (is_portable<T>(Form::cuda_in_float32, Form::cuda_in_float64)) { \
      return portable::name(x1, x2);                                              \
    } else {                                                                      \
      return libm::name(x1, x2);                                                  \
    }                                                                             \
  }

SKERRY_UNARY_FUNCTIONS(SKERRY_UNARY)
SKERRY_BINARY_FUNCTIONS(SKERRY_BINARY)

#undef SKERRY_UNARY
#undef SKERRY_BINARY

SKERRY_HD SKERRY_INLINE float32 cube(float32 x) {
  const float64 wide = x;
  return static_cast<float32>(wide * wide * wide);
}
/// Corrects the result by the rounding errors of the two products; a zero keeps its sign.
SKERRY_HD SKERRY_INLINE float64 cube(float64 x) {
  const float64 square = x * x;
  const float64 high = square * x;
  const float64 low = math::fma(square, x, -high) + math::fma(x, x, -square) * x;
  const bool is_regular = (high != 0) & (math::fabs(high) < infinity<float64>());
  return is_regular ? high + low : high;
}

/// Returns pow(), but a product or quotient for the exponents 2, 3 and -1, so that an array of
/// exponents gives the same bits as a scalar one, for which only that is computed.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T power(T base, T exponent) {
  const T general = pow(base, exponent);
  const T third = exponent == T(3) ? cube(base) : general;
  const T second = exponent == T(2) ? base * base : third;
  return exponent == T(-1) ? T(1) / base : second;
}

SKERRY_HD SKERRY_INLINE float32 fmod(float32 x1, float32 x2) { return ::fmodf(x1, x2); }
SKERRY_HD SKERRY_INLINE float64 fmod(float64 x1, float64 x2) { return ::fmod(x1, x2); }

/// Returns !x, computed on the byte: GCC 12 does not vectorize a loop over `!`.
SKERRY_HD SKERRY_INLINE bool logical_not(bool x) { return __builtin_bit_cast(uint8, x) == 0; }

/// Selects by bits: GCC 12 compiles a choice of floats to branches where it does not vectorize.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T select(bool is_first, T first, T second) {
  if constexpr (integral<T>) {
    return is_first ? first : second;
  } else {
    const auto mask = static_cast<bits_t<T>>(-static_cast<bits_t<T>>(is_first));
    return from_bits<T>((to_bits(first) & mask) | (to_bits(second) & ~mask));
  }
}
/// Returns NaN if either argument is NaN.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T maximum(T a, T b) {
  return select((a > b) | (a != a), a, b);
}
/// Returns NaN if either argument is NaN.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T minimum(T a, T b) {
  return select((a < b) | (a != a), a, b);
}

/// Returns minimum(maximum(x, min), max). Compares once for NaN bounds, which is hoisted out of
/// loops with scalar bounds.
template <real_numeric T>
SKERRY_HD SKERRY_INLINE T clip(T x, T min, T max) {
  const T raised = x <= min ? min : x;
  const T clipped = raised >= max ? max : raised;
  const T bound = min != min ? min : max;
  return bound != bound ? bound : clipped;
}

/// Returns the sign: -1, +0, 1 or NaN.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T sign(T x) {
  const T one = x < T(0) ? T(-1) : T(1);
  const T result = x == T(0) ? T(0) : one;
  return x != x ? x : result;
}

template <real_floating T>
  requires(!stored_only<T>)
SKERRY_HD SKERRY_INLINE T nextafter(T x1, T x2) {
  using B = bits_t<T>;
  const B bits = to_bits(x1);
  const bool away_from_zero = (x1 < x2) == (x1 > T(0));
  const T neighbor = from_bits<T>(static_cast<B>(away_from_zero ? bits + B(1) : bits - B(1)));
  const T from_zero = from_bits<T>(static_cast<B>((to_bits(x2) & sign_bit<T>) | B(1)));
  const T moved = x1 == T(0) ? from_zero : neighbor;
  const T result = x1 == x2 ? x2 : moved;
  return ((x1 != x1) | (x2 != x2)) ? T(x1 + x2) : result;
}

/// Uses bits only: such loops are vectorized, loops with conversions are not.
template <stored_only T>
SKERRY_HD SKERRY_INLINE T nextafter(T x1, T x2) {
  using B = bits_t<T>;
  const B a = to_bits(x1);
  const B b = to_bits(x2);
  const auto size = [](B x) { return static_cast<B>(x & ~sign_bit<T>); };
  const auto order = [](B x) {
    return static_cast<B>((x & sign_bit<T>) != 0 ? ~x : x | sign_bit<T>);
  };
  constexpr B inf = to_bits(infinity<T>());
  constexpr B quiet = to_bits(nan<T>());
  const bool away_from_zero = (order(a) < order(b)) == (a == size(a));
  const B neighbor = static_cast<B>(away_from_zero ? a + 1 : a - 1);
  const B moved = size(a) == 0 ? static_cast<B>((b & sign_bit<T>) | 1) : neighbor;
  const B result = a == b || size(a | b) == 0 ? b : moved;
  const B of_nan = static_cast<B>((size(a) > inf ? a : b) | quiet);
  return from_bits<T>(size(a) > inf || size(b) > inf ? of_nan : result);
}

using portable::cbrt;
using portable::logaddexp;
using portable::logaddexp2;

/// Returns a - b * c with the sign of the exact value.
SKERRY_HD SKERRY_INLINE float64 residue(float32 a, float32 b, float32 c) {
  return static_cast<float64>(a) - static_cast<float64>(b) * static_cast<float64>(c);
}
SKERRY_HD SKERRY_INLINE float64 residue(float64 a, float64 b, float64 c) { return fma(-b, c, a); }

/// Returns the floor of the exact quotient, or of the rounded one if that is too large to have a
/// fraction.
///
/// The floor of the rounded quotient q is 1 too large if q was rounded up to an integer. Then q * b
/// exceeds a, which the residue shows. For infinities and zeros, the residue is NaN or 0, so
/// floor(a / b) is returned, as the standard requires (Python returns NaN and -1 there).
template <real_floating T>
SKERRY_HD SKERRY_INLINE T floor_divide(T a, T b) {
  constexpr T fraction_ends = sizeof(T) == 4 ? T(1 << 24) : T(int64{1} << 53);
  const T quotient = math::floor(a / b);
  const auto rest = residue(a, quotient, b);
  const auto directed = b > T(0) ? rest : -rest;
  const T step = math::fabs(quotient) <= fraction_ends ? T(1) : T(0);
  return quotient - (directed < 0 ? step : T(0));
}

#if defined(SKERRY_HAS_FMA) || defined(__CUDA_ARCH__)
inline constexpr bool fast_fma = true;
#else
inline constexpr bool fast_fma = false;
#endif

/// Returns a - trunc(a / b) * b, as exact as fmod, if has_large_quotient() is false. float32: in
/// float64, a quotient below 2^29 times b is exact. float64: a quotient below 2^53 has an exact
/// residue, which is off by at most one b.
SKERRY_HD SKERRY_INLINE float32 near_rest(float32 a, float32 b) {
  const float64 x = a;
  const float64 y = b;
  return static_cast<float32>(x - math::trunc(x / y) * y);
}
SKERRY_HD SKERRY_INLINE float64 near_rest(float64 a, float64 b) {
  const float64 rest = fma(-math::trunc(a / b), b, a);
  const bool overshoots = ((rest < 0) != (a < 0)) & (rest != 0);
  return select(overshoots, rest + math::copysign(b, a), rest);
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE bool has_large_quotient(T a, T b) {
  const T limit = math::fabs(b) * (sizeof(T) == 4 ? T(0x1p28) : T(0x1p52));
  return (math::fabs(a) > limit) | !(math::fabs(b) < infinity<T>());
}

/// Calls near_rest() if its result is exact: fmod takes as many steps as the quotient has bits.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T truncated_rest(T a, T b) {
  constexpr bool may_be_near = sizeof(T) == 4 || fast_fma;
  return may_be_near && !has_large_quotient(a, b) ? near_rest(a, b) : math::fmod(a, b);
}

/// Converts the remainder of a truncated division to Python's, which has the sign of b, even if 0.
template <real_floating T>
SKERRY_HD SKERRY_INLINE T rest_as_of(T b, T rest) {
  const T adjusted = select((rest < T(0)) != (b < T(0)), rest + b, rest);
  return select(rest == T(0), math::copysign(T(0), b), adjusted);
}
template <real_floating T>
SKERRY_HD SKERRY_INLINE T remainder(T a, T b) {
  return rest_as_of(b, truncated_rest(a, b));
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math
