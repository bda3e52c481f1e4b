// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/hyperbolic.hpp"
#include "ops/math/inverse_hyperbolic.hpp"
#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

// Functions of the C library, for builds without fused multiply-add instructions, and for host code
// that isn't a kernel. In CUDA units, these are CUDA's functions, which replace portable functions
// that would take much longer.

namespace skerry::inline SKERRY_TARGET::ops::math::libm {

// float32 functions compute in float64 and round once: glibc's float32 functions have errors of up
// to 2.2 ulp. CUDA's have 2 to 4 ulp, but float64 is slow on many GPUs.
#if defined(__CUDACC__)
#define SKERRY_UNARY(name)                                                 \
  SKERRY_HD SKERRY_INLINE float32 name(float32 x) { return ::name##f(x); } \
  SKERRY_HD SKERRY_INLINE float64 name(float64 x) { return ::name(x); }
#define SKERRY_BINARY(name)                                                                  \
  SKERRY_HD SKERRY_INLINE float32 name(float32 x1, float32 x2) { return ::name##f(x1, x2); } \
  SKERRY_HD SKERRY_INLINE float64 name(float64 x1, float64 x2) { return ::name(x1, x2); }
#else
#define SKERRY_UNARY(name)                                        \
  SKERRY_INLINE float32 name(float32 x) {                         \
    return static_cast<float32>(::name(static_cast<float64>(x))); \
  }                                                               \
  SKERRY_INLINE float64 name(float64 x) { return ::name(x); }
#define SKERRY_BINARY(name)                                                                  \
  SKERRY_INLINE float32 name(float32 x1, float32 x2) {                                       \
    return static_cast<float32>(::name(static_cast<float64>(x1), static_cast<float64>(x2))); \
  }                                                                                          \
  SKERRY_INLINE float64 name(float64 x1, float64 x2) { return ::name(x1, x2); }
#endif

SKERRY_UNARY(acos)
SKERRY_UNARY(asin)
SKERRY_UNARY(atan)
SKERRY_UNARY(cos)
SKERRY_UNARY(exp)
SKERRY_UNARY(exp2)
SKERRY_UNARY(expm1)
SKERRY_UNARY(log)
SKERRY_UNARY(log1p)
SKERRY_UNARY(log2)
SKERRY_UNARY(sin)
SKERRY_UNARY(tan)
SKERRY_BINARY(atan2)
SKERRY_BINARY(hypot)
SKERRY_BINARY(pow)

// Always portable in float64: glibc's functions have errors of 1.2 to 2.1 ulp.
#if !defined(__CUDACC__)
#undef SKERRY_UNARY
#define SKERRY_UNARY(name)                                        \
  SKERRY_INLINE float32 name(float32 x) {                         \
    return static_cast<float32>(::name(static_cast<float64>(x))); \
  }                                                               \
  SKERRY_INLINE float64 name(float64 x) { return portable::name(x); }
#endif
SKERRY_UNARY(acosh)
SKERRY_UNARY(asinh)
SKERRY_UNARY(atanh)
SKERRY_UNARY(cosh)
SKERRY_UNARY(log10)
SKERRY_UNARY(sinh)
SKERRY_UNARY(tanh)

#undef SKERRY_UNARY
#undef SKERRY_BINARY

}  // namespace skerry::inline SKERRY_TARGET::ops::math::libm
