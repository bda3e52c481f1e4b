// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct bitwise_and {
  static constexpr OpInfo info{
      .name = "bitwise_and",
      .doc =
          "Compute the bitwise AND element-wise.\n\n"
          "Integer dtypes and bool; the result has their promoted dtype.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral_or_boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 & x2);
  }
};

struct bitwise_count {
  static constexpr OpInfo info{
      .name = "bitwise_count",
      .doc =
          "Count the ones in the bits of abs(x), element-wise.\n\n"
          "Integer dtypes; the result is uint8.",
      .is_private = true,
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE uint8 operator()(T x) const {
    return math::bit_count(x);
  }
};

struct bitwise_invert {
  static constexpr OpInfo info{
      .name = "bitwise_invert",
      .doc =
          "Invert all bits element-wise; logical NOT for bool.\n\n"
          "Integer dtypes and bool; the result has the dtype of x.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::logical_not(x);
  }
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

struct bitwise_left_shift {
  static constexpr OpInfo info{
      .name = "bitwise_left_shift",
      .doc =
          "Shift the bits of x1 to the left by x2, element-wise.\n\n"
          "Integer dtypes; the result has their promoted dtype.\n"
          "0 if x2 is negative or at least the number of bits.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::shift_left(x1, x2);
  }
};

struct bitwise_or {
  static constexpr OpInfo info{
      .name = "bitwise_or",
      .doc =
          "Compute the bitwise OR element-wise.\n\n"
          "Integer dtypes and bool; the result has their promoted dtype.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral_or_boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 | x2);
  }
};

struct bitwise_right_shift {
  static constexpr OpInfo info{
      .name = "bitwise_right_shift",
      .doc =
          "Shift the bits of x1 to the right by x2, element-wise, keeping the sign.\n\n"
          "Integer dtypes; the result has their promoted dtype.\n"
          "0, or -1 for negative x1, if x2 is negative or at least the number of bits.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return math::shift_right(x1, x2);
  }
};

struct bitwise_xor {
  static constexpr OpInfo info{
      .name = "bitwise_xor",
      .doc =
          "Compute the bitwise XOR element-wise.\n\n"
          "Integer dtypes and bool; the result has their promoted dtype.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <integral_or_boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 ^ x2);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
