// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/statement.hpp"

#include <string>

#include "device/cuda/emulation/failure.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation::ptx {
namespace {

[[noreturn]] void refuse(std::string_view found) {
  throw ImageError(code::invalid_ptx,
                   "PTX: unexpected '" + std::string(found.substr(0, 40)) + "' in an instruction");
}

/// The sum behind a name, such as `+4`, `+-4` or nothing.
[[nodiscard]] std::int64_t parse_offset(Lexer& from) {
  std::int64_t offset = 0;
  while (from.peek().is("+") || from.peek().is("-")) {
    bool is_negative = false;
    while (from.peek().is("+") || from.peek().is("-")) is_negative ^= from.next().is("-");
    const auto value = static_cast<std::int64_t>(parse_number(from.next().text));
    offset += is_negative ? -value : value;
  }
  return offset;
}

[[nodiscard]] Operand parse_operand(Lexer& from);

[[nodiscard]] Operand parse_parts(Lexer& from, std::string_view end) {
  Operand list{.kind = OperandKind::list};
  while (!from.peek().is(end)) {
    if (from.peek().kind == TokenKind::end) refuse("end");
    list.parts.push_back(parse_operand(from));
    if (from.peek().is(",")) (void)from.next();
  }
  (void)from.next();
  return list;
}

[[nodiscard]] Operand parse_address(Lexer& from) {
  Operand address{.kind = OperandKind::address};
  if (from.peek().is("-") || from.peek().kind == TokenKind::number) {
    address.offset = from.peek().is("-")
                         ? parse_offset(from)
                         : static_cast<std::int64_t>(parse_number(from.next().text));
  } else {
    address.text = from.next().text;
    address.offset = parse_offset(from);
  }
  // Textures have coordinates behind it.
  if (from.peek().is(",")) {
    (void)from.next();
    address.parts = parse_parts(from, "]").parts;
    return address;
  }
  const Token end = from.next();
  if (!end.is("]")) refuse(end.text);
  return address;
}

Operand parse_operand(Lexer& from) {
  Token t = from.next();
  if (t.is("[")) return parse_address(from);
  if (t.is("{")) return parse_parts(from, "}");
  if (t.is("(")) return parse_parts(from, ")");
  Operand one;
  if (t.is("!")) {
    one.is_negated = true;
    t = from.next();
  }
  if (t.is("-")) {
    one.is_negative = true;
    t = from.next();
    if (t.kind != TokenKind::number) refuse(t.text);
  }
  one.text = t.text;
  if (t.kind == TokenKind::number) {
    one.kind = OperandKind::number;
  } else if (t.kind != TokenKind::word) {
    refuse(t.text);
  }
  if (from.peek().is("|")) {
    (void)from.next();
    one.second = from.next().text;
  }
  one.offset = parse_offset(from);
  return one;
}

}  // namespace

Statement parse_statement(Lexer& from, Token first) {
  Statement found;
  const char* const begin = first.text.data();
  if (first.is("@")) {
    Token guard = from.next();
    if (guard.is("!")) {
      found.is_guard_negated = true;
      guard = from.next();
    }
    found.guard = guard.text;
    first = from.next();
  }
  if (first.kind != TokenKind::word) refuse(first.text);
  found.opcode = first.text;
  while (!from.peek().is(";")) {
    found.operands.push_back(parse_operand(from));
    if (from.peek().is(",")) {
      (void)from.next();
    } else if (!from.peek().is(";")) {
      refuse(from.peek().text);
    }
  }
  (void)from.next();
  const char* const end = from.text().data() + from.position();
  found.text = {begin, static_cast<std::size_t>(end - begin)};
  return found;
}

std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', begin), opcode.size());
    parts.push_back(opcode.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace skerry::emulation::ptx
