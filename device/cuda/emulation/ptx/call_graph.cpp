// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/call_graph.hpp"

#include <algorithm>

#include "device/cuda/emulation/ptx/lexer.hpp"

namespace skerry::emulation::ptx {
namespace {

/// Statements of a function, with what it calls, from which on it is decoded once if it is called
/// more than once: else a few levels of calls would fill the memory.
constexpr std::size_t large = 20'000;

[[nodiscard]] bool is_call(const Token& t) { return t.is("call") || t.is("call.uni"); }

}  // namespace

CallGraph::CallGraph(const ModuleSource& from, const EntrySource& entry) : from_(from) {
  if (from.functions.empty()) return;
  visit_calls(facts_of(entry.body, nullptr));
  if (calls_addresses_) visit_addresses();
}

CallGraph::BodyFacts CallGraph::facts_of(std::string_view body, const FunctionSource* of) const {
  BodyFacts found;
  Lexer from(body);
  bool is_in_call = false;
  int depth = 0;
  Token before;
  for (Token t = from.next(); t.kind != TokenKind::end; before = t, t = from.next()) {
    if (t.is(";")) {
      ++found.statements;
      is_in_call = false;
      depth = 0;
    } else if (is_call(t)) {
      is_in_call = true;
    } else if (t.is("(") || t.is(")")) {
      depth += t.is("(") ? 1 : -1;
    } else if (t.kind == TokenKind::word && from_.functions.contains(t.text)) {
      (is_in_call ? found.calls : found.addresses).push_back(t.text);
    } else if (is_in_call && depth == 0 && t.text.starts_with('%')) {
      found.calls_addresses = true;
    } else if (of != nullptr && t.kind == TokenKind::word && !before.is("[") && !is_in_call) {
      const auto is_named = [&](const Declaration& one) { return one.name == t.text; };
      found.takes_parameter_address |= std::ranges::any_of(of->parameters, is_named);
    }
  }
  return found;
}

void CallGraph::call(std::string_view function) {
  if (is_called_.insert(function).second) called_.push_back(function);
}

std::size_t CallGraph::visit_calls(const BodyFacts& of) {
  calls_addresses_ |= of.calls_addresses;
  std::size_t statements = of.statements;
  for (const std::string_view name : of.calls) statements += visit(name);
  return statements;
}

std::size_t CallGraph::visit(std::string_view function) {
  const FunctionSource& what = from_.functions.at(function);
  if (!what.is_defined) return 1;
  if (path_.contains(function)) {
    call(function);
    return 1;
  }
  const bool is_called_again = ++callers_[function] > 1;
  if (const auto known = sizes_.find(function); known != sizes_.end()) {
    if (is_called_again && known->second > large) call(function);
    return is_called_.contains(function) ? 1 : known->second;
  }
  path_.insert(function);
  const BodyFacts facts = facts_of(what.body, &what);
  const std::size_t statements = visit_calls(facts);
  path_.erase(function);
  if (facts.takes_parameter_address) call(function);
  sizes_[function] = statements;
  return is_called_.contains(function) ? 1 : statements;
}

/// A pointer to a function may come from anywhere in the module, by way of memory.
void CallGraph::visit_addresses() {
  std::vector<std::string_view> taken;
  const auto take = [&](std::string_view name) {
    const auto found = from_.functions.find(name);
    if (found != from_.functions.end() && found->second.is_defined) taken.push_back(name);
  };
  for (const auto& [number, one] : from_.pending_addresses) take(one.name);
  for (const EntrySource& one : from_.entries) {
    for (const std::string_view name : facts_of(one.body, nullptr).addresses) take(name);
  }
  for (const auto& [name, what] : from_.functions) {
    if (!what.is_defined) continue;
    for (const std::string_view other : facts_of(what.body, nullptr).addresses) take(other);
  }
  std::ranges::sort(taken);
  for (const std::string_view name : taken) {
    call(name);
    if (!sizes_.contains(name)) visit(name);
  }
}

}  // namespace skerry::emulation::ptx
