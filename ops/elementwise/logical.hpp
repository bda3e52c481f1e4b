// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/complex.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/op_info.hpp"
#include "ops/math/real.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

struct logical_and {
  static constexpr OpInfo info{
      .name = "logical_and",
      .doc =
          "Compute the logical AND element-wise.\n\n"
          "Bool; other dtypes are converted to bool, unless promotion is strict.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 & x2);
  }
};

struct logical_not {
  static constexpr OpInfo info{
      .name = "logical_not",
      .doc =
          "Compute the logical NOT element-wise.\n\n"
          "Bool; other dtypes are converted to bool, unless promotion is strict.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return math::logical_not(x);
  }
};

struct logical_or {
  static constexpr OpInfo info{
      .name = "logical_or",
      .doc =
          "Compute the logical OR element-wise.\n\n"
          "Bool; other dtypes are converted to bool, unless promotion is strict.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 | x2);
  }
};

struct logical_xor {
  static constexpr OpInfo info{
      .name = "logical_xor",
      .doc =
          "Compute the logical XOR element-wise.\n\n"
          "Bool; other dtypes are converted to bool, unless promotion is strict.\n"
          "Source: array API 2025.12, elementwise functions.",
  };
  template <boolean T>
  SKERRY_HD SKERRY_INLINE T operator()(T x1, T x2) const {
    return static_cast<T>(x1 ^ x2);
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
