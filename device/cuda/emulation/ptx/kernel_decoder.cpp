// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace skerry::emulation::ptx {
namespace {

/// Deeper than functions of any kernel call each other, if they don't call themselves.
constexpr std::size_t deepest_call = 16;
constexpr std::uint32_t local_alignment = 16;

[[nodiscard]] std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

[[nodiscard]] std::uint32_t leading_number(std::string_view& text) {
  const std::size_t digit = std::min(text.find_first_of("0123456789"), text.size());
  text.remove_prefix(digit);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

[[nodiscard]] bool is_call(std::string_view opcode) {
  return opcode == "call" || opcode == "call.uni";
}

}  // namespace

kernel_decoder::kernel_decoder(const module_source& from, const entry_source& entry)
    : from_(from), entry_(entry) {
  for (const declaration& one : from.shared) shared_[one.name] = one;
}

std::unique_ptr<const program> kernel_decoder::decode() {
  frames_.emplace_back();
  frame().scopes.emplace_back();
  frame().braces.push_back(labels_.open(-1));
  walk(entry_.body);
  where_.text = "end of the kernel";
  guard_ = no_row;
  add({.run = operations().find("exit")->run, .flow = control::exit});
  labels_.resolve(builder_);
  program& code = builder_.code();
  code.dynamic_shared_offset = align_up(code.static_shared_nbytes, dynamic_alignment_);
  code.local_nbytes = align_up(code.local_nbytes, local_alignment);
  code.parameter_nbytes = entry_.parameter_nbytes;
  code.max_threads = entry_.max_threads;
  return builder_.finish();
}

void kernel_decoder::walk(std::string_view body) {
  lexer from(body);
  for (token t = from.next(); t.kind != token_kind::end; t = from.next()) {
    if (t.is("{")) {
      const int inside = frame().braces.back();
      frame().scopes.emplace_back();
      frame().braces.push_back(labels_.open(inside));
    } else if (t.is("}")) {
      if (frame().scopes.size() == 1) throw image_error(code::invalid_ptx, "PTX: unmatched }");
      frame().scopes.pop_back();
      frame().braces.pop_back();
    } else if (t.text.starts_with('.')) {
      directive(t, from);
    } else if (t.kind == token_kind::word && from.peek().is(":")) {
      (void)from.next();
      labels_.define(frame().braces.back(), t.text, builder_.size());
    } else if (!t.is(";")) {
      add_statement(parse_statement(from, t));
    }
  }
}

void kernel_decoder::directive(const token& first, lexer& from) {
  if (first.is(".reg")) {
    frame().scopes.back().declare(from);
  } else if (first.is(".shared") || first.is(".local")) {
    declare_variable(parse_declaration(from, first.text));
  } else if (first.is(".param")) {
    frame().parameters[parse_declaration(from, first.text).name] =
        std::make_shared<call_parameter>();
  } else if (first.is(".loc")) {
    std::string_view line = from.rest_of_line();
    where_.file = leading_number(line);
    where_.line = leading_number(line);
  } else if (first.is(".pragma")) {
    (void)from.next();
  } else {
    throw image_error(code::invalid_ptx,
                      "PTX: unknown directive " + std::string(first.text) + " in a kernel");
  }
}

void kernel_decoder::declare_variable(const declaration& what) {
  if (what.space == ".shared") {
    // A function whose call is decoded again has the same one.
    shared_.emplace(what.name, what);
    if (!what.is_unsized) (void)place_of_shared(what);
    return;
  }
  std::uint32_t& end = builder_.code().local_nbytes;
  const std::uint32_t offset = align_up(end, what.alignment);
  local_places_[what.name] = offset;
  end = offset + static_cast<std::uint32_t>(what.nbytes());
}

void kernel_decoder::add(instruction what) {
  what.guard = guard_;
  what.is_guard_negated = is_guard_negated_;
  builder_.add(what, where_);
  if (std::exchange(uses_dynamic_address_, false)) builder_.add_dynamic_shared_offset_to_last();
}

void kernel_decoder::add_statement(const statement& what) {
  where_.text = what.text;
  guard_ = no_row;
  is_guard_negated_ = what.is_guard_negated;
  uses_dynamic_address_ = false;
  if (!what.guard.empty()) {
    guard_ = find_register(what.guard);
    if (guard_ == no_row || builder_.nbytes_of(guard_) != predicate_size) {
      throw image_error(code::invalid_ptx, "PTX: no predicate: " + std::string(what.text));
    }
  }
  try {
    add_instruction(what);
  } catch (const unsupported_form&) {
    uses_dynamic_address_ = false;
    add({.flow = control::unsupported});
  }
}

void kernel_decoder::add_instruction(const statement& what) {
  const std::string_view name = what.opcode.substr(0, what.opcode.find('.'));
  if (name == "bra") return add_branch(what);
  if (is_call(what.opcode)) return add_call(what);
  if ((name == "ret") && !frame().is_kernel) return add_branch(what);
  if (name == "mov") return add_move(what);
  if (name == "ld" || name == "ldu") return add_load(what);
  if (name == "st") return add_store(what);
  if (name == "atom") return add_atomic(what, true);
  if (name == "red") return add_atomic(what, false);
  if (name == "cp") return add_copy(what);
  if (name == "mbarrier") return add_mbarrier(what);
  if ((name == "bar" || name == "barrier") && what.opcode != "bar.warp.sync") {
    return add_barrier(what);
  }
  if (name == "prefetch" || name == "prefetchu" || name == "discard" || name == "applypriority") {
    // A hint for caches, which are not simulated.
    return add({.run = operations().find("membar.cta")->run});
  }
  const operation* const form = operations().find(what.opcode);
  if (form == nullptr) throw unsupported_form{};
  add_table_form(what, *form);
}

void kernel_decoder::add_branch(const statement& what) {
  // The end of a function in the place of its call has a label that no PTX can have.
  const bool returns = what.opcode.starts_with("ret");
  if (!returns && what.operands.size() != 1) throw unsupported_form{};
  if (what.opcode.starts_with("brx")) throw unsupported_form{};
  const int braces = returns ? frame().braces.front() : frame().braces.back();
  labels_.refer(braces, returns ? std::string_view{} : what.operands[0].text, builder_.size());
  add({.flow = control::branch});
}

void kernel_decoder::add_call(const statement& what) {
  const auto named = std::ranges::find(what.operands, operand_kind::name, &operand::kind);
  if (named == what.operands.end()) throw unsupported_form{};
  const auto function = from_.functions.find(named->text);
  if (function == from_.functions.end() || !function->second.is_defined ||
      frames_.size() > deepest_call) {
    throw unsupported_form{};
  }
  if (guard_ == no_row) return inline_function(function->second, what);
  // Lanes that don't call go around it.
  is_guard_negated_ = !is_guard_negated_;
  const int braces = labels_.open(frame().braces.back());
  labels_.refer(braces, "", builder_.size());
  add({.flow = control::branch});
  guard_ = no_row;
  inline_function(function->second, what);
  labels_.define(braces, "", builder_.size());
}

void kernel_decoder::pass_parameters(const std::vector<declaration>& names, const operand* list,
                                     body_frame& into) {
  const std::size_t given = list == nullptr ? 0 : list->parts.size();
  if (given != names.size()) throw unsupported_form{};
  for (std::size_t k = 0; k < given; ++k) {
    const auto found = frame().parameters.find(list->parts[k].text);
    if (found == frame().parameters.end()) throw unsupported_form{};
    into.parameters[names[k].name] = found->second;
  }
}

void kernel_decoder::inline_function(const function_source& what, const statement& call) {
  const operand* results = nullptr;
  const operand* arguments = nullptr;
  bool is_behind_name = false;
  for (const operand& one : call.operands) {
    if (one.kind == operand_kind::name) is_behind_name = true;
    if (one.kind == operand_kind::list) (is_behind_name ? arguments : results) = &one;
  }
  body_frame called{.is_kernel = false};
  pass_parameters(what.results, results, called);
  pass_parameters(what.parameters, arguments, called);
  called.scopes.emplace_back();
  called.braces.push_back(labels_.open(-1));
  const int braces = called.braces.front();
  frames_.push_back(std::move(called));
  const place before = where_;
  walk(what.body);
  where_ = before;
  labels_.define(braces, "", builder_.size());
  frames_.pop_back();
}

}  // namespace skerry::emulation::ptx
