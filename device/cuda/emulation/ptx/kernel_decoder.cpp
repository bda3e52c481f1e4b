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

KernelDecoder::KernelDecoder(const ModuleSource& from, const EntrySource& entry)
    : from_(from), entry_(entry) {
  for (const Declaration& one : from.shared) shared_[one.name] = one;
}

std::unique_ptr<const Program> KernelDecoder::decode() {
  Program& code = builder_.code();
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
  add({.run = operations().find("exit")->run, .flow = Control::exit});
  code.local_nbytes = align_up(frame_nbytes_, code.local_alignment);
  end_region();
  labels_.resolve(builder_);
  code.dynamic_shared_offset = align_up(code.static_shared_nbytes, dynamic_alignment_);
  code.parameter_nbytes = entry_.parameter_nbytes;
  code.max_threads = entry_.max_threads;
  code.cluster = entry_.cluster;
  return builder_.finish();
}

void KernelDecoder::begin_region() {
  region_begin_ = static_cast<std::uint32_t>(builder_.size());
  frame_nbytes_ = 0;
  behind_frame_.clear();
  result_slots_.clear();
}

/// The frame's size is known now, behind which those of the functions begin that are called.
void KernelDecoder::end_region() {
  Program& code = builder_.code();
  const std::uint32_t nbytes = align_up(frame_nbytes_, code.local_alignment);
  for (const std::size_t index : behind_frame_) {
    Instruction& one = builder_.at(index);
    if (one.flow == Control::call) {
      code.call_sites[one.target].frame_nbytes = nbytes;
    } else {
      one.immediate += nbytes;
    }
  }
  code.regions.push_back({region_begin_, static_cast<std::uint32_t>(builder_.size())});
}

std::uint32_t KernelDecoder::take_local(std::uint32_t nbytes, std::uint32_t alignment) {
  std::uint32_t& most = builder_.code().local_alignment;
  most = std::max(most, alignment);
  const std::uint32_t offset = align_up(frame_nbytes_, alignment);
  frame_nbytes_ = offset + nbytes;
  return offset;
}

/// A row with the address of a byte of the frame.
row KernelDecoder::local_place(std::uint64_t offset) {
  if (!frames_.front().is_called)
    return builder_.special({.what = &local_address, .offset = offset});
  Instruction sum{.run = operations().find("add.s64")->run};
  sum.destination[0] = builder_.new_register(8);
  sum.source = {builder_.special({.what = &frame_address}), builder_.constant(8, offset), no_row,
                no_row, no_row};
  builder_.add(sum, where_);
  return sum.destination[0];
}

void KernelDecoder::walk(std::string_view body) {
  Lexer from(body);
  for (Token t = from.next(); t.kind != TokenKind::end; t = from.next()) {
    if (t.is("{")) {
      const int inside = frame().braces.back();
      frame().scopes.emplace_back();
      frame().braces.push_back(labels_.open(inside));
    } else if (t.is("}")) {
      if (frame().scopes.size() == 1) throw ImageError(code::invalid_ptx, "PTX: unmatched }");
      frame().scopes.pop_back();
      frame().braces.pop_back();
    } else if (t.text.starts_with('.')) {
      directive(t, from);
    } else if (t.kind == TokenKind::word && from.peek().is(":")) {
      (void)from.next();
      add_label(t.text, from);
    } else if (!t.is(";")) {
      add_statement(parse_statement(from, t));
    }
  }
}

void KernelDecoder::add_label(std::string_view name, Lexer& from) {
  const Token behind = from.peek();
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
      throw ImageError(code::invalid_ptx, "PTX: a list of no functions");
    }
    prototypes_[name] = {first->second.results, first->second.parameters};
    while (!from.peek().is(";") && from.peek().kind != TokenKind::end) (void)from.next();
  } else {
    labels_.define(frame().braces.back(), name, builder_.size());
  }
}

void KernelDecoder::directive(const Token& first, Lexer& from) {
  if (first.is(".reg")) {
    frame().scopes.back().declare(from);
  } else if (first.is(".shared") || first.is(".local")) {
    declare_variable(parse_declaration(from, first.text));
  } else if (first.is(".param")) {
    const Declaration found = parse_declaration(from, first.text);
    auto one = std::make_shared<CallParameter>();
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
    throw ImageError(code::invalid_ptx,
                     "PTX: unknown directive " + std::string(first.text) + " in a kernel");
  }
}

void KernelDecoder::declare_variable(const Declaration& what) {
  if (what.space == ".shared") {
    // A function whose call is decoded again has the same one.
    shared_.emplace(what.name, what);
    if (!what.is_unsized) (void)place_of_shared(what);
    return;
  }
  local_places_[what.name] = take_local(static_cast<std::uint32_t>(what.nbytes()), what.alignment);
}

void KernelDecoder::add(Instruction what) {
  what.guard = guard_;
  what.is_guard_negated = is_guard_negated_;
  builder_.add(what, where_);
  if (std::exchange(uses_dynamic_address_, false)) builder_.add_dynamic_shared_offset_to_last();
}

void KernelDecoder::add_statement(const Statement& what) {
  where_.text = what.text;
  guard_ = no_row;
  is_guard_negated_ = what.is_guard_negated;
  uses_dynamic_address_ = false;
  if (!what.guard.empty()) {
    guard_ = find_register(what.guard);
    if (guard_ == no_row || builder_.nbytes_of(guard_) != predicate_size) {
      throw ImageError(code::invalid_ptx, "PTX: no predicate: " + std::string(what.text));
    }
  }
  try {
    add_instruction(what);
  } catch (const UnsupportedForm&) {
    uses_dynamic_address_ = false;
    add({.flow = Control::unsupported});
  }
}

void KernelDecoder::add_instruction(const Statement& what) {
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
  const Operation* const form = operations().find(what.opcode);
  if (form == nullptr) throw UnsupportedForm{};
  add_table_form(what, *form);
}

void KernelDecoder::add_return(const Statement& what) {
  if (frame().is_called) return add({.flow = Control::leave});
  // The end of a function in the place of its call has a label that no PTX can have.
  labels_.refer(frame().braces.front(), "", builder_.size());
  if (!what.operands.empty()) throw UnsupportedForm{};
  add({.flow = Control::branch});
}

void KernelDecoder::add_branch(const Statement& what) {
  if (what.operands.size() != 1) throw UnsupportedForm{};
  labels_.refer(frame().braces.back(), what.operands[0].text, builder_.size());
  add({.flow = Control::branch});
}

void KernelDecoder::add_branch_table(const Statement& what) {
  if (what.operands.size() != 2) throw UnsupportedForm{};
  const auto table = tables_.find(what.operands[1].text);
  if (table == tables_.end()) throw UnsupportedForm{};
  Instruction one{.target = static_cast<std::uint32_t>(table->second), .flow = Control::table};
  one.source[0] = source(what.operands[0], 4);
  if (builder_.nbytes_of(one.source[0]) != 4) throw UnsupportedForm{};
  add(one);
}

/// `label: .branchtargets a, b;`
void KernelDecoder::branch_targets(std::string_view label, Lexer& from) {
  const std::size_t table = builder_.code().branch_tables.size();
  builder_.code().branch_tables.emplace_back();
  tables_[label] = table;
  for (Token t = from.next(); !t.is(";"); t = from.next()) {
    if (t.kind == TokenKind::end) throw ImageError(code::invalid_ptx, "PTX: a table has no end");
    if (!t.is(",")) labels_.refer_in_table(frame().braces.back(), t.text, table);
  }
}

/// `label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
void KernelDecoder::call_prototype(std::string_view label, Lexer& from) {
  Prototype found;
  Token t = from.next();
  if (t.is("(")) {
    found.results = parse_parameters(from);
    t = from.next();
  }
  if (from.peek().is("(")) {
    (void)from.next();
    found.parameters = parse_parameters(from);
  }
  for (; !t.is(";"); t = from.next()) {
    if (t.kind == TokenKind::end) {
      throw ImageError(code::invalid_ptx, "PTX: a prototype has no end");
    }
  }
  prototypes_[label] = std::move(found);
}

}  // namespace skerry::emulation::ptx
