// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/op_table.hpp"

#include <algorithm>
#include <array>

#include "ops/elementwise/all.hpp"
#include "ops/elementwise/kernels.hpp"

namespace skerry {
namespace {

using operations = std::array<OpEntry, elementwise_count>;

template <class Op, int Arity, class T>
constexpr void add_loop(OpEntry& entry) {
  if constexpr (ops::supports<Op, T, Arity>) {
    std::optional<Dtype>& result = entry.result[static_cast<int>(dtype_of<T>)];
    if constexpr (Arity == 1) result = dtype_of<ops::result_t<Op, T>>;
    if constexpr (Arity == 2) result = dtype_of<ops::result_t<Op, T, T>>;
    if constexpr (Arity == 3) result = dtype_of<ops::result_t<Op, T, T, T>>;
  }
}

template <class Op, int Arity>
constexpr OpEntry describe_op() {
  const OpInfo& info = Op::info;
  OpEntry entry{info.name, info.doc, Arity, info.expensive, info.is_private, info.chain, {}, {}};
  if constexpr (requires { Op::result_for_integers; })
    entry.result_for_integers = Op::result_for_integers;
#define SKERRY_LOOP(name, type, kind, typestr) add_loop<Op, Arity, type>(entry);
  SKERRY_FOR_EACH_DTYPE(SKERRY_LOOP)
#undef SKERRY_LOOP
  return entry;
}

constexpr operations describe_ops() {
  operations table{};
  for_each_operation([&]<class Op, int Arity>(int number) {
    table[static_cast<std::size_t>(number)] = describe_op<Op, Arity>();
  });
  return table;
}

constexpr operations all_operations = describe_ops();

}  // namespace

std::span<const OpEntry> op_table() noexcept { return all_operations; }

std::optional<op_id> find_op(std::string_view name) noexcept {
  const auto* const entry = std::ranges::find(all_operations, name, &OpEntry::name);
  if (entry == all_operations.end()) return std::nullopt;
  return static_cast<op_id>(entry - all_operations.begin());
}

}  // namespace skerry
