// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/ieee.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/op_info.hpp"
#include "ops/reduce/reduced.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

/// A candidate for the extremum, and its index; -1: none.
template <class T>
struct Indexed {
  T value;
  int64 index;
};

namespace detail {
/// Returns every NaN with the same bits, so that the result does not depend on which NaN a kernel
/// saw. For zeros of both signs, `combine` keeps the first one.
struct gives_one_nan {
  template <class A>
  SKERRY_HD static A finish(A a, const Reduced&) {
    if constexpr (real_floating<A>) return a != a ? math::nan<A>() : a;
    return a;
  }
};

/// The first NaN wins, as in NumPy; then the better value, then the lower index.
template <class Better>
struct best_index {
  static constexpr bool needs_elements = true;
  static constexpr bool takes_index = true;
  template <real_numeric T>
  SKERRY_HD static Indexed<T> load(T x, int64 index) {
    return {x, index};
  }
  template <class A>
  SKERRY_HD static A identity() {
    return {0, -1};
  }
  template <class T>
  SKERRY_HD static Indexed<T> combine(const Indexed<T>& a, const Indexed<T>& b) {
    const bool b_is_first = b.index >= 0 && (a.index < 0 || b.index < a.index);
    if (a.index < 0 || b.index < 0) return b_is_first ? b : a;
    if (Better::wins(b.value, a.value)) return b;
    if (Better::wins(a.value, b.value)) return a;
    return b_is_first ? b : a;
  }
  template <class T>
  SKERRY_HD static int64 finish(const Indexed<T>& a, const Reduced&) {
    return a.index;
  }

 private:
  friend Better;
  best_index() = default;
};
}  // namespace detail

struct argmax : detail::best_index<argmax> {
  static constexpr OpInfo info{.name = "argmax",
                               .doc =
                                   "The index of the first maximum along the axis.\n\n"
                                   "Takes real dtypes; the result is int64. The first NaN counts "
                                   "as the maximum; -0 equals +0.\n"
                                   "Raises ValueError over no elements.\n"
                                   "Source: array API 2025.12, searching functions."};
  /// True if x beats best, regardless of index: x is NaN and best is not, or x > best. (NaN <= y is
  /// false.)
  template <class T>
  SKERRY_HD static bool wins(T x, T best) {
    return !(x <= best) & (best == best);
  }
};

struct argmin : detail::best_index<argmin> {
  static constexpr OpInfo info{.name = "argmin",
                               .doc =
                                   "The index of the first minimum along the axis.\n\n"
                                   "Takes real dtypes; the result is int64. The first NaN counts "
                                   "as the minimum; -0 equals +0.\n"
                                   "Raises ValueError over no elements.\n"
                                   "Source: array API 2025.12, searching functions."};
  template <class T>
  SKERRY_HD static bool wins(T x, T best) {
    return !(x >= best) & (best == best);
  }
};

struct max : detail::gives_one_nan {
  static constexpr OpInfo info{
      .name = "max",
      .doc =
          "The maximum along the axes; NaN if any element is NaN.\n\n"
          "Takes real dtypes; the result has the dtype of x. Raises ValueError over no elements.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool needs_elements = true;
  template <real_numeric T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return lowest<A>();
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    const A greater = b > a ? b : a;  // compiles to a vector maximum and a blend
    return b != b ? b : greater;
  }
};

struct min : detail::gives_one_nan {
  static constexpr OpInfo info{
      .name = "min",
      .doc =
          "The minimum along the axes; NaN if any element is NaN.\n\n"
          "Takes real dtypes; the result has the dtype of x. Raises ValueError over no elements.\n"
          "Source: array API 2025.12, statistical functions."};
  static constexpr bool needs_elements = true;
  template <real_numeric T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return highest<A>();
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    const A lesser = b < a ? b : a;
    return b != b ? b : lesser;
  }
};

namespace detail {
/// Ignores NaNs. The identity is NaN, so the result is NaN if there is nothing else.
template <class Better>
struct skips_nan : gives_one_nan {
  static constexpr bool needs_elements = true;
  template <real_floating T>
  SKERRY_HD static T load(T x) {
    return x;
  }
  template <class A>
  SKERRY_HD static A identity() {
    return math::nan<A>();
  }
  template <class A>
  SKERRY_HD static A combine(A a, A b) {
    const A better = Better::wins(b, a) ? b : a;  // a if b is NaN
    return a != a ? b : better;
  }

 private:
  friend Better;
  skips_nan() = default;
};
}  // namespace detail

struct nanmax : detail::skips_nan<nanmax> {
  static constexpr OpInfo info{
      .name = "nanmax",
      .doc =
          "The maximum along the axes, ignoring NaN; NaN if all elements are NaN.\n\n"
          "Takes real floating dtypes; the result has the dtype of x. Raises ValueError over no "
          "elements.",
      .is_private = true};
  template <class A>
  SKERRY_HD static bool wins(A x, A best) {
    return x > best;
  }
};

struct nanmin : detail::skips_nan<nanmin> {
  static constexpr OpInfo info{
      .name = "nanmin",
      .doc =
          "The minimum along the axes, ignoring NaN; NaN if all elements are NaN.\n\n"
          "Takes real floating dtypes; the result has the dtype of x. Raises ValueError over no "
          "elements.",
      .is_private = true};
  template <class A>
  SKERRY_HD static bool wins(A x, A best) {
    return x < best;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::ops
