// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enabled_dtypes.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/elementwise/cpu/corrected.hpp"
#include "ops/elementwise/cpu/ordinary.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/move/cpu/cast.hpp"

// Every elementwise kernel of one dtype: the unit of compilation.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {
namespace {

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
/// By way of a block of 0 and 1: a comparison that is converted to wider items takes three times as
/// long as bytes that are.
template <class To>
void truths_body(char* const* data, unsigned, int64 n) noexcept {
  constexpr int64 size = sizeof(To);
  constexpr int64 block = 1024;
  uint8 truths[block];
  for (int64 at = 0; at < n; at += block) {
    const int64 count = least(block, n - at);
    const char* x = data[1] + at;
    char* out = data[0] + at * size;
    for (int64 i = 0; i < count; ++i) truths[i] = load<bool>(x + i);
    for (int64 i = 0; i < count; ++i) store<To>(out + i * size, convert<To>{}(truths[i]));
  }
}
template <class To>
void run_cast_of_bool(const void* params) {
  run(*static_cast<const plan*>(params), {truths_body<To>, 1u, 1});
}

template <class From, class To>
void fill_cast(kernel& row) {
  if constexpr (ops::boolean<From> && !ops::boolean<To>) {
    row.host = run_cast_of_bool<To>;
  } else if constexpr (converts<From, To>) {
    row.host = run_unary<convert<To>, From>;
  }
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
#define SKERRY_FILL_CAST(name) \
  fill_cast<T, type_of<dtype::name>>(table.cast[column][static_cast<int>(dtype::name)]);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL_CAST)
#undef SKERRY_FILL_CAST
}

}  // namespace
}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
