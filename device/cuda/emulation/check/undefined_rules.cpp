// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/undefined_rules.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "device/cuda/emulation/execute/memory_operations.hpp"
#include "device/cuda/emulation/execute/operation.hpp"

namespace skerry::emulation {
namespace {

using std::string_view;

struct NamedFlow {
  string_view prefix;
  UndefinedFlow flow;
  std::uint8_t moved_sources = 0;
};

/// The first prefix that fits; operations of floating-point types are taken out before.
constexpr std::array<NamedFlow, 38> flows = {{
    {"mov.pred", UndefinedFlow::either},
    {"mov.", UndefinedFlow::moved, 1},
    {pack_prefix, UndefinedFlow::moved, 15},
    {unpack_prefix, UndefinedFlow::moved, 1},
    {"cvta.global", UndefinedFlow::moved, 1},
    {"cvta.local", UndefinedFlow::moved, 1},
    {"cvta.const", UndefinedFlow::moved, 1},
    {"cvta.to.global", UndefinedFlow::moved, 1},
    {"cvta.to.local", UndefinedFlow::moved, 1},
    {"cvta.to.const", UndefinedFlow::moved, 1},
    {"cvt.sat.", UndefinedFlow::all},
    {"cvt.", UndefinedFlow::moved, 1},
    {"selp.", UndefinedFlow::moved, 3},
    {"shl.", UndefinedFlow::moved, 1},
    {"shr.", UndefinedFlow::moved, 1},
    {"shf.", UndefinedFlow::moved, 3},
    {"prmt.", UndefinedFlow::moved, 3},
    {"brev.", UndefinedFlow::moved, 1},
    {"bfe.", UndefinedFlow::moved, 1},
    {"bfi.", UndefinedFlow::moved, 3},
    {"shfl.", UndefinedFlow::moved, 1},
    {"and.", UndefinedFlow::conjunction},
    {"or.", UndefinedFlow::disjunction},
    {"xor.", UndefinedFlow::either},
    {"not.", UndefinedFlow::either},
    {"lop3.", UndefinedFlow::either},
    {"add.cc.", UndefinedFlow::all},
    {"sub.cc.", UndefinedFlow::all},
    {"mad.lo.cc.", UndefinedFlow::all},
    {"add.", UndefinedFlow::carried},
    {"sub.", UndefinedFlow::carried},
    {"mul.lo.", UndefinedFlow::carried},
    {"mul.wide.", UndefinedFlow::carried},
    {"mad.lo.", UndefinedFlow::carried},
    {"mad.wide.", UndefinedFlow::carried},
    {"vote.", UndefinedFlow::group},
    {"match.", UndefinedFlow::group},
    {"redux.", UndefinedFlow::group},
}};

[[nodiscard]] bool has(string_view text, string_view part) {
  return text.find(part) != string_view::npos;
}

[[nodiscard]] bool names_float(string_view opcode) {
  const bool moves_only = opcode.starts_with("mov.") || opcode.starts_with("selp.");
  return !moves_only && (has(opcode, ".f16") || has(opcode, ".bf16") || has(opcode, ".f32") ||
                         has(opcode, ".f64"));
}

[[nodiscard]] bool is_equality(string_view opcode) {
  // With a combined predicate it has one name more.
  return opcode.starts_with("setp.") && std::ranges::count(opcode, '.') == 2 &&
         (opcode.starts_with("setp.eq.") || opcode.starts_with("setp.ne."));
}

[[nodiscard]] UndefinedRule rule_of_operation(string_view opcode, const Operation& what) {
  UndefinedRule rule{.flow = UndefinedFlow::all};
  std::ranges::copy(what.results, rule.result_nbytes.begin());
  for (std::size_t k = 0; k < what.arguments.size(); ++k) {
    if (static_cast<int>(k) != what.members) rule.source_nbytes[k] = what.arguments[k];
  }
  rule.has_predicates = opcode.ends_with(".pred") && !what.arguments.empty();
  if (what.arguments.empty() || what.results.empty() || opcode.starts_with("elect.")) {
    rule.flow = UndefinedFlow::none;
  } else if (has(opcode, "ballot")) {
    rule.flow = UndefinedFlow::ballot;
  } else if (names_float(opcode)) {
    rule.flow = UndefinedFlow::all;
  } else if (is_equality(opcode)) {
    rule.flow = UndefinedFlow::equality;
  } else if (const auto* const found = std::ranges::find_if(
                 flows, [&](const NamedFlow& one) { return opcode.starts_with(one.prefix); });
             found != flows.end()) {
    rule.flow = found->flow;
    rule.moved_sources = found->moved_sources;
  }
  return rule;
}

[[nodiscard]] const std::unordered_map<handler, UndefinedRule>& rules_of_operations() {
  static const auto rules = [] {
    std::unordered_map<handler, UndefinedRule> all;
    for (const string_view name : operations().opcodes()) {
      const Operation& what = *operations().find(name);
      all.try_emplace(what.run, rule_of_operation(name, what));
    }
    return all;
  }();
  return rules;
}

/// "@!%p1 ld.global.u32 ..." without its guard and operands.
[[nodiscard]] string_view opcode_of(string_view text) {
  constexpr string_view spaces = " \t\r\n";
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find_first_of(spaces), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n;"));
}

[[nodiscard]] UndefinedRule rule_of_copy(const Instruction& what) {
  UndefinedRule rule{.flow = UndefinedFlow::addresses};
  const std::uint8_t shared = what.operand_nbytes;
  if (what.run == copy_async) {
    rule.source_nbytes = {shared, 8, 4};
  } else if (what.run == bulk_load_async) {
    rule.source_nbytes = {shared, 8, 4, shared};
  } else if (what.run == bulk_store_async) {
    rule.source_nbytes = {8, shared, 4};
  } else {
    rule.source_nbytes = {shared == 8 ? std::uint8_t{8} : std::uint8_t{4}, 4};
    rule.result_nbytes = {8};
  }
  return rule;
}

[[nodiscard]] UndefinedRule rule_of_access(const Instruction& what, string_view opcode) {
  UndefinedRule rule{.source_nbytes = {what.operand_nbytes}};
  const string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (opcode.starts_with("ld")) {
    rule.flow = UndefinedFlow::load;
    rule.extends_sign = type.starts_with('s');
    rule.result_nbytes.fill(what.result_nbytes);
  } else if (opcode.starts_with("st")) {
    rule.flow = UndefinedFlow::store;
    std::fill(rule.source_nbytes.begin() + 1, rule.source_nbytes.end(), what.result_nbytes);
  } else if (opcode.starts_with("atom") || opcode.starts_with("red.")) {
    rule.flow = has(opcode, ".exch.") ? UndefinedFlow::exchange : UndefinedFlow::atomic;
    const std::uint8_t nbytes = type.ends_with("64") ? 8 : type.ends_with("16") ? 2 : 4;
    rule.source_nbytes = {what.operand_nbytes, nbytes, nbytes};
    rule.result_nbytes = {nbytes};
  } else {
    return rule_of_copy(what);
  }
  return rule;
}

[[nodiscard]] UndefinedRule rule_of(const Instruction& what, string_view text) {
  if (what.flow == Control::branch || what.flow == Control::exit || what.run == nullptr) return {};
  const auto found = rules_of_operations().find(what.run);
  if (found == rules_of_operations().end()) return rule_of_access(what, opcode_of(text));
  UndefinedRule rule = found->second;
  // Conversions take registers wider than their types.
  const bool converts = what.result_nbytes > rule.result_nbytes[0] && rule.result_nbytes[0] != 0;
  if (converts) rule.result_nbytes[0] = what.result_nbytes;
  if (what.operand_nbytes > rule.source_nbytes[0] && rule.source_nbytes[0] != 0) {
    rule.source_nbytes[0] = what.operand_nbytes;
  }
  return rule;
}

}  // namespace

WatchedProgram::WatchedProgram(const Program& from, handler watched) : code(from) {
  rules.reserve(code.code.size());
  for (std::size_t k = 0; k < code.code.size(); ++k) {
    Instruction& one = code.code[k];
    UndefinedRule rule = rule_of(one, code.places[k].text);
    rule.run = one.run;
    rule.guard = one.guard;
    rule.is_guard_negated = one.is_guard_negated;
    if (one.flow == Control::plain) {
      one.run = watched;
      one.guard = no_row;
    }
    rules.push_back(rule);
  }
}

}  // namespace skerry::emulation
