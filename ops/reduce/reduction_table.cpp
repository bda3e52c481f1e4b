// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduction_table.hpp"

#include <algorithm>
#include <array>

#include "ops/reduce/kernels.hpp"

namespace skerry {
namespace {

using reductions = std::array<ReductionEntry, reduction_count>;

template <class Op, class T>
constexpr void add_loop(ReductionEntry& entry) {
  if constexpr (ops::reduces<Op, T>) {
    entry.result[static_cast<int>(dtype_of<T>)] = dtype_of<ops::reduced_t<Op, T>>;
  }
}

template <class Op>
constexpr ReductionEntry describe_reduction() {
  ReductionEntry entry{Op::info.name,
                       Op::info.doc,
                       requires { Op::needs_elements; },
                       requires { Op::takes_dtype; },
                       requires { Op::takes_correction; },
                       ops::takes_index<Op>,
                       Op::info.is_private,
                       {}};  // namespace
#define SKERRY_LOOP(name, type, kind, typestr) add_loop<Op, type>(entry);
  SKERRY_FOR_EACH_DTYPE(SKERRY_LOOP)
#undef SKERRY_LOOP
  return entry;
}  // namespace skerry

template <class... Ops>
constexpr reductions describe_reductions(ops::type_list<Ops...>) {
  return {describe_reduction<Ops>()...};
}

constexpr reductions all_reductions = describe_reductions(ops::reductions{});

}  // namespace

std::span<const ReductionEntry> reduction_table() noexcept { return all_reductions; }

std::optional<reduction_id> find_reduction(std::string_view name) noexcept {
  const auto* const entry = std::ranges::find(all_reductions, name, &ReductionEntry::name);
  if (entry == all_reductions.end()) return std::nullopt;
  return static_cast<reduction_id>(entry - all_reductions.begin());
}

}  // namespace skerry
