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
          "The absolute value.\n\n"
          "Numeric dtypes; the result has the dtype of x, for complex x "
          "the real one of its width.\n"
          "The least signed integer wraps around to itself.\n"
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
          "The sum.\n\n"
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
          "x limited to the range from min to max.\n\n"
          "Real dtypes; the result has the dtype of x. NaN if any of the "
          "three is; max where min > max.\n"
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
          "The magnitude of x1 with the sign of x2.\n\n"
          "Real floating dtypes; the result has their promoted dtype. "
          "The signs of zeros and NaNs count.\n"
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
          "The quotient, correctly rounded for real dtypes.\n\n"
          "Floating dtypes, complex ones included; the result has their promoted dtype.\n"
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
      .doc = "The absolute value.\n\nReal floating dtypes; the result has the dtype of x.",
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
          "The quotient rounded towards minus infinity.\n\n"
          "Real dtypes; the result has their promoted dtype.\n"
          "Follows floor(x1 / x2) for infinities; integer division by zero gives 0.\n"
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
          "The greater of x1 and x2; where one is NaN, the other.\n\n"
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
          "The lesser of x1 and x2; where one is NaN, the other.\n\n"
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
          "The remainder of a division rounded towards zero, with the sign of x1: C's fmod.\n\n"
          "Real dtypes; the result has their promoted dtype. Integer division by zero gives 0.",
      .is_private = true,
  };
  /// The remainder of floor division is one x2 too far where the signs differ.
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

struct heaviside {
  static constexpr OpInfo info{
      .name = "heaviside",
      .doc =
          "0 for negative x1, 1 for positive ones, x2 for zeros; NaN for NaN.\n\n"
          "Real floating dtypes; the result has their promoted dtype.",
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
          "The greater of x1 and x2; NaN if either is.\n\n"
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
          "The lesser of x1 and x2; NaN if either is.\n\n"
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
          "The product.\n\n"
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
          "The negated value.\n\n"
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
          "The next representable value after x1 in the direction of x2.\n\n"
          "Real floating dtypes; the result has their promoted dtype. Equal operands give x2.\n"
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
          "The value itself, as a new array.\n\n"
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
          "1 / x.\n\n"
          "Floating dtypes, complex ones included; the result has the dtype of x.\n"
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
          "The remainder of floor division, with the sign of x2: Python's %.\n\n"
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
          "-1, 0 or 1 by the sign of x; x / abs(x) for complex x.\n\n"
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
          "x * x.\n\n"
          "Numeric dtypes; the result has the dtype of x. Integers wrap around.\n"
          "Source: array API 2025.12, elementwise functions.",
      .chain = ChainStep::square,
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return wrapping_multiply(x, x);
  }
  /// re^2 - im^2 without overflow of either; + 0, for a zero is never negative.
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
          "The difference.\n\n"
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
