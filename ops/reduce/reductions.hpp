// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/extrema.hpp"
#include "ops/reduce/sums.hpp"
#include "ops/reduce/truth.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

// A reduction is declared once, as an elementwise operation is: `load` turns an element (and, where
// it takes two arguments, its index along the one reduced axis) into the accumulator (its
// constraint is the dtype table), `identity` and `combine` form a commutative monoid, `finish`
// gives the result from the accumulator and what the call says. Results do not depend on how a
// kernel splits the work beyond rounding, and every kernel splits it the same way in every run.
// Elements of a dtype that is only stored (float16) are loaded as numbers of the one that they are
// computed in, and a result of that one is rounded to theirs, once: here, for all of them.
// One topic a file; here is the list of them all.

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

/// What `load` takes for elements of type T: an operation on bits, `of_bits`, takes them as they
/// are.
template <class Op, class T>
using loaded_t = typename detail::loaded<Op, T>::type;

template <class Op, class T>
concept reduces = requires(loaded_t<Op, T> x) { Op::load(x); } ||
                  requires(loaded_t<Op, T> x) { Op::load(x, int64{}); };

/// Whether the accumulator knows where elements are; there is one reduced axis then.
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
/// What the reduction of elements of type T returns.
template <class Op, class T>
using reduced_t =
    typename detail::rounded<T, decltype(Op::finish(accumulator_t<Op, T>{}, Reduced{}))>::type;

/// The result of type R, a reduced_t.
template <class Op, class R, class A>
SKERRY_HD SKERRY_INLINE R finish_as(const A& a, const Reduced& reduced) {
  return static_cast<R>(Op::finish(a, reduced));
}

}  // namespace skerry::inline SKERRY_TARGET::ops
