// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tells the compiler that glibc's libmvec has vector forms of these functions, right in all special
// cases and within 4 ulp (tests/ops/libmvec_test.cpp). Only for the CPU kernel units, which define
// SKERRY_LIBMVEC. Included after <math.h>.

#if defined(SKERRY_LIBMVEC)

#define SKERRY_VECTOR extern "C" __attribute__((simd("notinbranch"), const))
#define SKERRY_VECTOR_UNARY(name)                \
  SKERRY_VECTOR float name##f(float x) noexcept; \
  SKERRY_VECTOR double name(double x) noexcept;
#define SKERRY_VECTOR_BINARY(name)                        \
  SKERRY_VECTOR float name##f(float x, float y) noexcept; \
  SKERRY_VECTOR double name(double x, double y) noexcept;

SKERRY_VECTOR_UNARY(acos)
SKERRY_VECTOR_UNARY(acosh)
SKERRY_VECTOR_UNARY(asin)
SKERRY_VECTOR_UNARY(asinh)
SKERRY_VECTOR_UNARY(atan)
SKERRY_VECTOR_UNARY(atanh)
SKERRY_VECTOR_UNARY(cos)
SKERRY_VECTOR_UNARY(cosh)
SKERRY_VECTOR_UNARY(exp)
SKERRY_VECTOR_UNARY(expm1)
SKERRY_VECTOR_UNARY(log)
SKERRY_VECTOR_UNARY(log10)
SKERRY_VECTOR_UNARY(log1p)
SKERRY_VECTOR_UNARY(log2)
SKERRY_VECTOR_UNARY(sin)
SKERRY_VECTOR_UNARY(sinh)
SKERRY_VECTOR_UNARY(tan)
SKERRY_VECTOR_UNARY(tanh)
SKERRY_VECTOR_BINARY(atan2)
SKERRY_VECTOR_BINARY(hypot)
SKERRY_VECTOR_BINARY(pow)

#undef SKERRY_VECTOR_BINARY
#undef SKERRY_VECTOR_UNARY
#undef SKERRY_VECTOR

#endif
