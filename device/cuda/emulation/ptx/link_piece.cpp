// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/link_piece.hpp"

#include <algorithm>
#include <array>

#include "device/cuda/emulation/ptx/lexer.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation::ptx {
namespace {

constexpr std::array<std::string_view, 5> spellings = {"", ".extern ", ".visible ", ".weak ",
                                                       ".common "};

[[noreturn]] void refuse(const std::string& what, std::string_view where) {
  throw ImageError(code::invalid_ptx, "PTX: " + what + ": " + std::string(where.substr(0, 80)));
}

[[nodiscard]] std::uint32_t number_of(const Token& t) {
  if (t.kind != TokenKind::number) refuse("expected a number", t.text);
  return static_cast<std::uint32_t>(parse_number(t.text));
}

/// Up to behind a token of the outermost level; braces belong together.
void skip_behind(Lexer& from, std::string_view wanted) {
  for (Token t = from.next(); !t.is(wanted); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("ends before " + std::string(wanted), "");
    if (t.is("{")) (void)from.inside_braces();
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

/// From behind `.entry` or `.func` to behind the body or the semicolon.
void read_code(Lexer& from, LinkPiece& into) {
  Token t = from.next();
  while (t.kind == TokenKind::word && t.text.starts_with('.')) t = from.next();
  if (t.is("(")) {
    skip_behind(from, ")");
    t = from.next();
  }
  into.name = t.text;
  for (t = from.next(); !t.is("{") && !t.is(";"); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("a function has no end", into.name);
  }
  into.is_definition = t.is("{");
  into.kind = into.is_definition ? PieceKind::code : PieceKind::prototype;
  if (into.is_definition) (void)from.inside_braces();
}

void read_variable(Lexer& from, std::string_view space, LinkPiece& into) {
  into.kind = PieceKind::variable;
  into.name = parse_declaration(from, space).name;
  into.is_definition = into.seen != Linkage::external;
  skip_behind(from, ";");
}

/// Debugging information: its labels are the module's own.
void read_section(Lexer& from, LinkPiece& into) {
  for (Token t = from.next(); !t.is("{"); t = from.next()) {
    if (t.kind == TokenKind::end) refuse("a section has no body", "");
  }
  Lexer body(from.inside_braces());
  for (Token t = body.next(); t.kind != TokenKind::end; t = body.next()) {
    if (t.kind == TokenKind::word && body.peek().is(":")) into.own_names.push_back(t.text);
  }
}

void read_target(Lexer& from, LinkPieces& into) {
  into.target = from.rest_of_line();
  into.target.remove_prefix(std::min(into.target.find_first_not_of(" \t"), into.target.size()));
  const std::size_t digit = into.target.find('_') + 1;
  if (!into.target.starts_with("sm_")) refuse("not a target", into.target);
  const std::size_t end = into.target.find_first_not_of("0123456789", digit);
  into.target_number = static_cast<int>(parse_number(into.target.substr(digit, end - digit)));
}

void read_version(Lexer& from, LinkPieces& into) {
  const std::string_view version = from.next().text;
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) refuse("not a version", version);
  into.version = {static_cast<int>(parse_number(version.substr(0, dot))),
                  static_cast<int>(parse_number(version.substr(dot + 1)))};
}

void read_file(Lexer& from, LinkPieces& into) {
  const std::uint32_t number = number_of(from.next());
  into.files[number] = from.next().text;
  (void)from.rest_of_line();
}

/// What belongs to the whole module; false for what is a piece.
[[nodiscard]] bool read_head(Lexer& from, const Token& t, LinkPieces& into) {
  if (t.is(".version")) {
    read_version(from, into);
  } else if (t.is(".target")) {
    read_target(from, into);
  } else if (t.is(".file")) {
    read_file(from, into);
  } else if (t.is(".address_size")) {
    (void)from.next();
  } else {
    return false;
  }
  return true;
}

[[nodiscard]] LinkPiece read_piece(Lexer& from, Token t) {
  static constexpr std::string_view spaces[] = {".global", ".const", ".shared", ".tex"};
  LinkPiece found;
  while (linkage_of(t) != Linkage::local) {
    found.seen = linkage_of(t);
    t = from.next();
  }
  const std::size_t begin = from.position() - t.text.size();
  if (t.is(".entry") || t.is(".func")) {
    read_code(from, found);
  } else if (std::ranges::find(spaces, t.text) != std::ranges::end(spaces)) {
    read_variable(from, t.text, found);
  } else if (t.is(".section")) {
    read_section(from, found);
  } else if (t.is(".alias") || t.is(".pragma")) {
    skip_behind(from, ";");
  } else {
    refuse("unknown directive", t.text);
  }
  if (found.seen == Linkage::local && !found.name.empty()) found.own_names.push_back(found.name);
  found.text = from.text().substr(begin, from.position() - begin);
  return found;
}

}  // namespace

LinkPieces read_pieces(std::string_view name, std::string_view text) {
  LinkPieces found;
  found.name = name;
  Lexer from(text);
  for (Token t = from.next(); t.kind != TokenKind::end; t = from.next()) {
    if (!read_head(from, t, found)) found.pieces.push_back(read_piece(from, t));
  }
  if (found.target_number == 0) refuse("no target", name);
  return found;
}

std::string_view spelling_of(Linkage of) noexcept {
  return spellings.at(static_cast<std::size_t>(of));
}

std::string rewritten(std::string_view text,
                      const std::unordered_map<std::string_view, std::string>& names,
                      const std::map<std::uint32_t, std::size_t>& files) {
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](const Lexer& at, std::string_view old, std::string_view with) {
    const std::size_t begin = at.position() - old.size();
    result += text.substr(copied, begin - copied);
    result += with;
    copied = at.position();
  };
  Lexer from(text);
  for (Token t = from.next(); t.kind != TokenKind::end; t = from.next()) {
    if (t.is(".loc") || t.is("inlined_at")) {
      const Token file = from.next();
      const auto number = files.find(number_of(file));
      if (number != files.end()) replace(from, file.text, std::to_string(number->second));
    } else if (t.kind == TokenKind::word) {
      const auto name = names.find(t.text);
      if (name != names.end()) replace(from, t.text, name->second);
    }
  }
  result += text.substr(copied);
  return result;
}

}  // namespace skerry::emulation::ptx
