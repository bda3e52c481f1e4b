// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/propagation_rules.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "device/emulator/execute/memory_operations.hpp"
#include "device/emulator/execute/operation.hpp"

namespace skerry::emulation {
namespace {

using std::string_view;

struct NamedFlow {
  string_view prefix;
  Propagation flow;
  std::uint8_t moved_sources = 0;
};

/// The first matching prefix applies. Operations of floating-point types are handled before.
constexpr std::array<NamedFlow, 38> flows = {{
    {"mov.pred", Propagation::either},
    {"mov.", Propagation::moved, 1},
    {pack_prefix, Propagation::moved, 15},
    {unpack_prefix, Propagation::moved, 1},
    {"cvta.global", Propagation::moved, 1},
    {"cvta.local", Propagation::moved, 1},
    {"cvta.const", Propagation::moved, 1},
    {"cvta.to.global", Propagation::moved, 1},
    {"cvta.to.local", Propagation::moved, 1},
    {"cvta.to.const", Propagation::moved, 1},
    {"cvt.sat.", Propagation::all},
    {"cvt.", Propagation::moved, 1},
    {"selp.", Propagation::moved, 3},
    {"shl.", Propagation::moved, 1},
    {"shr.", Propagation::moved, 1},
    {"shf.", Propagation::moved, 3},
    {"prmt.", Propagation::moved, 3},
    {"brev.", Propagation::moved, 1},
    {"bfe.", Propagation::moved, 1},
    {"bfi.", Propagation::moved, 3},
    {"shfl.", Propagation::moved, 1},
    {"and.", Propagation::conjunction},
    {"or.", Propagation::disjunction},
    {"xor.", Propagation::either},
    {"not.", Propagation::either},
    {"lop3.", Propagation::either},
    {"add.cc.", Propagation::all},
    {"sub.cc.", Propagation::all},
    {"mad.lo.cc.", Propagation::all},
    {"add.", Propagation::carried},
    {"sub.", Propagation::carried},
    {"mul.lo.", Propagation::carried},
    {"mul.wide.", Propagation::carried},
    {"mad.lo.", Propagation::carried},
    {"mad.wide.", Propagation::carried},
    {"vote.", Propagation::group},
    {"match.", Propagation::group},
    {"redux.", Propagation::group},
}};

[[nodiscard]] bool has(string_view text, string_view substring) {
  return text.find(substring) != string_view::npos;
}

[[nodiscard]] bool names_float(string_view opcode) {
  const bool moves_only = opcode.starts_with("mov.") || opcode.starts_with("selp.");
  return !moves_only && (has(opcode, ".f16") || has(opcode, ".bf16") || has(opcode, ".f32") ||
                         has(opcode, ".f64"));
}

[[nodiscard]] bool is_equality(string_view opcode) {
  // Forms that combine a predicate, such as setp.eq.and.s32, have one '.' more.
  return opcode.starts_with("setp.") && std::ranges::count(opcode, '.') == 2 &&
         (opcode.starts_with("setp.eq.") || opcode.starts_with("setp.ne."));
}

[[nodiscard]] PropagationRule rule_of_operation(string_view opcode, const Operation& operation) {
  PropagationRule rule{.flow = Propagation::all};
  std::ranges::copy(operation.results, rule.result_nbytes.begin());
  for (std::size_t k = 0; k < operation.arguments.size(); ++k) {
    if (static_cast<int>(k) != operation.members) rule.source_nbytes[k] = operation.arguments[k];
  }
  rule.has_predicates = opcode.ends_with(".pred") && !operation.arguments.empty();
  if (operation.arguments.empty() || operation.results.empty() || opcode.starts_with("elect.")) {
    rule.flow = Propagation::none;
  } else if (has(opcode, "ballot")) {
    rule.flow = Propagation::ballot;
  } else if (names_float(opcode)) {
    rule.flow = Propagation::all;
  } else if (is_equality(opcode)) {
    rule.flow = Propagation::equality;
  } else if (const auto* const named_flow = std::ranges::find_if(
                 flows, [&](const NamedFlow& one) { return opcode.starts_with(one.prefix); });
             named_flow != flows.end()) {
    rule.flow = named_flow->flow;
    rule.moved_sources = named_flow->moved_sources;
  }
  return rule;
}

[[nodiscard]] const std::unordered_map<handler, PropagationRule>& rules_of_operations() {
  static const auto rules = [] {
    std::unordered_map<handler, PropagationRule> all;
    for (const string_view name : operations().opcodes()) {
      const Operation& operation = *operations().find(name);
      all.try_emplace(operation.execute, rule_of_operation(name, operation));
    }
    return all;
  }();
  return rules;
}

/// Returns the opcode in "@!%p1 ld.global.u32 ...", without the guard and the operands.
[[nodiscard]] string_view opcode_of(string_view text) {
  constexpr string_view spaces = " \t\r\n";
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find_first_of(spaces), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n;"));
}

[[nodiscard]] PropagationRule rule_of_copy(const Instruction& instruction) {
  PropagationRule rule{.flow = Propagation::addresses};
  const std::uint8_t shared = instruction.operand_nbytes;
  if (instruction.execute == copy_async) {
    rule.source_nbytes = {shared, 8, 4};
  } else if (instruction.execute == bulk_load_async) {
    rule.source_nbytes = {shared, 8, 4, shared};
  } else if (instruction.execute == bulk_store_async) {
    rule.source_nbytes = {8, shared, 4};
  } else {
    rule.source_nbytes = {shared == 8 ? std::uint8_t{8} : std::uint8_t{4}, 4};
    rule.result_nbytes = {8};
  }
  return rule;
}

[[nodiscard]] PropagationRule rule_of_access(const Instruction& instruction, string_view opcode) {
  PropagationRule rule{.source_nbytes = {instruction.operand_nbytes}};
  const string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (opcode.starts_with("ld")) {
    rule.flow = Propagation::load;
    rule.extends_sign = type.starts_with('s');
    rule.result_nbytes.fill(instruction.result_nbytes);
  } else if (opcode.starts_with("st")) {
    rule.flow = Propagation::store;
    std::fill(rule.source_nbytes.begin() + 1, rule.source_nbytes.end(), instruction.result_nbytes);
  } else if (opcode.starts_with("atom") || opcode.starts_with("red.")) {
    rule.flow = has(opcode, ".exch.") ? Propagation::exchange : Propagation::atomic;
    const std::uint8_t nbytes = type.ends_with("64") ? 8 : type.ends_with("16") ? 2 : 4;
    rule.source_nbytes = {instruction.operand_nbytes, nbytes, nbytes};
    rule.result_nbytes = {nbytes};
  } else {
    return rule_of_copy(instruction);
  }
  return rule;
}

[[nodiscard]] PropagationRule rule_of(const Instruction& instruction, string_view text) {
  if (instruction.flow == Control::branch || instruction.flow == Control::exit ||
      instruction.execute == nullptr)
    return {};
  const auto entry = rules_of_operations().find(instruction.execute);
  if (entry == rules_of_operations().end()) return rule_of_access(instruction, opcode_of(text));
  PropagationRule rule = entry->second;
  // Registers of conversions may be wider than their types.
  const bool converts =
      instruction.result_nbytes > rule.result_nbytes[0] && rule.result_nbytes[0] != 0;
  if (converts) rule.result_nbytes[0] = instruction.result_nbytes;
  if (instruction.operand_nbytes > rule.source_nbytes[0] && rule.source_nbytes[0] != 0) {
    rule.source_nbytes[0] = instruction.operand_nbytes;
  }
  return rule;
}

void add_row(PropagationRule& rule, row one) {
  if (one != no_row && (one & 1) == 0)
    rule.rows[rule.row_count++] = static_cast<std::uint32_t>(one);
}

}  // namespace

InstrumentedProgram::InstrumentedProgram(const Program& source, handler instrumented)
    : program(source) {
  rules.reserve(program.instructions.size());
  for (std::size_t k = 0; k < program.instructions.size(); ++k) {
    Instruction& one = program.instructions[k];
    PropagationRule rule = rule_of(one, program.locations[k].text);
    rule.execute = one.execute;
    rule.guard = one.guard;
    rule.is_guard_negated = one.is_guard_negated;
    add_row(rule, one.guard);
    for (const row source_row : one.source) add_row(rule, source_row);
    for (const row destination : one.destination) add_row(rule, destination);
    if (one.flow == Control::sequential) {
      one.execute = instrumented;
      one.guard = no_row;
    }
    rules.push_back(rule);
  }
}

}  // namespace skerry::emulation
