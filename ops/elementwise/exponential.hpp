// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct exp {
  static constexpr OpInfo info{
      .name = "exp",
      .doc =
          "The exponential, e to the power of x.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::exp(x);
  }
};

struct exp2 {
  static constexpr OpInfo info{
      .name = "exp2",
      .doc = "2 to the power of x.\n\nReal floating dtypes; the result has the dtype of x.",
      .expensive = true,
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::exp2(x);
  }
};

struct expm1 {
  static constexpr OpInfo info{
      .name = "expm1",
      .doc =
          "exp(x) - 1, accurate near zero.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::expm1(x);
  }
};

struct hypot {
  static constexpr OpInfo info{
      .name = "hypot",
      .doc =
          "Square root of the sum of squares, without undue overflow.\n\n"
          "Real floating dtypes; the result has their promoted dtype. An infinity wins over NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::hypot(x1, x2);
  }
};

struct log {
  static constexpr OpInfo info{
      .name = "log",
      .doc =
          "The natural logarithm.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below zero (real dtypes); the branch cut of complex ones is the negative real "
          "axis.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::log(x);
  }
};

struct log10 {
  static constexpr OpInfo info{
      .name = "log10",
      .doc =
          "The logarithm to base 10.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below zero (real dtypes).\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::log10(x);
  }
};

struct log1p {
  static constexpr OpInfo info{
      .name = "log1p",
      .doc =
          "log(1 + x), accurate near zero.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below -1 (real dtypes).\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::log1p(x);
  }
};

struct log2 {
  static constexpr OpInfo info{
      .name = "log2",
      .doc =
          "The logarithm to base 2.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below zero (real dtypes).\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::log2(x);
  }
};

struct logaddexp {
  static constexpr OpInfo info{
      .name = "logaddexp",
      .doc =
          "log(exp(x1) + exp(x2)) without undue overflow.\n\n"
          "Real floating dtypes; the result has their promoted dtype. NaN if either is.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::logaddexp(x1, x2);
  }
};

struct pow {
  static constexpr OpInfo info{
      .name = "pow",
      .doc =
          "x1 to the power of x2.\n\n"
          "Numeric dtypes; the result has their promoted dtype. x**0 and 1**x are 1 even for NaN.\n"
          "Of real x, x**2 is x * x, and x**-1 is 1 / x, by an array of exponents, too.\n"
          "Integers wrap around. A negative Python int as the exponent of integers is a "
          "ValueError; "
          "in an array\nof exponents it gives 0 unless x1 is 1 or -1.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    if constexpr (real_floating<T>) {
      return math::power(x1, x2);
    } else {
      return math::pow(x1, x2);
    }
  }
};

struct sqrt {
  static constexpr OpInfo info{
      .name = "sqrt",
      .doc =
          "The principal square root.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below zero (real dtypes); sqrt(-0) is -0.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::sqrt(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
