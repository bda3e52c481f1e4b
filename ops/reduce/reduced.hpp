// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

/// What `finish` gets in addition to the accumulator.
struct Reduced {
  int64 count;         ///< elements of each result
  float64 correction;  ///< for var and std
};

namespace detail {
template <class T>
struct wide {
  using type = T;
};
template <>
struct wide<bool> {
  using type = int64;
};
template <signed_integral T>
struct wide<T> {
  using type = int64;
};
template <unsigned_integral T>
struct wide<T> {
  using type = uint64;
};

struct gives_accumulator {
  template <class A>
  SKERRY_HD static A finish(A a, const Reduced&) {
    return a;
  }
};
}  // namespace detail

/// Accumulator type for sums and products of T: int64 or uint64 for integers, int64 for bool, T for
/// floating types.
template <class T>
using wide_t = typename detail::wide<T>::type;

}  // namespace skerry::inline SKERRY_TARGET::ops
