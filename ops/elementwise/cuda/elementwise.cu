// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <type_traits>

#include "ops/elementwise/cuda/functions.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/kernel/cuda/loops.cuh"
#include "ops/kernel/unit.hpp"

namespace skerry::native {
namespace {

/// True if Op over T has a kernel for an array and a scalar, as in `x * 2`. For dtypes of one or
/// two bytes, which are rarer, fewer operations have one.
template <class Op, class T>
inline constexpr bool has_kernel_with_value =
    ops::one_of_v<Op, ops::add, ops::divide, ops::equal, ops::greater, ops::greater_equal,
                  ops::less, ops::less_equal, ops::multiply, ops::not_equal, ops::subtract> ||
    (sizeof(T) >= 4 && ops::one_of_v<Op, ops::bitwise_and, ops::bitwise_left_shift, ops::bitwise_or,
                                     ops::bitwise_right_shift, ops::bitwise_xor, ops::copysign,
                                     ops::maximum, ops::minimum>);

/// Adapts Op to a storage-only dtype: computes in the wider dtype and rounds the result.
template <class Op>
struct evaluated {
  template <class... T>
  SKERRY_HD SKERRY_INLINE auto operator()(T... x) const {
    return ops::apply<Op>(x...);
  }
};

/// Native kernel of Op over operands of dtypes T...
template <class Op, class... T>
int operation(const Plan& operands, LaunchContext* context) {
  using function = std::conditional_t<ops::is_evaluated<Op, T...>, evaluated<Op>, Op>;
  // CUB moves several items at a time only if they are trivially relocatable, as integers are.
  static_assert((THRUST_NS_QUALIFIER::is_trivially_relocatable_v<T> && ...));
  return run_elementwise<ops::result_t<Op, T...>, T...>(
      operands, context, function{}, std::bool_constant<(has_kernel_with_value<Op, T> || ...)>{});
}

template <class T, int Arity, class Op>
void fill_operation(Kernel<Plan>& entry) {
  if constexpr (ops::supports<Op, T, Arity>) {
    if constexpr (Arity == 1) {
      entry.set_native<operation<Op, T>>();
    } else if constexpr (Arity == 2) {
      entry.set_native<operation<Op, T, T>>();
    } else {
      entry.set_native<operation<Op, T, T, T>>();
    }
  }
}

template <class T>
void fill(ElementwiseKernels& table) {
  for_each_operation([&]<class Op, int Arity>(int number) {
    fill_operation<T, Arity, Op>(table.kernel[number][static_cast<int>(dtype_of<T>)]);
  });
}

}  // namespace

SKERRY_KERNEL_UNIT(elementwise, ElementwiseKernels)

}  // namespace skerry::native
