// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct abs {
  static constexpr OpInfo info{
      .name = "abs",
      .doc =
          "Return the absolute value element-wise.\n\n"
          "Numeric dtypes; the result has the dtype of x, or for complex x the real dtype\nof its "
          "precision. "
          "The smallest signed integer wraps around to itself.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <signed_integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x < T(0) ? wrapping_subtract(T(0), x) : x;
  }
  template <unsigned_integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::without_sign(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE real_part_t<T> operator()(T x) const {
    return math::abs(x);
  }
};

struct add {
  static constexpr OpInfo info{
      .name = "add",
      .doc =
          "Add the arguments element-wise.\n\n"
          "Numeric dtypes; the result has their promoted dtype. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::add,
  };
  template <numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return wrapping_add(x1, x2);
  }
};

struct clip {
  static constexpr OpInfo info{
      .name = "clip",
      .doc =
          "Limit the values of x to the range from min to max.\n\n"
          "Real dtypes; the result has the dtype of x. NaN if any argument is "
          "NaN; max if min > max.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x, T min, T max) const {
    return math::clip(x, min, max);
  }
};

struct copysign {
  static constexpr OpInfo info{
      .name = "copysign",
      .doc =
          "Return the magnitude of x1 with the sign of x2, element-wise.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype.\n"
          "Zeros and NaNs have a sign, too.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::copysign(x1, x2);
  }
};

struct divide {
  static constexpr OpInfo info{
      .name = "divide",
      .doc =
          "Divide the arguments element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has their promoted dtype.\n"
          "Correctly rounded for real dtypes.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::divide,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return x1 / x2;
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::divide(x1, x2);
  }
};

struct fabs {
  static constexpr OpInfo info{
      .name = "fabs",
      .doc =
          "Return the absolute value element-wise.\n\n"
          "Real floating-point dtypes; the result has the dtype of x.",
      .is_private = true,
  };
  static constexpr bool of_bits = true;
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::without_sign(x);
  }
};

struct floor_divide {
  static constexpr OpInfo info{
      .name = "floor_divide",
      .doc =
          "Return the largest integer not greater than x1 / x2, element-wise.\n\n"
          "Real dtypes; the result has their promoted dtype.\n"
          "For infinities it is floor(x1 / x2); integer division by zero gives 0.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::floor_divide(x1, x2);
  }
};

struct fmax {
  static constexpr OpInfo info{
      .name = "fmax",
      .doc =
          "Return the element-wise maximum; if one argument is NaN, the other one.\n\n"
          "Real dtypes; the result has their promoted dtype.",
      .is_private = true,
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::maximum(x1, x2);
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::select((x2 > x1) | (x1 != x1), x2, x1);
  }
};

struct fmin {
  static constexpr OpInfo info{
      .name = "fmin",
      .doc =
          "Return the element-wise minimum; if one argument is NaN, the other one.\n\n"
          "Real dtypes; the result has their promoted dtype.",
      .is_private = true,
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::minimum(x1, x2);
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::select((x2 < x1) | (x1 != x1), x2, x1);
  }
};

struct fmod {
  static constexpr OpInfo info{
      .name = "fmod",
      .doc =
          "Return the element-wise remainder of truncating division, with the sign of x1, as C's "
          "fmod.\n\n"
          "Real dtypes; the result has their promoted dtype. Integer division by zero gives 0.",
      .is_private = true,
  };
  /// Subtracts x2 from the remainder of floor division where the signs differ.
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    const T rest = math::remainder(x1, x2);
    if constexpr (unsigned_integral<T>) {
      return rest;
    } else {
      const bool needs_correction = (rest != T(0)) & ((x1 < T(0)) != (x2 < T(0)));
      return wrapping_subtract(rest, needs_correction ? x2 : T(0));
    }
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::copysign(math::truncated_rest(x1, x2), x1);
  }
};

struct gcd {
  static constexpr OpInfo info{
      .name = "gcd",
      .doc =
          "Return the greatest common divisor element-wise.\n\n"
          "Integer dtypes; the result has their promoted dtype. 0 if both are 0.",
      .expensive = true,
      .is_private = true,
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::gcd(x1, x2);
  }
};

struct heaviside {
  static constexpr OpInfo info{
      .name = "heaviside",
      .doc =
          "Compute the Heaviside step function: 0 if x1 < 0, x2 if x1 == 0, 1 if x1 > 0.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. NaN for NaN.",
      .is_private = true,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    const T step = x1 < T(0) ? T(0) : T(1);
    return math::select(x1 != x1, x1, math::select(x1 == T(0), x2, step));
  }
};

struct maximum {
  static constexpr OpInfo info{
      .name = "maximum",
      .doc =
          "Return the element-wise maximum; NaN if either argument is NaN.\n\n"
          "Real dtypes; the result has their promoted dtype.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::maximum(x1, x2);
  }
};

struct minimum {
  static constexpr OpInfo info{
      .name = "minimum",
      .doc =
          "Return the element-wise minimum; NaN if either argument is NaN.\n\n"
          "Real dtypes; the result has their promoted dtype.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::minimum(x1, x2);
  }
};

struct multiply {
  static constexpr OpInfo info{
      .name = "multiply",
      .doc =
          "Multiply the arguments element-wise.\n\n"
          "Numeric dtypes; the result has their promoted dtype. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::multiply,
  };
  template <numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return wrapping_multiply(x1, x2);
  }
};

struct negative {
  static constexpr OpInfo info{
      .name = "negative",
      .doc =
          "Return the negative, -x, element-wise.\n\n"
          "Numeric dtypes; the result has the dtype of x. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::negative,
  };
  static constexpr bool of_bits = true;
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return wrapping_subtract(T(0), x);
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::negated(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return {math::negated(x.re), math::negated(x.im)};
  }
};

struct nextafter {
  static constexpr OpInfo info{
      .name = "nextafter",
      .doc =
          "Return the next floating-point value after x1 towards x2, element-wise.\n\n"
          "Real floating-point dtypes; the result has their promoted dtype. x2 if both are equal.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::nextafter(x1, x2);
  }
};

struct positive {
  static constexpr OpInfo info{
      .name = "positive",
      .doc =
          "Return +x, a copy of x.\n\n"
          "Numeric dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
};

struct reciprocal {
  static constexpr OpInfo info{
      .name = "reciprocal",
      .doc =
          "Return the reciprocal, 1 / x, element-wise.\n\n"
          "Real and complex floating-point dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::reciprocal,
  };
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return T(1) / x;
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::divide(T(1), x);
  }
};

struct remainder {
  static constexpr OpInfo info{
      .name = "remainder",
      .doc =
          "Return the element-wise remainder of floor division, with the sign of x2, as Python's "
          "%.\n\n"
          "Real dtypes; the result has their promoted dtype. Integer division by zero gives 0.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::remainder(x1, x2);
  }
};

struct sign {
  static constexpr OpInfo info{
      .name = "sign",
      .doc =
          "Return the sign element-wise: -1, 0 or 1, or x / abs(x) for complex x.\n\n"
          "Numeric dtypes; the result has the dtype of x. NaN for NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <signed_integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    const T positive = x > T(0) ? T(1) : T(0);
    return x < T(0) ? T(-1) : positive;
  }
  template <unsigned_integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return static_cast<T>(x != T(0));
  }
  template <floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::sign(x);
  }
};

struct square {
  static constexpr OpInfo info{
      .name = "square",
      .doc =
          "Return the square, x * x, element-wise.\n\n"
          "Numeric dtypes; the result has the dtype of x. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::square,
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return wrapping_multiply(x, x);
  }
  /// Computes re^2 - im^2 without overflow of either square. Adds 0 to turn -0 into +0, which is
  /// the difference of two equal squares.
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    const auto cross = x.re * x.im;
    return {(x.re - x.im) * (x.re + x.im) + real_part_t<T>(0), cross + cross};
  }
};

struct subtract {
  static constexpr OpInfo info{
      .name = "subtract",
      .doc =
          "Subtract the arguments element-wise.\n\n"
          "Numeric dtypes; the result has their promoted dtype. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::subtract,
  };
  template <numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return wrapping_subtract(x1, x2);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
