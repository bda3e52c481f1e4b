// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/all.hpp"

// Applies an operation to an element in CUDA kernels. Parsed by NVRTC: no standard header here.

namespace skerry::inline SKERRY_TARGET::ops {

/// True if a result of Op is one of its operands: it needs no rounding, and a NaN keeps its bits.
template <class Op>
inline constexpr bool is_choice = one_of_v<Op, clip, fmax, fmin, heaviside, maximum, minimum>;

/// True if Op over T... is computed in another dtype than the stored one. Functors that only move
/// or convert items have no `info`.
template <class Op, class... T>
inline constexpr bool is_evaluated =
    (stored_only<T> || ...) && requires { Op::info; } && !is_choice<Op>;

template <class Op, class... T>
SKERRY_HD SKERRY_INLINE auto apply(T... x) {
  if constexpr (is_evaluated<Op, T...>) {
    return evaluate<Op>(x...);
  } else {
    return Op{}(x...);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::ops
