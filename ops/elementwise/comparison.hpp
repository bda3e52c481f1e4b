// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct equal {
  static constexpr OpInfo info{
      .name = "equal",
      .doc =
          "Return x1 == x2 element-wise.\n\n"
          "Any dtypes that promote; the result is bool. NaN equals nothing.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <any_dtype T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 == x2;
  }
};

struct greater {
  static constexpr OpInfo info{
      .name = "greater",
      .doc =
          "Return x1 > x2 element-wise.\n\n"
          "Real dtypes; the result is bool, False for NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 > x2;
  }
};

struct greater_equal {
  static constexpr OpInfo info{
      .name = "greater_equal",
      .doc =
          "Return x1 >= x2 element-wise.\n\n"
          "Real dtypes; the result is bool, False for NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 >= x2;
  }
};

struct isfinite {
  static constexpr OpInfo info{
      .name = "isfinite",
      .doc =
          "Test element-wise for finite values: neither infinity nor NaN.\n\n"
          "Numeric dtypes; the result is bool. Complex x is finite if both parts are.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool result_for_integers = true;  ///< of every integer, without reading it
  template <integral T>
  SKERRY_HD SKERRY_INLINE bool operator()(T) const {
    return true;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isfinite(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isfinite(x.re) & math::isfinite(x.im);
  }
};

struct isinf {
  static constexpr OpInfo info{
      .name = "isinf",
      .doc =
          "Test element-wise for positive or negative infinity.\n\n"
          "Numeric dtypes; the result is bool. Complex x is infinite if either part is.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool result_for_integers = false;  ///< of every integer, without reading it
  template <integral T>
  SKERRY_HD SKERRY_INLINE bool operator()(T) const {
    return false;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isinf(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isinf(x.re) | math::isinf(x.im);
  }
};

struct isnan {
  static constexpr OpInfo info{
      .name = "isnan",
      .doc =
          "Test element-wise for NaN.\n\n"
          "Numeric dtypes; the result is bool. Complex x is NaN if either part is.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool result_for_integers = false;  ///< of every integer, without reading it
  template <integral T>
  SKERRY_HD SKERRY_INLINE bool operator()(T) const {
    return false;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isnan(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::isnan(x.re) | math::isnan(x.im);
  }
};

struct less {
  static constexpr OpInfo info{
      .name = "less",
      .doc =
          "Return x1 < x2 element-wise.\n\n"
          "Real dtypes; the result is bool, False for NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 < x2;
  }
};

struct less_equal {
  static constexpr OpInfo info{
      .name = "less_equal",
      .doc =
          "Return x1 <= x2 element-wise.\n\n"
          "Real dtypes; the result is bool, False for NaN.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 <= x2;
  }
};

struct not_equal {
  static constexpr OpInfo info{
      .name = "not_equal",
      .doc =
          "Return x1 != x2 element-wise.\n\n"
          "Any dtypes that promote; the result is bool. NaN equals nothing.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <any_dtype T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x1, T x2) const {
    return x1 != x2;
  }
};

struct signbit {
  static constexpr OpInfo info{
      .name = "signbit",
      .doc =
          "Return True where the sign bit is set, element-wise; also for -0.\n\n"
          "Real floating-point dtypes; the result is bool.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE bool operator()(T x) const {
    return math::signbit(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
