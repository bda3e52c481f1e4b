// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Where a function has a dear case, such as angles of more than 2^40, blocks without an element of
// it are computed by a form that leaves it out. Both forms give the same bits: the choice, which is
// a whole block's, can't be seen in a result.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct ordinary_form<ops::exp, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_exponent<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_exp(x); }
};

#define SKERRY_ORDINARY_ANGLES(name)                                                     \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::real_floating<T>                       \
  struct ordinary_form<ops::name, T> {                                                   \
    static constexpr bool exists = true;                                                 \
    static constexpr T most = ops::math::own::ordinary_angle<T>;                         \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_##name(x); } \
  };
SKERRY_ORDINARY_ANGLES(cos)
SKERRY_ORDINARY_ANGLES(sin)
SKERRY_ORDINARY_ANGLES(tan)
#undef SKERRY_ORDINARY_ANGLES

}  // namespace skerry::inline SKERRY_TARGET::kernels
