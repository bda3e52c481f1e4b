// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

/// Compares functions with libm's in long double.
namespace skerry::testing {

/// Returns the error of `actual` in units of the last place of `expected`; infinite if a special
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
    // A result near the end of the range may be finite or infinite.
    const long double finite = std::isinf(actual) ? expected : actual;
    return std::isinf(finite) || std::fabs(finite) < limits::max() * (1 - 8 * limits::epsilon())
               ? INFINITY
               : 1;
  }
  // Uses the exponent of the exact value: `rounded` may be the next power of two, with a larger
  // ulp.
  const int exponent = std::max(std::ilogb(expected), limits::min_exponent - 1);
  const long double unit = std::ldexp(1.0L, exponent - limits::digits + 1);
  return static_cast<double>(std::fabs(actual - expected) / unit);
}

/// Returns special values, and arguments around which functions change their method.
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

}  // namespace skerry::testing
