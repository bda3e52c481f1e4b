// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enabled_dtypes.hpp"
#include "ops/kernels/cpu/cast.hpp"
#include "ops/kernels/cpu/loops.hpp"
#include "ops/kernels/cpu/reduce.hpp"
#include "ops/kernels/cpu/sequence.hpp"
#include "ops/kernels/table.hpp"

// Every kernel of one dtype: the unit of compilation.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {
namespace {

template <dtype Type>
struct element_type;
#define SKERRY_ELEMENT_TYPE(name, cpp_type, kind, typestr) \
  template <>                                              \
  struct element_type<dtype::name> {                       \
    using type = cpp_type;                                 \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_ELEMENT_TYPE)
#undef SKERRY_ELEMENT_TYPE

template <class Op, class T>
void fill_unary(kernel& row) {
  if constexpr (ops::supports<Op, T, 1>) row.host = run_unary<Op, T>;
}
template <class Op, class T>
void fill_binary(kernel& row) {
  if constexpr (ops::supports<Op, T, 2>) row.host = run_binary<Op, T>;
}
template <class Op, class T>
void fill_ternary(kernel& row) {
  if constexpr (ops::supports<Op, T, 3>) row.host = run_ternary<Op, T>;
}
template <class Op, class T>
void fill_reduction(kernel& row) {
  if constexpr (ops::reduces<Op, T>) row.host = reduction_loops<Op, T>::run;
}
template <class From, class To>
void fill_cast(kernel& row) {
  if constexpr (converts<From, To>) row.host = run_unary<convert<To>, From>;
}

template <class T, class... Ops>
void fill_unaries(kernel_table& table, int column, ops::type_list<Ops...>) {
  int index = 0;
  (fill_unary<Ops, T>(table.elementwise[index++][column]), ...);
}
template <class T, class... Ops>
void fill_binaries(kernel_table& table, int column, ops::type_list<Ops...>) {
  int index = unary_count;
  (fill_binary<Ops, T>(table.elementwise[index++][column]), ...);
}
template <class T, class... Ops>
void fill_ternaries(kernel_table& table, int column, ops::type_list<Ops...>) {
  int index = unary_count + binary_count;
  (fill_ternary<Ops, T>(table.elementwise[index++][column]), ...);
}
template <class T, class... Ops>
void fill_reductions(kernel_table& table, int column, ops::type_list<Ops...>) {
  int index = 0;
  (fill_reduction<Ops, T>(table.reduce[index++][column]), ...);
}

template <dtype Type>
void fill_dtype(kernel_table& table) {
  using T = typename element_type<Type>::type;
  constexpr int column = static_cast<int>(Type);
  fill_unaries<T>(table, column, ops::unary_ops{});
  fill_binaries<T>(table, column, ops::binary_ops{});
  fill_ternaries<T>(table, column, ops::ternary_ops{});
  fill_reductions<T>(table, column, ops::reductions{});
#define SKERRY_FILL_CAST(name)                            \
  fill_cast<T, typename element_type<dtype::name>::type>( \
      table.cast[column][static_cast<int>(dtype::name)]);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL_CAST)
#undef SKERRY_FILL_CAST
  if constexpr (ops::numeric<T>) table.sequence[column].host = run_sequence<T>;
}

}  // namespace
}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
