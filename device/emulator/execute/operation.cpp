// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/operation.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace skerry::emulation {

void OperationTable::add(std::initializer_list<std::string_view> parts, Operation operation) {
  std::string name;
  for (const std::string_view segment : parts) name += segment;
  if (!operations_.emplace(name, std::move(operation)).second) {
    throw std::logic_error("declared twice: " + name);
  }
}

const Operation* OperationTable::find(std::string_view opcode) const noexcept {
  const auto entry = operations_.find(opcode);
  return entry != operations_.end() ? &entry->second : nullptr;
}

std::vector<std::string_view> OperationTable::opcodes() const {
  std::vector<std::string_view> names;
  names.reserve(operations_.size());
  for (const auto& [name, operation] : operations_) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

const OperationTable& operations() {
  static const OperationTable table = [] {
    OperationTable all;
    declare_integer_arithmetic(all);
    declare_narrow_integers(all);
    declare_bits(all);
    declare_floating_arithmetic(all);
    declare_half_arithmetic(all);
    declare_half_choices(all);
    declare_approximations(all);
    declare_comparisons(all);
    declare_half_comparisons(all);
    declare_selections(all);
    declare_conversions_to_integers(all);
    declare_conversions_to_floats(all);
    declare_conversions_of_halves(all);
    declare_conversions_to_pairs(all);
    declare_moves(all);
    declare_collectives(all);
    declare_control(all);
    declare_builtins(all);
    declare_fences(all);
    declare_address_spaces(all);
    declare_clusters(all);
    return all;
  }();
  return table;
}

}  // namespace skerry::emulation
