// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/statement.hpp"

#include <string>

#include "device/emulator/failure.hpp"
#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation::ptx {
namespace {

[[noreturn]] void reject(std::string_view text) {
  throw ImageError(code::invalid_ptx,
                   "PTX: unexpected '" + std::string(text.substr(0, 40)) + "' in an instruction");
}

/// Parses the offset after a name, such as `+4`, `+-4` or nothing.
[[nodiscard]] std::int64_t parse_offset(Lexer& lexer) {
  std::int64_t offset = 0;
  while (lexer.peek().is("+") || lexer.peek().is("-")) {
    bool is_negative = false;
    while (lexer.peek().is("+") || lexer.peek().is("-")) is_negative ^= lexer.next().is("-");
    const auto value = static_cast<std::int64_t>(parse_number(lexer.next().text));
    offset += is_negative ? -value : value;
  }
  return offset;
}

[[nodiscard]] Operand parse_operand(Lexer& lexer);

[[nodiscard]] Operand parse_parts(Lexer& lexer, std::string_view end) {
  Operand list{.kind = OperandKind::list};
  while (!lexer.peek().is(end)) {
    if (lexer.peek().kind == TokenKind::end) reject("end");
    list.parts.push_back(parse_operand(lexer));
    if (lexer.peek().is(",")) (void)lexer.next();
  }
  (void)lexer.next();
  return list;
}

[[nodiscard]] Operand parse_address(Lexer& lexer) {
  Operand address{.kind = OperandKind::address};
  if (lexer.peek().is("-") || lexer.peek().kind == TokenKind::number) {
    address.offset = lexer.peek().is("-")
                         ? parse_offset(lexer)
                         : static_cast<std::int64_t>(parse_number(lexer.next().text));
  } else {
    address.text = lexer.next().text;
    address.offset = parse_offset(lexer);
  }
  // Texture operands have coordinates after the name.
  if (lexer.peek().is(",")) {
    (void)lexer.next();
    address.parts = parse_parts(lexer, "]").parts;
    return address;
  }
  const Token end = lexer.next();
  if (!end.is("]")) reject(end.text);
  return address;
}

Operand parse_operand(Lexer& lexer) {
  Token t = lexer.next();
  if (t.is("[")) return parse_address(lexer);
  if (t.is("{")) return parse_parts(lexer, "}");
  if (t.is("(")) return parse_parts(lexer, ")");
  Operand one;
  if (t.is("!")) {
    one.is_negated = true;
    t = lexer.next();
  }
  if (t.is("-")) {
    one.is_negative = true;
    t = lexer.next();
    if (t.kind != TokenKind::number) reject(t.text);
  }
  one.text = t.text;
  if (t.kind == TokenKind::number) {
    one.kind = OperandKind::number;
  } else if (t.kind != TokenKind::word) {
    reject(t.text);
  }
  if (lexer.peek().is("|")) {
    (void)lexer.next();
    one.second = lexer.next().text;
  }
  one.offset = parse_offset(lexer);
  return one;
}

}  // namespace

Statement parse_statement(Lexer& lexer, Token first) {
  Statement statement;
  const char* const begin = first.text.data();
  if (first.is("@")) {
    Token guard = lexer.next();
    if (guard.is("!")) {
      statement.is_guard_negated = true;
      guard = lexer.next();
    }
    statement.guard = guard.text;
    first = lexer.next();
  }
  if (first.kind != TokenKind::word) reject(first.text);
  statement.opcode = first.text;
  while (!lexer.peek().is(";")) {
    statement.operands.push_back(parse_operand(lexer));
    if (lexer.peek().is(",")) {
      (void)lexer.next();
    } else if (!lexer.peek().is(";")) {
      reject(lexer.peek().text);
    }
  }
  (void)lexer.next();
  const char* const end = lexer.text().data() + lexer.position();
  statement.text = {begin, static_cast<std::size_t>(end - begin)};
  return statement;
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
