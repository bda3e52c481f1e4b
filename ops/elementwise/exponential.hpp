// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct cbrt {
  static constexpr OpInfo info{
      .name = "cbrt",
      .doc =
          "Compute the cube root element-wise.\n\n"
          "Real floating-point dtypes; the result has the dtype of x, and its sign.",
      .expensive = true,
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::cbrt(x);
  }
};

struct exp {
  static constexpr OpInfo info{
      .name = "exp",
      .doc =
          "Compute the exponential, e**x, element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
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
      .doc =
          "Compute 2**x element-wise.\n\n"
          "Real floating-point dtypes; the result has the dtype of x.",
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
          "Compute exp(x) - 1 element-wise, accurate near zero.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
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
          "Return the hypotenuse, sqrt(x1**2 + x2**2), element-wise, without undue overflow.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. Infinite if either\n"
          "argument is, even if the other one is NaN.\n"
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
          "Compute the natural logarithm element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for negative real x; for complex x, the branch cut is the negative real axis.\n"
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
          "Compute the base-10 logarithm element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for negative real x.\n"
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
          "Compute log(1 + x) element-wise, accurate near zero.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for real x below -1.\n"
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
          "Compute the base-2 logarithm element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for negative real x.\n"
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
          "Compute log(exp(x1) + exp(x2)) element-wise, without undue overflow.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. NaN if either argument "
          "is.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::logaddexp(x1, x2);
  }
};

struct logaddexp2 {
  static constexpr OpInfo info{
      .name = "logaddexp2",
      .doc =
          "Compute log2(2**x1 + 2**x2) element-wise, without undue overflow.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. NaN if either argument "
          "is.",
      .expensive = true,
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::logaddexp2(x1, x2);
  }
};

struct pow {
  static constexpr OpInfo info{
      .name = "pow",
      .doc =
          "Raise x1 to the power of x2, element-wise.\n\n"
          "Numeric dtypes; the result has their promoted dtype. x**0 and 1**x are 1 even for NaN.\n"
          "For real x, x**2 is x * x, and x**-1 is 1 / x, also with an array of exponents.\n"
          "Integers wrap around. For integer x1, a negative Python int as exponent raises "
          "ValueError;\n"
          "in an array of exponents it gives 0 unless x1 is 1 or -1.\n"
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
          "Return the principal square root element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for negative real x; sqrt(-0) is -0.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::sqrt(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
