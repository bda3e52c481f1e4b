// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/extrema.hpp"
#include "ops/reduce/sums.hpp"
#include "ops/reduce/truth.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

// A reduction is declared once, like an elementwise operation. `load` turns an element (and its
// index along the one reduced axis, if it takes two arguments) into an accumulator; its constraint
// defines the supported dtypes. `identity` and `combine` form a commutative monoid. `finish`
// computes the result from the accumulator and the arguments of the call. How a kernel splits the
// work changes results by rounding only, and each kernel splits the same way in every run. Elements
// of a storage-only dtype are loaded in their compute dtype, and the result is rounded
// back once, here, for all reductions. Each file covers one topic; the list of all reductions
// follows.

using reductions = type_list<all, any, argmax, argmin, count_nonzero, max, mean, min, nanmax,
                             nanmin, prod, std_, sum, var>;

namespace detail {
template <class Op, class T>
struct loaded {
  using type = computed_t<T>;
};
template <class Op, class T>
  requires requires { Op::of_bits; }
struct loaded<Op, T> {
  using type = T;
};

template <class T, class R>
struct rounded {
  using type = R;
};
template <stored_only T>
struct rounded<T, computed_t<T>> {
  using type = T;
};
}  // namespace detail

/// Argument type of `load` for elements of type T: T itself for operations on bits (`of_bits`),
/// otherwise the compute type.
template <class Op, class T>
using loaded_t = typename detail::loaded<Op, T>::type;

template <class Op, class T>
concept reduces = requires(loaded_t<Op, T> x) { Op::load(x); } ||
                  requires(loaded_t<Op, T> x) { Op::load(x, int64{}); };

/// True if the accumulator stores element indices; such a reduction has one reduced axis.
template <class Op>
inline constexpr bool takes_index = requires { Op::takes_index; };

template <class Op, class T>
  requires reduces<Op, T>
SKERRY_HD SKERRY_INLINE auto load_at(T item, [[maybe_unused]] int64 index) {
  const loaded_t<Op, T> x = item;
  if constexpr (takes_index<Op>) {
    return Op::load(x, index);
  } else {
    return Op::load(x);
  }
}

template <class Op, class T>
using accumulator_t = decltype(load_at<Op>(T{}, int64{}));
/// Result type of the reduction of elements of type T.
template <class Op, class T>
using reduced_t =
    typename detail::rounded<T, decltype(Op::finish(accumulator_t<Op, T>{}, Reduced{}))>::type;

/// Returns the final result as R, a reduced_t.
template <class Op, class R, class A>
SKERRY_HD SKERRY_INLINE R finish_as(const A& a, const Reduced& reduced) {
  return static_cast<R>(Op::finish(a, reduced));
}

}  // namespace skerry::inline SKERRY_TARGET::ops
