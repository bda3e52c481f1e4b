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
          "The inverse cosine in radians, in [0, pi].\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN outside [-1, 1] (real dtypes).\n"
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
          "The inverse hyperbolic cosine.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN below 1 (real dtypes).\n"
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
      .doc = "The angle of a real number: pi where the sign bit is set, else 0; NaN for NaN.",
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
          "The inverse sine in radians, in [-pi/2, pi/2].\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN outside [-1, 1] (real dtypes).\n"
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
          "The inverse hyperbolic sine.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
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
          "The inverse tangent in radians, in [-pi/2, pi/2].\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
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
          "The angle in radians, in [-pi, pi], of the point with coordinates x2 and x1.\n\n"
          "Real floating dtypes; the result has their promoted dtype. Signed zeros choose the side "
          "of the cut.\n"
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
          "The inverse hyperbolic tangent.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN outside [-1, 1] (real dtypes), infinite at its ends.\n"
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
          "The cosine of an angle in radians.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN for infinities (real dtypes).\n"
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
          "The hyperbolic cosine.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
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
      .doc = "Degrees as radians.\n\nReal floating dtypes; the result has the dtype of x.",
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
      .doc = "Radians as degrees.\n\nReal floating dtypes; the result has the dtype of x.",
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
          "The sine of an angle in radians.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN for infinities (real dtypes).\n"
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
          "The hyperbolic sine.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
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
          "The tangent of an angle in radians.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "NaN for infinities (real dtypes).\n"
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
          "The hyperbolic tangent.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .expensive = true,
  };
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::tanh(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
