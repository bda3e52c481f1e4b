// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__) && defined(__linux__)

#include <emmintrin.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

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

/// The distance of `actual` from `expected` in units of its last place; infinite where a special
/// value or the sign of a zero is wrong.
template <class T>
double error_in_ulps(T actual, long double expected) {
  using limits = std::numeric_limits<T>;
  const auto rounded = static_cast<T>(expected);
  if (std::isnan(rounded) || std::isnan(actual)) {
    return std::isnan(rounded) && std::isnan(actual) ? 0 : INFINITY;
  }
  if (std::signbit(actual) != std::signbit(rounded)) return INFINITY;
  if (actual == rounded) return 0;
  if (std::isinf(actual) || std::isinf(rounded)) {
    // Only a result at the very end of the range may go either way.
    const long double finite = std::isinf(actual) ? expected : actual;
    return std::isinf(finite) || std::fabs(finite) < limits::max() * (1 - 8 * limits::epsilon())
               ? INFINITY
               : 1;
  }
  const T magnitude = std::fabs(rounded);
  const T unit = magnitude - std::nextafter(magnitude, T(-1));
  return static_cast<double>(std::fabs(actual - expected) / unit);
}

template <class T>
std::vector<T> arguments() {
  using limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (const T x : {T(0),
                    limits::infinity(),
                    limits::denorm_min(),
                    limits::min() / 2,
                    limits::min(),
                    T(1e-30),
                    T(1e-10),
                    T(0.5),
                    std::nextafter(T(1), T(0)),
                    T(1),
                    std::nextafter(T(1), T(2)),
                    T(1.5),
                    T(2),
                    T(3),
                    T(10),
                    T(88.8),
                    T(104),
                    T(710),
                    T(746),
                    T(1e5),
                    T(16777217),
                    T(1e18),
                    T(1e30),
                    std::sqrt(limits::max()),
                    limits::max()}) {
    result.push_back(x);
    result.push_back(-x);
  }
  result.push_back(limits::quiet_NaN());
  return result;
}

template <class T>
void append_random(std::vector<T>& values, int count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<T> unit(T(-1), T(1));
  for (int i = 0; i < count; ++i) {
    for (const T scale : {T(1), T(4), T(100), T(1e5)}) values.push_back(scale * unit(random));
    values.push_back(std::exp2(T(100) * unit(random)));
  }
}

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
