// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/registry.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "device/backend.hpp"
#include "device/cpu/info.hpp"
#include "enabled_dtypes.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/table/cpu/fill.hpp"
#include "ops/table/refusals.hpp"
#include "ops/table/table.hpp"

namespace skerry {
namespace {

using operations = std::array<op_entry, elementwise_count>;
using reductions = std::array<reduction_entry, reduction_count>;

template <class Op, int Arity, class T>
constexpr void add_loop(op_entry& entry) {
  if constexpr (ops::supports<Op, T, Arity>) {
    std::optional<dtype>& result = entry.result[static_cast<int>(dtype_of<T>)];
    if constexpr (Arity == 1) result = dtype_of<ops::result_t<Op, T>>;
    if constexpr (Arity == 2) result = dtype_of<ops::result_t<Op, T, T>>;
    if constexpr (Arity == 3) result = dtype_of<ops::result_t<Op, T, T, T>>;
  }
}

template <class Op, int Arity>
constexpr op_entry describe_op() {
  op_entry entry{Op::info.name, Op::info.doc, Arity, Op::info.expensive, {}};
#define SKERRY_LOOP(name, type, kind, typestr) add_loop<Op, Arity, type>(entry);
  SKERRY_FOR_EACH_DTYPE(SKERRY_LOOP)
#undef SKERRY_LOOP
  return entry;
}

template <class Op, class T>
constexpr void add_loop(reduction_entry& entry) {
  if constexpr (ops::reduces<Op, T>) {
    entry.result[static_cast<int>(dtype_of<T>)] = dtype_of<ops::reduced_t<Op, T>>;
  }
}

template <class Op>
constexpr reduction_entry describe_reduction() {
  reduction_entry entry{Op::info.name,
                        Op::info.doc,
                        requires { Op::needs_elements; },
                        requires { Op::takes_dtype; },
                        requires { Op::takes_correction; },
                        ops::takes_index<Op>,
                        {}};  // namespace
#define SKERRY_LOOP(name, type, kind, typestr) add_loop<Op, type>(entry);
  SKERRY_FOR_EACH_DTYPE(SKERRY_LOOP)
#undef SKERRY_LOOP
  return entry;
}  // namespace skerry

template <int Arity, class... Ops>
constexpr void append(operations& table, int& count, ops::type_list<Ops...>) {
  ((table[static_cast<std::size_t>(count++)] = describe_op<Ops, Arity>()), ...);
}

constexpr operations describe_ops() {
  operations table{};
  int count = 0;
  append<1>(table, count, ops::unary_ops{});
  append<2>(table, count, ops::binary_ops{});
  append<3>(table, count, ops::ternary_ops{});
  return table;
}

template <class... Ops>
constexpr reductions describe_reductions(ops::type_list<Ops...>) {
  return {describe_reduction<Ops>()...};
}

constexpr operations all_operations = describe_ops();
constexpr reductions all_reductions = describe_reductions(ops::reductions{});

template <class Table>
std::optional<std::int16_t> find(const Table& table, std::string_view name) noexcept {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  if (found == table.end()) return std::nullopt;
  return static_cast<std::int16_t>(found - table.begin());
}

using fill_function = void (*)(kernel_table&);

/// The newest of the instruction sets that were built for and that this machine has.
fill_function best_fill() noexcept {
  fill_function best = nullptr;
#if defined(SKERRY_WITH_CPU_v2)
  best = cpu::fill_v2;
#endif
#if defined(SKERRY_WITH_CPU_v3)
  if (best == nullptr || cpu::best_isa() >= cpu::isa::v3) best = cpu::fill_v3;
#endif
#if defined(SKERRY_WITH_CPU_v4)
  if (best == nullptr || cpu::best_isa() >= cpu::isa::v4) best = cpu::fill_v4;
#endif
  return best;
}

constinit kernel_table all_kernels{};

// While the library is loaded: no call has to ask whether it is the first.
[[maybe_unused]] const bool host_kernels_are_there = [] {
  if (const fill_function fill = best_fill()) fill(all_kernels);
  fill_refusals(all_kernels);
  return true;
}();

/// By kind of device, from the first look for one on: the host's, or one with native forms.
constinit std::array<std::atomic<const kernel_table*>, most_device_kinds> tables{};
constinit std::array<kernel_table, most_device_kinds> native_kernels{};
constinit std::mutex tables_mutex;

const kernel_table& find_table(device where) noexcept {
  const auto kind = static_cast<std::size_t>(where.kind);
  const std::lock_guard lock(tables_mutex);
  if (const kernel_table* const known = tables[kind].load()) return *known;
  const kernel_table* found = &all_kernels;
  if (const auto fill = backend_of(where).fill_kernels) {
    native_kernels[kind] = all_kernels;
    fill(&native_kernels[kind]);
    found = &native_kernels[kind];
  }
  tables[kind].store(found, std::memory_order_release);
  return *found;
}

}  // namespace

std::span<const op_entry> op_table() noexcept { return all_operations; }
std::optional<op_id> find_op(std::string_view name) noexcept { return find(all_operations, name); }

std::span<const reduction_entry> reduction_table() noexcept { return all_reductions; }
std::optional<reduction_id> find_reduction(std::string_view name) noexcept {
  return find(all_reductions, name);
}

bool is_built(dtype type) noexcept {
#define SKERRY_IS_BUILT(name) \
  if (type == dtype::name) return true;
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_IS_BUILT)
#undef SKERRY_IS_BUILT
  return false;
}

const kernel_table& kernels() noexcept { return all_kernels; }

const kernel_table& kernels(device where) noexcept {
  if (is_host(where)) return all_kernels;
  const auto kind = static_cast<std::size_t>(where.kind);
  const kernel_table* const known = tables[kind].load(std::memory_order_acquire);
  return known != nullptr ? *known : find_table(where);
}

}  // namespace skerry
