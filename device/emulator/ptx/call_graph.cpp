// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/call_graph.hpp"

#include <algorithm>

#include "device/emulator/ptx/lexer.hpp"

namespace skerry::emulation::ptx {
namespace {

/// Size in statements, callees included, above which a function that is called more than once is
/// not inlined: a few levels of calls would exhaust the memory.
constexpr std::size_t large = 20'000;

[[nodiscard]] bool is_call(const Token& t) { return t.is("call") || t.is("call.uni"); }

}  // namespace

CallGraph::CallGraph(const ModuleSource& module_source, const EntrySource& entry)
    : module_source_(module_source) {
  if (module_source.functions.empty()) return;
  visit_calls(attributes_of(entry.body, nullptr));
  if (calls_addresses_) visit_addresses();
}

CallGraph::BodyAttributes CallGraph::attributes_of(std::string_view body,
                                                   const FunctionSource* function) const {
  BodyAttributes attributes;
  Lexer lexer(body);
  bool is_in_call = false;
  int depth = 0;
  Token previous_token;
  for (Token t = lexer.next(); t.kind != TokenKind::end; previous_token = t, t = lexer.next()) {
    if (t.is(";")) {
      ++attributes.statements;
      is_in_call = false;
      depth = 0;
    } else if (is_call(t)) {
      is_in_call = true;
    } else if (t.is("(") || t.is(")")) {
      depth += t.is("(") ? 1 : -1;
    } else if (t.kind == TokenKind::word && module_source_.functions.contains(t.text)) {
      (is_in_call ? attributes.calls : attributes.addresses).push_back(t.text);
    } else if (is_in_call && depth == 0 && t.text.starts_with('%')) {
      attributes.calls_addresses = true;
    } else if (function != nullptr && t.kind == TokenKind::word && !previous_token.is("[") &&
               !is_in_call) {
      const auto is_named = [&](const Declaration& one) { return one.name == t.text; };
      attributes.takes_parameter_address |= std::ranges::any_of(function->parameters, is_named);
    }
  }
  return attributes;
}

void CallGraph::call(std::string_view function) {
  if (is_called_.insert(function).second) called_.push_back(function);
}

std::size_t CallGraph::visit_calls(const BodyAttributes& attributes) {
  calls_addresses_ |= attributes.calls_addresses;
  std::size_t statements = attributes.statements;
  for (const std::string_view name : attributes.calls) statements += visit(name);
  return statements;
}

std::size_t CallGraph::visit(std::string_view function) {
  const FunctionSource& source = module_source_.functions.at(function);
  if (!source.is_defined) return 1;
  if (path_.contains(function)) {
    call(function);
    return 1;
  }
  const bool is_called_again = ++callers_[function] > 1;
  if (const auto cached_size = sizes_.find(function); cached_size != sizes_.end()) {
    if (is_called_again && cached_size->second > large) call(function);
    return is_called_.contains(function) ? 1 : cached_size->second;
  }
  path_.insert(function);
  const BodyAttributes attributes = attributes_of(source.body, &source);
  const std::size_t statements = visit_calls(attributes);
  path_.erase(function);
  if (attributes.takes_parameter_address) call(function);
  sizes_[function] = statements;
  return is_called_.contains(function) ? 1 : statements;
}

/// Adds all functions of the module whose address is taken: an indirect call may reach any of them.
void CallGraph::visit_addresses() {
  std::vector<std::string_view> addressed_functions;
  const auto take = [&](std::string_view name) {
    const auto function = module_source_.functions.find(name);
    if (function != module_source_.functions.end() && function->second.is_defined)
      addressed_functions.push_back(name);
  };
  for (const auto& [number, one] : module_source_.pending_addresses) take(one.name);
  for (const EntrySource& one : module_source_.entries) {
    for (const std::string_view name : attributes_of(one.body, nullptr).addresses) take(name);
  }
  for (const auto& [name, source] : module_source_.functions) {
    if (!source.is_defined) continue;
    for (const std::string_view other : attributes_of(source.body, nullptr).addresses) take(other);
  }
  std::ranges::sort(addressed_functions);
  for (const std::string_view name : addressed_functions) {
    call(name);
    if (!sizes_.contains(name)) visit(name);
  }
}

}  // namespace skerry::emulation::ptx
