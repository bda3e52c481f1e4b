// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/reduce/reduced.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

/// Tests stored-only dtypes by their bits: GCC 12 does not vectorize the conversion of float16.
template <any_dtype T>
SKERRY_HD SKERRY_INLINE bool is_true(T x) {
  if constexpr (stored_only<T>) {
    return static_cast<bits_t<T>>(__builtin_bit_cast(bits_t<T>, x) << 1) != 0;  // -0 is false
  } else {
    return x != T(0);
  }
}

struct all : detail::gives_accumulator {
  static constexpr OpInfo info{
      .name = "all",
      .doc =
          "True if all elements along the axes are true (nonzero; NaN counts as true).\n\n"
          "Takes any dtype; the result is bool, True over no elements.\n"
          "Source: array API 2025.12, utility functions."};
  static constexpr bool of_bits = true;
  template <any_dtype T>
  SKERRY_HD static bool load(T x) {
    return is_true(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return true;
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a & b;
  }
};

struct any : detail::gives_accumulator {
  static constexpr OpInfo info{
      .name = "any",
      .doc =
          "True if any element along the axes is true (nonzero; NaN counts as true).\n\n"
          "Takes any dtype; the result is bool, False over no elements.\n"
          "Source: array API 2025.12, utility functions."};
  static constexpr bool of_bits = true;
  template <any_dtype T>
  SKERRY_HD static bool load(T x) {
    return is_true(x);
  }
  template <class A>
  SKERRY_HD static A identity() {
    return false;
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a | b;
  }
};

struct count_nonzero : detail::gives_accumulator {
  static constexpr OpInfo info{
      .name = "count_nonzero",
      .doc =
          "The number of nonzero elements along the axes (NaN counts as nonzero).\n\n"
          "Takes any dtype; the result is int64.\n"
          "Source: array API 2025.12, searching functions."};
  static constexpr bool of_bits = true;
  template <any_dtype T>
  SKERRY_HD static int64 load(T x) {
    return is_true(x) ? 1 : 0;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return A(0);
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    return a + b;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
