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
// One topic a file; here is the list of them all.

using reductions =
    type_list<all, any, argmax, argmin, count_nonzero, max, mean, min, prod, std_, sum, var>;

template <class Op, class T>
concept reduces = requires(T x) { Op::load(x); } || requires(T x) { Op::load(x, int64{}); };

/// Whether the accumulator knows where elements are; there is one reduced axis then.
template <class Op>
inline constexpr bool takes_index = requires { Op::takes_index; };

template <class Op, class T>
  requires reduces<Op, T>
SKERRY_HD SKERRY_INLINE auto load_at(T x, [[maybe_unused]] int64 index) {
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
using reduced_t = decltype(Op::finish(accumulator_t<Op, T>{}, reduced{}));

}  // namespace skerry::inline SKERRY_TARGET::ops
