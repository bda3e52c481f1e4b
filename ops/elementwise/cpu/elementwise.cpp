// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/all.hpp"
#include "ops/elementwise/cpu/by_scalar.hpp"
#include "ops/elementwise/cpu/corrected.hpp"
#include "ops/elementwise/cpu/ordinary.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/unit.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class Op, class T>
void fill_unary(kernel& row) {
  if constexpr (ops::supports<Op, T, 1>) fill_loop<whole_loop<Op, T, 1>>(row);
}
template <class Op, class T>
void fill_binary(kernel& row) {
  if constexpr (ops::supports<Op, T, 2>) fill_loop<whole_loop<Op, T, 2>>(row);
}
template <class Op, class T>
void fill_ternary(kernel& row) {
  if constexpr (ops::supports<Op, T, 3>) fill_loop<whole_loop<Op, T, 3>>(row);
}

template <class T, class... Ops>
void fill_unaries(elementwise_kernels& table, int column, ops::type_list<Ops...>) {
  int index = 0;
  (fill_unary<Ops, T>(table.loop[index++][column]), ...);
}
template <class T, class... Ops>
void fill_binaries(elementwise_kernels& table, int column, ops::type_list<Ops...>) {
  int index = unary_count;
  (fill_binary<Ops, T>(table.loop[index++][column]), ...);
}
template <class T, class... Ops>
void fill_ternaries(elementwise_kernels& table, int column, ops::type_list<Ops...>) {
  int index = unary_count + binary_count;
  (fill_ternary<Ops, T>(table.loop[index++][column]), ...);
}
template <class T>
void fill(elementwise_kernels& table) {
  constexpr int column = static_cast<int>(dtype_of<T>);
  fill_unaries<T>(table, column, ops::unary_ops{});
  fill_binaries<T>(table, column, ops::binary_ops{});
  fill_ternaries<T>(table, column, ops::ternary_ops{});
}

}  // namespace

SKERRY_KERNEL_UNIT(elementwise)

}  // namespace skerry::inline SKERRY_TARGET::kernels
