// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Elementwise kernels.

#include "enabled_dtypes.hpp"
#include "ops/elementwise/cuda/operation_group.cuh"
#include "ops/kernel/unit.hpp"
#include "ops/move/cuda/casts.cuh"

namespace skerry {
namespace native {
namespace {

/// The native kernel of Op over T...; its parameter is a plan.
template <class Op, class... T>
int operation(const void* params, launch_context* context) {
  using Out = ops::result_t<Op, T...>;
  return run_elementwise<Out, T...>(*static_cast<const plan*>(params), context,
                                    contiguous_operation<Op, T...>(),
                                    operation_with_value<Op, T...>(), grouped<Op, T...>());
}

template <class T, int Arity, class Op>
void fill_operation(kernel& entry) {
  if constexpr (ops::supports<Op, T, Arity>) {
    if constexpr (Arity == 1) {
      entry.native = &operation<Op, T>;
    } else if constexpr (Arity == 2) {
      entry.native = &operation<Op, T, T>;
    } else {
      entry.native = &operation<Op, T, T, T>;
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
