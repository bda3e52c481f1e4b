// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__) && defined(__linux__)

#include <emmintrin.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/ops/accuracy.hpp"

// ops/libmvec.hpp lets the compiler replace libm's functions by libmvec's in the CPU kernels. Here
// the vector functions themselves (their SSE4 forms, which every machine runs) are held to the
// special cases and to four units in the last place of libm's long double functions.

#define SKERRY_VECTOR_FUNCTIONS_1(X) \
  X(acos)                            \
  X(acosh)                           \
  X(asin)                            \
  X(asinh)                           \
  X(atan)                            \
  X(atanh)                           \
  X(cos)                             \
  X(cosh)                            \
  X(exp)                             \
  X(expm1)                           \
  X(log)                             \
  X(log10)                           \
  X(log1p)                           \
  X(log2)                            \
  X(sin)                             \
  X(sinh)                            \
  X(tan)                             \
  X(tanh)
#define SKERRY_VECTOR_FUNCTIONS_2(X) \
  X(atan2)                           \
  X(hypot)                           \
  X(pow)

extern "C" {
#define SKERRY_DECLARE(name)           \
  __m128 _ZGVbN4v_##name##f(__m128 x); \
  __m128d _ZGVbN2v_##name(__m128d x);
SKERRY_VECTOR_FUNCTIONS_1(SKERRY_DECLARE)
#undef SKERRY_DECLARE
#define SKERRY_DECLARE(name)                      \
  __m128 _ZGVbN4vv_##name##f(__m128 x, __m128 y); \
  __m128d _ZGVbN2vv_##name(__m128d x, __m128d y);
SKERRY_VECTOR_FUNCTIONS_2(SKERRY_DECLARE)
#undef SKERRY_DECLARE
}

namespace skerry {
namespace {

using testing::append_random;
using testing::arguments;
using testing::error_in_ulps;

/// `vector` computes one value.
template <class T, class Vector>
void expect_accurate(const char* name, Vector vector, long double (*reference)(long double)) {
  std::vector<T> values = arguments<T>();
  append_random(values, 4000);
  for (const T x : values) {
    const T result = vector(x);
    EXPECT_LE(error_in_ulps(result, reference(x)), 4) << name << '(' << x << ") = " << result;
  }
}

template <class T, class Vector>
void expect_accurate(const char* name, Vector vector,
                     long double (*reference)(long double, long double)) {
  for (const T x : arguments<T>()) {
    for (const T y : arguments<T>()) {
      const T result = vector(x, y);
      EXPECT_LE(error_in_ulps(result, reference(x, y)), 4)
          << name << '(' << x << ", " << y << ") = " << result;
    }
  }
}

#define SKERRY_TEST(name)                                                                         \
  TEST(libmvec, name##_is_right_for_special_and_random_values) {                                  \
    expect_accurate<float>(                                                                       \
        #name, [](float x) { return _mm_cvtss_f32(_ZGVbN4v_##name##f(_mm_set1_ps(x))); },         \
        name##l);                                                                                 \
    expect_accurate<double>(                                                                      \
        #name, [](double x) { return _mm_cvtsd_f64(_ZGVbN2v_##name(_mm_set1_pd(x))); }, name##l); \
  }
SKERRY_VECTOR_FUNCTIONS_1(SKERRY_TEST)
#undef SKERRY_TEST

#define SKERRY_TEST(name)                                                            \
  TEST(libmvec, name##_is_right_for_special_values) {                                \
    expect_accurate<float>(                                                          \
        #name,                                                                       \
        [](float x, float y) {                                                       \
          return _mm_cvtss_f32(_ZGVbN4vv_##name##f(_mm_set1_ps(x), _mm_set1_ps(y))); \
        },                                                                           \
        name##l);                                                                    \
    expect_accurate<double>(                                                         \
        #name,                                                                       \
        [](double x, double y) {                                                     \
          return _mm_cvtsd_f64(_ZGVbN2vv_##name(_mm_set1_pd(x), _mm_set1_pd(y)));    \
        },                                                                           \
        name##l);                                                                    \
  }
SKERRY_VECTOR_FUNCTIONS_2(SKERRY_TEST)
#undef SKERRY_TEST

}  // namespace
}  // namespace skerry

#endif
