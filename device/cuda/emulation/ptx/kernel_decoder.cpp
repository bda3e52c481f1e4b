// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/kernel_decoder.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace skerry::emulation::ptx {
namespace {

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

}  // namespace

kernel_decoder::kernel_decoder(const module_source& from, const entry_source& entry)
    : from_(from), entry_(entry) {
  for (const declaration& one : from.shared) shared_[one.name] = one;
}

std::unique_ptr<const program> kernel_decoder::decode() {
  program& code = builder_.code();
  code.local_alignment = local_alignment;
  decode_functions();
  begin_region();
  code.entry = region_begin_;
  frames_.emplace_back();
  frame().scopes.emplace_back();
  frame().braces.push_back(labels_.open(-1));
  walk(entry_.body);
  where_.text = "end of the kernel";
  guard_ = no_row;
  add({.run = operations().find("exit")->run, .flow = control::exit});
  code.local_nbytes = align_up(frame_nbytes_, code.local_alignment);
  end_region();
  labels_.resolve(builder_);
  code.dynamic_shared_offset = align_up(code.static_shared_nbytes, dynamic_alignment_);
  code.parameter_nbytes = entry_.parameter_nbytes;
  code.max_threads = entry_.max_threads;
  code.cluster = entry_.cluster;
  return builder_.finish();
}

void kernel_decoder::begin_region() {
  region_begin_ = static_cast<std::uint32_t>(builder_.size());
  frame_nbytes_ = 0;
  behind_frame_.clear();
  result_slots_.clear();
}

/// The frame's size is known now, behind which those of the functions begin that are called.
void kernel_decoder::end_region() {
  program& code = builder_.code();
  const std::uint32_t nbytes = align_up(frame_nbytes_, code.local_alignment);
  for (const std::size_t index : behind_frame_) {
    instruction& one = builder_.at(index);
    if (one.flow == control::call) {
      code.call_sites[one.target].frame_nbytes = nbytes;
    } else {
      one.immediate += nbytes;
    }
  }
  code.regions.push_back({region_begin_, static_cast<std::uint32_t>(builder_.size())});
}

std::uint32_t kernel_decoder::take_local(std::uint32_t nbytes, std::uint32_t alignment) {
  std::uint32_t& most = builder_.code().local_alignment;
  most = std::max(most, alignment);
  const std::uint32_t offset = align_up(frame_nbytes_, alignment);
  frame_nbytes_ = offset + nbytes;
  return offset;
}

/// A row with the address of a byte of the frame.
row kernel_decoder::local_place(std::uint64_t offset) {
  if (!frames_.front().is_called)
    return builder_.special({.what = &local_address, .offset = offset});
  instruction sum{.run = operations().find("add.s64")->run};
  sum.destination[0] = builder_.new_register(8);
  sum.source = {builder_.special({.what = &frame_address}), builder_.constant(8, offset), no_row,
                no_row, no_row};
  builder_.add(sum, where_);
  return sum.destination[0];
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
      add_label(t.text, from);
    } else if (!t.is(";")) {
      add_statement(parse_statement(from, t));
    }
  }
}

void kernel_decoder::add_label(std::string_view name, lexer& from) {
  const token behind = from.peek();
  if (behind.is(".branchtargets")) {
    (void)from.next();
    branch_targets(name, from);
  } else if (behind.is(".callprototype")) {
    (void)from.next();
    call_prototype(name, from);
  } else if (behind.is(".calltargets")) {
    // All of them take the same, and a call compares it with what it gives.
    (void)from.next();
    const auto first = from_.functions.find(from.next().text);
    if (first == from_.functions.end()) {
      throw image_error(code::invalid_ptx, "PTX: a list of no functions");
    }
    prototypes_[name] = {first->second.results, first->second.parameters};
    while (!from.peek().is(";") && from.peek().kind != token_kind::end) (void)from.next();
  } else {
    labels_.define(frame().braces.back(), name, builder_.size());
  }
}

void kernel_decoder::directive(const token& first, lexer& from) {
  if (first.is(".reg")) {
    frame().scopes.back().declare(from);
  } else if (first.is(".shared") || first.is(".local")) {
    declare_variable(parse_declaration(from, first.text));
  } else if (first.is(".param")) {
    const declaration found = parse_declaration(from, first.text);
    auto one = std::make_shared<call_parameter>();
    one->nbytes = static_cast<std::uint32_t>(found.nbytes());
    one->alignment = found.alignment;
    frame().parameters[found.name] = std::move(one);
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
  local_places_[what.name] = take_local(static_cast<std::uint32_t>(what.nbytes()), what.alignment);
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
  if (what.opcode == "brx.idx" || what.opcode == "brx.idx.uni") return add_branch_table(what);
  if (what.opcode == "call" || what.opcode == "call.uni") return add_call(what);
  if (name == "ret" && !frame().is_kernel) return add_return(what);
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
    return add_cache_hint(what);
  }
  const operation* const form = operations().find(what.opcode);
  if (form == nullptr) throw unsupported_form{};
  add_table_form(what, *form);
}

void kernel_decoder::add_return(const statement& what) {
  if (frame().is_called) return add({.flow = control::leave});
  // The end of a function in the place of its call has a label that no PTX can have.
  labels_.refer(frame().braces.front(), "", builder_.size());
  if (!what.operands.empty()) throw unsupported_form{};
  add({.flow = control::branch});
}

void kernel_decoder::add_branch(const statement& what) {
  if (what.operands.size() != 1) throw unsupported_form{};
  labels_.refer(frame().braces.back(), what.operands[0].text, builder_.size());
  add({.flow = control::branch});
}

void kernel_decoder::add_branch_table(const statement& what) {
  if (what.operands.size() != 2) throw unsupported_form{};
  const auto table = tables_.find(what.operands[1].text);
  if (table == tables_.end()) throw unsupported_form{};
  instruction one{.target = static_cast<std::uint32_t>(table->second), .flow = control::table};
  one.source[0] = source(what.operands[0], 4);
  if (builder_.nbytes_of(one.source[0]) != 4) throw unsupported_form{};
  add(one);
}

/// `label: .branchtargets a, b;`
void kernel_decoder::branch_targets(std::string_view label, lexer& from) {
  const std::size_t table = builder_.code().branch_tables.size();
  builder_.code().branch_tables.emplace_back();
  tables_[label] = table;
  for (token t = from.next(); !t.is(";"); t = from.next()) {
    if (t.kind == token_kind::end) throw image_error(code::invalid_ptx, "PTX: a table has no end");
    if (!t.is(",")) labels_.refer_in_table(frame().braces.back(), t.text, table);
  }
}

/// `label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
void kernel_decoder::call_prototype(std::string_view label, lexer& from) {
  prototype found;
  token t = from.next();
  if (t.is("(")) {
    found.results = parse_parameters(from);
    t = from.next();
  }
  if (from.peek().is("(")) {
    (void)from.next();
    found.parameters = parse_parameters(from);
  }
  for (; !t.is(";"); t = from.next()) {
    if (t.kind == token_kind::end) {
      throw image_error(code::invalid_ptx, "PTX: a prototype has no end");
    }
  }
  prototypes_[label] = std::move(found);
}

}  // namespace skerry::emulation::ptx
