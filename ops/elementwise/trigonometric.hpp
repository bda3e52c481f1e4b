// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct acos {
  static constexpr OpInfo info{
      .name = "acos",
      .doc =
          "Compute the inverse cosine element-wise, in radians, in [0, pi].\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for real x outside [-1, 1].\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::acos(x);
  }
};

struct acosh {
  static constexpr OpInfo info{
      .name = "acosh",
      .doc =
          "Compute the inverse hyperbolic cosine element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for real x below 1.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::acosh(x);
  }
};

struct angle {
  static constexpr OpInfo info{
      .name = "angle",
      .doc =
          "Return the angle of a real number: pi if the sign bit is set, otherwise 0; NaN for NaN.",
      .is_private = true,
  };
  static constexpr bool of_bits = true;
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    using B = bits_t<T>;
    constexpr B pi = math::to_bits(static_cast<T>(3.141592653589793));
    const B bits = math::to_bits(x);
    const B magnitude = static_cast<B>(bits & ~sign_bit<T>);
    const B sign_angle = magnitude == bits ? B(0) : pi;
    return math::from_bits<T>(magnitude > math::to_bits(math::infinity<T>()) ? bits : sign_angle);
  }
};

struct asin {
  static constexpr OpInfo info{
      .name = "asin",
      .doc =
          "Compute the inverse sine element-wise, in radians, in [-pi/2, pi/2].\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for real x outside [-1, 1].\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::asin(x);
  }
};

struct asinh {
  static constexpr OpInfo info{
      .name = "asinh",
      .doc =
          "Compute the inverse hyperbolic sine element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::asinh(x);
  }
};

struct atan {
  static constexpr OpInfo info{
      .name = "atan",
      .doc =
          "Compute the inverse tangent element-wise, in radians, in [-pi/2, pi/2].\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::atan(x);
  }
};

struct atan2 {
  static constexpr OpInfo info{
      .name = "atan2",
      .doc =
          "Compute the angle of the point (x2, x1) element-wise, in radians, in [-pi, pi].\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. The sign of a zero "
          "selects\nthe side of the branch cut.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::atan2(x1, x2);
  }
};

struct atanh {
  static constexpr OpInfo info{
      .name = "atanh",
      .doc =
          "Compute the inverse hyperbolic tangent element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for real x outside [-1, 1], infinite at its ends.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::atanh(x);
  }
};

struct cos {
  static constexpr OpInfo info{
      .name = "cos",
      .doc =
          "Compute the cosine element-wise; x is in radians.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for infinite real x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::cos(x);
  }
};

struct cosh {
  static constexpr OpInfo info{
      .name = "cosh",
      .doc =
          "Compute the hyperbolic cosine element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::cosh(x);
  }
};

struct deg2rad {
  static constexpr OpInfo info{
      .name = "deg2rad",
      .doc =
          "Convert degrees to radians.\n\n"
          "Real floating-point dtypes; the result has the dtype of x.",
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x * T(0.017453292519943295);
  }
};

struct rad2deg {
  static constexpr OpInfo info{
      .name = "rad2deg",
      .doc =
          "Convert radians to degrees.\n\n"
          "Real floating-point dtypes; the result has the dtype of x.",
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x * T(57.29577951308232);
  }
};

struct sin {
  static constexpr OpInfo info{
      .name = "sin",
      .doc =
          "Compute the sine element-wise; x is in radians.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for infinite real x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::sin(x);
  }
};

struct sinh {
  static constexpr OpInfo info{
      .name = "sinh",
      .doc =
          "Compute the hyperbolic sine element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::sinh(x);
  }
};

struct tan {
  static constexpr OpInfo info{
      .name = "tan",
      .doc =
          "Compute the tangent element-wise; x is in radians.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "NaN for infinite real x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::tan(x);
  }
};

struct tanh {
  static constexpr OpInfo info{
      .name = "tanh",
      .doc =
          "Compute the hyperbolic tangent element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::tanh(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
