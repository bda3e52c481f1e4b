// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/elementwise/list.hpp"

namespace skerry {

inline constexpr int unary_count = ops::size_of<ops::unary_ops>;
inline constexpr int binary_count = ops::size_of<ops::binary_ops>;
inline constexpr int ternary_count = ops::size_of<ops::ternary_ops>;
/// Number of elementwise operations. They are numbered: unary ones first, then binary and ternary
/// ones, in the order of their lists.
inline constexpr int elementwise_count = unary_count + binary_count + ternary_count;

template <int Arity, class Use, class... Ops>
constexpr void for_each_of(ops::type_list<Ops...>, int number, Use& use) {
  (use.template operator()<Ops, Arity>(number++), ...);
}
/// Calls use.operator()<Op, Arity>(number) for each operation.
template <class Use>
constexpr void for_each_operation(Use use) {
  for_each_of<1>(ops::unary_ops{}, 0, use);
  for_each_of<2>(ops::binary_ops{}, unary_count, use);
  for_each_of<3>(ops::ternary_ops{}, unary_count + binary_count, use);
}

struct ElementwiseKernels {
  /// Indexed by operation and dtype. Operands: the output, of the result dtype; inputs of the
  /// dtype.
  Kernel<Plan> kernel[elementwise_count][dtype_count];
};

}  // namespace skerry
