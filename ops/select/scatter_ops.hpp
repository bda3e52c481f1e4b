// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/real.hpp"
#include "ops/select/scatter_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Whether elements of T can be combined by an operation.
template <scatter_op Op, class T>
inline constexpr bool can_scatter =
    Op == scatter_op::bitwise_and || Op == scatter_op::bitwise_or || Op == scatter_op::bitwise_xor
        ? ops::integral_or_boolean<T>
    : Op == scatter_op::minimum || Op == scatter_op::maximum ? ops::real_numeric<T>
                                                             : ops::numeric<T>;

/// In the dtype that is computed in.
template <scatter_op Op, class C>
SKERRY_HD SKERRY_INLINE C combine(C a, C b) {
  if constexpr (Op == scatter_op::add) return ops::wrapping_add(a, b);
  if constexpr (Op == scatter_op::subtract) return ops::wrapping_subtract(a, b);
  if constexpr (Op == scatter_op::multiply) return ops::wrapping_multiply(a, b);
  if constexpr (Op == scatter_op::minimum) return ops::math::minimum(a, b);
  if constexpr (Op == scatter_op::maximum) return ops::math::maximum(a, b);
  if constexpr (Op == scatter_op::bitwise_and) return static_cast<C>(a & b);
  if constexpr (Op == scatter_op::bitwise_or) return static_cast<C>(a | b);
  if constexpr (Op == scatter_op::bitwise_xor) return static_cast<C>(a ^ b);
}

/// Calls `use.template operator()<Op>()` for each operation.
template <class Use>
void for_each_scatter_op(Use use) {
  use.template operator()<scatter_op::add>();
  use.template operator()<scatter_op::subtract>();
  use.template operator()<scatter_op::multiply>();
  use.template operator()<scatter_op::minimum>();
  use.template operator()<scatter_op::maximum>();
  use.template operator()<scatter_op::bitwise_and>();
  use.template operator()<scatter_op::bitwise_or>();
  use.template operator()<scatter_op::bitwise_xor>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
