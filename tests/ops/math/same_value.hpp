// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace skerry::testing {

/// Succeeds if `actual` is NaN like `expected`, the same infinity, a zero of the same sign, or
/// otherwise within a relative error of four epsilons. `any_sign` ignores the sign.
template <class T>
::testing::AssertionResult same_value(T actual, T expected, bool any_sign = false) {
  if (any_sign) {
    actual = std::fabs(actual);
    expected = std::fabs(expected);
  }
  bool same = false;
  if (std::isnan(expected)) {
    same = std::isnan(actual);
  } else if (expected == 0 || std::isinf(expected)) {
    same = actual == expected && std::signbit(actual) == std::signbit(expected);
  } else {
    const T tolerance = 4 * std::numeric_limits<T>::epsilon() * std::fabs(expected);
    same = std::fabs(actual - expected) <= tolerance;
  }
  if (same) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "got " << actual << ", want " << expected;
}

}  // namespace skerry::testing
