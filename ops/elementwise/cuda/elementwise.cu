// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Elementwise kernels.

#include "enabled_dtypes.hpp"
#include "ops/elementwise/cuda/operation_group.cuh"
#include "ops/elementwise/stand_in.hpp"
#include "ops/kernel/unit.hpp"
#include "ops/move/cuda/casts.cuh"

namespace skerry {
namespace native {
namespace {

/// The native kernel of Op over T...; its parameter is a plan.
template <class Op, bool IsSwapped, class... T>
int operation(const void* params, launch_context* context) {
  using Out = ops::result_t<Op, T...>;
  const plan& operands = *static_cast<const plan*>(params);
  const auto contiguous = contiguous_operation<Op, T...>();
  const auto beside_value = operation_with_value<Op, T...>();
  const auto strided = grouped<Op, T...>();
  if constexpr (IsSwapped) {
    return run_elementwise<Out, T...>(with_swapped_inputs(operands), context, contiguous,
                                      beside_value, strided);
  } else {
    return run_elementwise<Out, T...>(operands, context, contiguous, beside_value, strided);
  }
}

template <class T, int Arity, class Op>
void fill_operation(kernel& entry) {
  if constexpr (ops::supports<Op, T, Arity>) {
    using S = typename ops::stand_in<Op, T>::type;
    using Run = typename ops::stand_in<Op, T>::operation;
    if constexpr (Arity == 1) {
      entry.native = &operation<Run, false, S>;
    } else if constexpr (Arity == 2) {
      entry.native = &operation<Run, ops::has_swapped_operands<Op>, S, S>;
    } else {
      entry.native = &operation<Run, false, S, S, S>;
    }
  }
}

template <class T, int Arity, class... Ops>
void fill_operations(elementwise_kernels& table, int row, ops::type_list<Ops...>) {
  constexpr auto column = static_cast<int>(dtype_of<T>);
  (fill_operation<T, Arity, Ops>(table.loop[row++][column]), ...);
}

template <class T>
void fill(elementwise_kernels& table) {
  fill_operations<T, 1>(table, 0, ops::unary_ops{});
  fill_operations<T, 2>(table, unary_count, ops::binary_ops{});
  fill_operations<T, 3>(table, unary_count + binary_count, ops::ternary_ops{});
#define SKERRY_FILL_CAST(name) fill_cast<T, type_of<dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL_CAST)
#undef SKERRY_FILL_CAST
}

}  // namespace

SKERRY_KERNEL_UNIT(elementwise)

}  // namespace native
}  // namespace skerry
