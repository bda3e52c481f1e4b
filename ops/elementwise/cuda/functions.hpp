// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/all.hpp"

// Applies an operation to an element in CUDA kernels. NVRTC parses this file, so it can't include
// standard headers.

namespace skerry::inline SKERRY_TARGET::ops {

/// True if Op returns one of its operands, which needs no rounding: a NaN keeps its bits.
template <class Op>
inline constexpr bool is_choice = one_of_v<Op, clip, fmax, fmin, heaviside, maximum, minimum>;

/// True if Op over T... is computed in a wider dtype than the stored one. Functors without `info`
/// only move or convert items.
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
