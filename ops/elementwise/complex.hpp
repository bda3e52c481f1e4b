// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct conj {
  static constexpr OpInfo info{
      .name = "conj",
      .doc =
          "Return the complex conjugate element-wise; real values are unchanged.\n\n"
          "Numeric dtypes; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  static constexpr bool of_bits = true;
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return {x.re, math::negated(x.im)};
  }
};

struct imag {
  static constexpr OpInfo info{
      .name = "imag",
      .doc =
          "Return the imaginary part element-wise.\n\n"
          "Numeric dtypes; for complex x the result has the real dtype of its precision,\nfor real "
          "x it is 0 with the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE real_part_t<T> operator()(T x) const {
    return x.im;
  }
};

struct real {
  static constexpr OpInfo info{
      .name = "real",
      .doc =
          "Return the real part element-wise; real values are unchanged.\n\n"
          "Numeric dtypes; the result has the dtype of x, or for complex x the real dtype\nof its "
          "precision.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <real_numeric T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE real_part_t<T> operator()(T x) const {
    return x.re;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
