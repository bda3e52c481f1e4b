// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/real.hpp"
#include "ops/select/scatter_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// True if the operation supports elements of T.
template <ScatterOp Op, class T>
inline constexpr bool can_scatter =
    Op == ScatterOp::bitwise_and || Op == ScatterOp::bitwise_or || Op == ScatterOp::bitwise_xor
        ? ops::integral_or_boolean<T>
    : Op == ScatterOp::minimum || Op == ScatterOp::maximum ? ops::real_numeric<T>
                                                           : ops::numeric<T>;

/// Combines values in the compute dtype.
template <ScatterOp Op, class C>
SKERRY_HD SKERRY_INLINE C combine(C a, C b) {
  if constexpr (Op == ScatterOp::add) return ops::wrapping_add(a, b);
  if constexpr (Op == ScatterOp::subtract) return ops::wrapping_subtract(a, b);
  if constexpr (Op == ScatterOp::multiply) return ops::wrapping_multiply(a, b);
  if constexpr (Op == ScatterOp::minimum) return ops::math::minimum(a, b);
  if constexpr (Op == ScatterOp::maximum) return ops::math::maximum(a, b);
  if constexpr (Op == ScatterOp::bitwise_and) return static_cast<C>(a & b);
  if constexpr (Op == ScatterOp::bitwise_or) return static_cast<C>(a | b);
  if constexpr (Op == ScatterOp::bitwise_xor) return static_cast<C>(a ^ b);
}

/// Calls `use.template operator()<Op>()` for each operation.
template <class Use>
void for_each_scatter_op(Use use) {
  use.template operator()<ScatterOp::add>();
  use.template operator()<ScatterOp::subtract>();
  use.template operator()<ScatterOp::multiply>();
  use.template operator()<ScatterOp::minimum>();
  use.template operator()<ScatterOp::maximum>();
  use.template operator()<ScatterOp::bitwise_and>();
  use.template operator()<ScatterOp::bitwise_or>();
  use.template operator()<ScatterOp::bitwise_xor>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
