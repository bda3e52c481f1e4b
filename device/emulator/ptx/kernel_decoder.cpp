// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/kernel_decoder.hpp"

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

KernelDecoder::KernelDecoder(const ModuleSource& module_source, const EntrySource& entry)
    : module_source_(module_source), entry_(entry) {
  for (const Declaration& one : module_source.shared) shared_[one.name] = one;
}

std::unique_ptr<const Program> KernelDecoder::decode() {
  Program& code = builder_.code();
  code.local_alignment = local_alignment;
  decode_functions();
  begin_region();
  code.entry = region_begin_;
  frames_.emplace_back();
  frame().scopes.emplace_back();
  frame().label_scopes.push_back(labels_.open(-1));
  decode_body(entry_.body);
  location_.text = "end of the kernel";
  guard_ = no_row;
  add({.execute = operations().find("exit")->execute, .flow = Control::exit});
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

/// Sets the offsets of callees' frames, which follow this frame, now that its size is known.
void KernelDecoder::end_region() {
  Program& code = builder_.code();
  const std::uint32_t nbytes = align_up(frame_nbytes_, code.local_alignment);
  for (const std::size_t index : behind_frame_) {
    Instruction& one = builder_.instruction_at(index);
    if (one.flow == Control::call) {
      code.call_sites[one.target].frame_nbytes = nbytes;
    } else {
      one.immediate += nbytes;
    }
  }
  code.regions.push_back({region_begin_, static_cast<std::uint32_t>(builder_.size())});
}

std::uint32_t KernelDecoder::take_local(std::uint32_t nbytes, std::uint32_t alignment) {
  std::uint32_t& max_alignment = builder_.code().local_alignment;
  max_alignment = std::max(max_alignment, alignment);
  const std::uint32_t offset = align_up(frame_nbytes_, alignment);
  frame_nbytes_ = offset + nbytes;
  return offset;
}

/// Returns a row with the address of a byte of the frame.
row KernelDecoder::local_address_row(std::uint64_t offset) {
  if (!frames_.front().is_called)
    return builder_.special({.special_register = &local_address, .offset = offset});
  Instruction sum{.execute = operations().find("add.s64")->execute};
  sum.destination[0] = builder_.new_register(8);
  sum.source = {builder_.special({.special_register = &frame_address}),
                builder_.constant(8, offset), no_row, no_row, no_row};
  builder_.add(sum, location_);
  return sum.destination[0];
}

void KernelDecoder::decode_body(std::string_view body) {
  Lexer lexer(body);
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next()) {
    if (t.is("{")) {
      const int inside = frame().label_scopes.back();
      frame().scopes.emplace_back();
      frame().label_scopes.push_back(labels_.open(inside));
    } else if (t.is("}")) {
      if (frame().scopes.size() == 1) throw ImageError(code::invalid_ptx, "PTX: unmatched }");
      frame().scopes.pop_back();
      frame().label_scopes.pop_back();
    } else if (t.text.starts_with('.')) {
      directive(t, lexer);
    } else if (t.kind == TokenKind::word && lexer.peek().is(":")) {
      (void)lexer.next();
      add_label(t.text, lexer);
    } else if (!t.is(";")) {
      add_statement(parse_statement(lexer, t));
    }
  }
}

void KernelDecoder::add_label(std::string_view name, Lexer& lexer) {
  const Token behind = lexer.peek();
  if (behind.is(".branchtargets")) {
    (void)lexer.next();
    branch_targets(name, lexer);
  } else if (behind.is(".callprototype")) {
    (void)lexer.next();
    call_prototype(name, lexer);
  } else if (behind.is(".calltargets")) {
    // All listed functions have the same prototype. A call checks that its target's signature
    // matches.
    (void)lexer.next();
    const auto first = module_source_.functions.find(lexer.next().text);
    if (first == module_source_.functions.end()) {
      throw ImageError(code::invalid_ptx, "PTX: .calltargets names an undefined function");
    }
    prototypes_[name] = {first->second.results, first->second.parameters};
    while (!lexer.peek().is(";") && lexer.peek().kind != TokenKind::end) (void)lexer.next();
  } else {
    labels_.define(frame().label_scopes.back(), name, builder_.size());
  }
}

void KernelDecoder::directive(const Token& first, Lexer& lexer) {
  if (first.is(".reg")) {
    frame().scopes.back().declare(lexer);
  } else if (first.is(".shared") || first.is(".local")) {
    declare_variable(parse_declaration(lexer, first.text));
  } else if (first.is(".param")) {
    const Declaration declaration = parse_declaration(lexer, first.text);
    auto one = std::make_shared<CallParameter>();
    one->nbytes = static_cast<std::uint32_t>(declaration.nbytes());
    one->alignment = declaration.alignment;
    frame().parameters[declaration.name] = std::move(one);
  } else if (first.is(".loc")) {
    std::string_view line = lexer.rest_of_line();
    location_.file = leading_number(line);
    location_.line = leading_number(line);
  } else if (first.is(".pragma")) {
    (void)lexer.next();
  } else {
    throw ImageError(code::invalid_ptx,
                     "PTX: unknown directive " + std::string(first.text) + " in a kernel");
  }
}

void KernelDecoder::declare_variable(const Declaration& declaration) {
  if (declaration.space == ".shared") {
    // All inlined copies of a function share the variable.
    shared_.emplace(declaration.name, declaration);
    if (!declaration.is_unsized) (void)shared_offset_of(declaration);
    return;
  }
  local_offsets_[declaration.name] =
      take_local(static_cast<std::uint32_t>(declaration.nbytes()), declaration.alignment);
}

void KernelDecoder::add(Instruction instruction) {
  instruction.guard = guard_;
  instruction.is_guard_negated = is_guard_negated_;
  builder_.add(instruction, location_);
  if (std::exchange(uses_dynamic_address_, false)) builder_.add_dynamic_shared_offset_to_last();
}

void KernelDecoder::add_statement(const Statement& statement) {
  location_.text = statement.text;
  guard_ = no_row;
  is_guard_negated_ = statement.is_guard_negated;
  uses_dynamic_address_ = false;
  if (!statement.guard.empty()) {
    guard_ = find_register(statement.guard);
    if (guard_ == no_row || builder_.nbytes_of(guard_) != predicate_nbytes) {
      throw ImageError(code::invalid_ptx,
                       "PTX: the guard is not a predicate: " + std::string(statement.text));
    }
  }
  try {
    add_instruction(statement);
  } catch (const UnsupportedForm&) {
    uses_dynamic_address_ = false;
    add({.flow = Control::unsupported});
  }
}

void KernelDecoder::add_instruction(const Statement& statement) {
  const std::string_view name = statement.opcode.substr(0, statement.opcode.find('.'));
  if (name == "bra") return add_branch(statement);
  if (statement.opcode == "brx.idx" || statement.opcode == "brx.idx.uni")
    return add_branch_table(statement);
  if (statement.opcode == "call" || statement.opcode == "call.uni") return add_call(statement);
  if (name == "ret" && !frame().is_kernel) return add_return(statement);
  if (name == "mov") return add_move(statement);
  if (name == "ld" || name == "ldu") return add_load(statement);
  if (name == "st") return add_store(statement);
  if (name == "atom") return add_atomic(statement, true);
  if (name == "red") return add_atomic(statement, false);
  if (name == "cp") return add_copy(statement);
  if (name == "mbarrier") return add_mbarrier(statement);
  if ((name == "bar" || name == "barrier") && statement.opcode != "bar.warp.sync") {
    return add_barrier(statement);
  }
  if (name == "prefetch" || name == "prefetchu" || name == "discard" || name == "applypriority") {
    return add_cache_hint(statement);
  }
  const Operation* const operation = operations().find(statement.opcode);
  if (operation == nullptr) throw UnsupportedForm{};
  add_table_form(statement, *operation);
}

void KernelDecoder::add_return(const Statement& statement) {
  if (frame().is_called) return add({.flow = Control::ret});
  // The empty label, which PTX cannot have, marks the end of an inlined function.
  labels_.refer(frame().label_scopes.front(), "", builder_.size());
  if (!statement.operands.empty()) throw UnsupportedForm{};
  add({.flow = Control::branch});
}

void KernelDecoder::add_branch(const Statement& statement) {
  if (statement.operands.size() != 1) throw UnsupportedForm{};
  labels_.refer(frame().label_scopes.back(), statement.operands[0].text, builder_.size());
  add({.flow = Control::branch});
}

void KernelDecoder::add_branch_table(const Statement& statement) {
  if (statement.operands.size() != 2) throw UnsupportedForm{};
  const auto table = tables_.find(statement.operands[1].text);
  if (table == tables_.end()) throw UnsupportedForm{};
  Instruction one{.target = static_cast<std::uint32_t>(table->second), .flow = Control::table};
  one.source[0] = source(statement.operands[0], 4);
  if (builder_.nbytes_of(one.source[0]) != 4) throw UnsupportedForm{};
  add(one);
}

/// `label: .branchtargets a, b;`
void KernelDecoder::branch_targets(std::string_view label, Lexer& lexer) {
  const std::size_t table = builder_.code().branch_tables.size();
  builder_.code().branch_tables.emplace_back();
  tables_[label] = table;
  for (Token t = lexer.next(); !t.is(";"); t = lexer.next()) {
    if (t.kind == TokenKind::end)
      throw ImageError(code::invalid_ptx, "PTX: unterminated .branchtargets");
    if (!t.is(",")) labels_.refer_in_table(frame().label_scopes.back(), t.text, table);
  }
}

/// `label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
void KernelDecoder::call_prototype(std::string_view label, Lexer& lexer) {
  Prototype prototype;
  Token t = lexer.next();
  if (t.is("(")) {
    prototype.results = parse_parameters(lexer);
    t = lexer.next();
  }
  if (lexer.peek().is("(")) {
    (void)lexer.next();
    prototype.parameters = parse_parameters(lexer);
  }
  for (; !t.is(";"); t = lexer.next()) {
    if (t.kind == TokenKind::end) {
      throw ImageError(code::invalid_ptx, "PTX: unterminated .callprototype");
    }
  }
  prototypes_[label] = std::move(prototype);
}

}  // namespace skerry::emulation::ptx
