// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/link_symbols.hpp"

#include <algorithm>
#include <array>

#include "device/emulator/ptx/lexer.hpp"
#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation::ptx {
namespace {

constexpr std::array<std::string_view, 5> spellings = {"", ".extern ", ".visible ", ".weak ",
                                                       ".common "};

[[noreturn]] void reject(const std::string& message, std::string_view excerpt) {
  throw ImageError(code::invalid_ptx,
                   "PTX: " + message + ": " + std::string(excerpt.substr(0, 80)));
}

[[nodiscard]] std::uint32_t number_of(const Token& t) {
  if (t.kind != TokenKind::number) reject("expected a number", t.text);
  return static_cast<std::uint32_t>(parse_number(t.text));
}

/// Moves past the next `delimiter` that is outside braces.
void skip_behind(Lexer& lexer, std::string_view delimiter) {
  for (Token t = lexer.next(); !t.is(delimiter); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("end of text before " + std::string(delimiter), "");
    if (t.is("{")) (void)lexer.read_body();
  }
}

[[nodiscard]] Linkage linkage_of(const Token& t) noexcept {
  for (std::size_t k = 1; k < spellings.size(); ++k) {
    std::string_view word = spellings.at(k);
    word.remove_suffix(1);
    if (t.is(word)) return static_cast<Linkage>(k);
  }
  return Linkage::local;
}

/// Reads a kernel or function, after `.entry` or `.func`, past its body or semicolon.
void read_code(Lexer& lexer, LinkSymbol& symbol) {
  Token t = lexer.next();
  while (t.kind == TokenKind::word && t.text.starts_with('.')) t = lexer.next();
  if (t.is("(")) {
    skip_behind(lexer, ")");
    t = lexer.next();
  }
  symbol.name = t.text;
  for (t = lexer.next(); !t.is("{") && !t.is(";"); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("unterminated function", symbol.name);
  }
  symbol.is_definition = t.is("{");
  symbol.kind = symbol.is_definition ? SymbolKind::code : SymbolKind::prototype;
  if (symbol.is_definition) (void)lexer.read_body();
}

void read_variable(Lexer& lexer, std::string_view space, LinkSymbol& symbol) {
  symbol.kind = SymbolKind::variable;
  symbol.name = parse_declaration(lexer, space).name;
  symbol.is_definition = symbol.linkage != Linkage::external;
  skip_behind(lexer, ";");
}

/// Reads debug information; its labels are local to the module.
void read_section(Lexer& lexer, LinkSymbol& symbol) {
  for (Token t = lexer.next(); !t.is("{"); t = lexer.next()) {
    if (t.kind == TokenKind::end) reject("a section has no body", "");
  }
  Lexer body(lexer.read_body());
  for (Token t = body.next(); t.kind != TokenKind::end; t = body.next()) {
    if (t.kind == TokenKind::word && body.peek().is(":")) symbol.own_names.push_back(t.text);
  }
}

void read_target(Lexer& lexer, LinkModule& link_module) {
  link_module.target = lexer.rest_of_line();
  link_module.target.remove_prefix(
      std::min(link_module.target.find_first_not_of(" \t"), link_module.target.size()));
  const std::size_t digit = link_module.target.find('_') + 1;
  if (!link_module.target.starts_with("sm_")) reject("not a target", link_module.target);
  const std::size_t end = link_module.target.find_first_not_of("0123456789", digit);
  link_module.target_number =
      static_cast<int>(parse_number(link_module.target.substr(digit, end - digit)));
}

void read_version(Lexer& lexer, LinkModule& link_module) {
  const std::string_view version = lexer.next().text;
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) reject("not a version", version);
  link_module.version = {static_cast<int>(parse_number(version.substr(0, dot))),
                         static_cast<int>(parse_number(version.substr(dot + 1)))};
}

void read_file(Lexer& lexer, LinkModule& link_module) {
  const std::uint32_t number = number_of(lexer.next());
  link_module.files[number] = lexer.next().text;
  (void)lexer.rest_of_line();
}

/// Reads a directive that concerns the whole module; false if it is a symbol.
[[nodiscard]] bool read_head(Lexer& lexer, const Token& t, LinkModule& link_module) {
  if (t.is(".version")) {
    read_version(lexer, link_module);
  } else if (t.is(".target")) {
    read_target(lexer, link_module);
  } else if (t.is(".file")) {
    read_file(lexer, link_module);
  } else if (t.is(".address_size")) {
    (void)lexer.next();
  } else {
    return false;
  }
  return true;
}

[[nodiscard]] LinkSymbol read_symbol(Lexer& lexer, Token t) {
  static constexpr std::string_view spaces[] = {".global", ".const", ".shared", ".tex"};
  LinkSymbol symbol;
  while (linkage_of(t) != Linkage::local) {
    symbol.linkage = linkage_of(t);
    t = lexer.next();
  }
  const std::size_t begin = lexer.position() - t.text.size();
  if (t.is(".entry") || t.is(".func")) {
    read_code(lexer, symbol);
  } else if (std::ranges::find(spaces, t.text) != std::ranges::end(spaces)) {
    read_variable(lexer, t.text, symbol);
  } else if (t.is(".section")) {
    read_section(lexer, symbol);
  } else if (t.is(".alias") || t.is(".pragma")) {
    skip_behind(lexer, ";");
  } else {
    reject("unknown directive", t.text);
  }
  if (symbol.linkage == Linkage::local && !symbol.name.empty())
    symbol.own_names.push_back(symbol.name);
  symbol.text = lexer.text().substr(begin, lexer.position() - begin);
  return symbol;
}

}  // namespace

LinkModule read_module(std::string_view name, std::string_view text) {
  LinkModule link_module;
  link_module.name = name;
  Lexer lexer(text);
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next()) {
    if (!read_head(lexer, t, link_module)) link_module.symbols.push_back(read_symbol(lexer, t));
  }
  if (link_module.target_number == 0) reject("no target", name);
  return link_module;
}

std::string_view spelling_of(Linkage linkage) noexcept {
  return spellings.at(static_cast<std::size_t>(linkage));
}

std::string rewritten(std::string_view text,
                      const std::unordered_map<std::string_view, std::string>& names,
                      const std::map<std::uint32_t, std::size_t>& files) {
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](const Lexer& cursor, std::string_view old,
                           std::string_view replacement) {
    const std::size_t begin = cursor.position() - old.size();
    result += text.substr(copied, begin - copied);
    result += replacement;
    copied = cursor.position();
  };
  Lexer lexer(text);
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next()) {
    if (t.is(".loc") || t.is("inlined_at")) {
      const Token file = lexer.next();
      const auto number = files.find(number_of(file));
      if (number != files.end()) replace(lexer, file.text, std::to_string(number->second));
    } else if (t.kind == TokenKind::word) {
      const auto name = names.find(t.text);
      if (name != names.end()) replace(lexer, t.text, name->second);
    }
  }
  result += text.substr(copied);
  return result;
}

}  // namespace skerry::emulation::ptx
