// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct ceil {
  static constexpr OpInfo info{
      .name = "ceil",
      .doc =
          "Return the ceiling element-wise: the smallest integer not less than x.\n\n"
          "Real dtypes; the result has the dtype of x. Infinities, NaN and signed zeros are kept.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::ceil(x);
  }
};

struct floor {
  static constexpr OpInfo info{
      .name = "floor",
      .doc =
          "Return the floor element-wise: the largest integer not greater than x.\n\n"
          "Real dtypes; the result has the dtype of x. Infinities, NaN and signed zeros are kept.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::floor(x);
  }
};

struct nan_to_num {
  static constexpr OpInfo info{
      .name = "nan_to_num",
      .doc =
          "Replace NaN by 0 and infinities by the finite number of largest magnitude and the same "
          "sign; integers are unchanged.",
      .is_private = true,
  };
  static constexpr bool of_bits = true;
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    using B = bits_t<T>;
    constexpr B inf = math::to_bits(math::infinity<T>());
    const B bits = math::to_bits(x);
    const B size = static_cast<B>(bits & ~sign_bit<T>);
    const B finite = static_cast<B>(size == inf ? bits - 1 : bits);
    return math::from_bits<T>(size > inf ? B(0) : finite);
  }
};

struct round {
  static constexpr OpInfo info{
      .name = "round",
      .doc =
          "Round to the nearest integer element-wise, ties to even.\n\n"
          "Numeric dtypes; the result has the dtype of x. Both parts of complex x are rounded.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::rint(x);
  }
  template <complex_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return {math::rint(x.re), math::rint(x.im)};
  }
};

struct trunc {
  static constexpr OpInfo info{
      .name = "trunc",
      .doc =
          "Return the truncated value element-wise: the nearest integer towards zero.\n\n"
          "Real dtypes; the result has the dtype of x. Infinities, NaN and signed zeros are kept.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
  template <real_floating T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::trunc(x);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
