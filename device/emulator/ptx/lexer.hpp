// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::ptx {

enum class TokenKind { end, word, number, string, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;

  [[nodiscard]] bool is(std::string_view expected) const noexcept { return text == expected; }
};

/// Splits PTX into tokens. A word is an opcode with all its modifiers, a directive, a register or a
/// name; dots and `::` are part of it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] Token next() noexcept;
  [[nodiscard]] Token peek() const noexcept { return Lexer(*this).next(); }
  /// Returns the rest of the line, without the newline.
  [[nodiscard]] std::string_view rest_of_line() noexcept;
  /// Returns the text inside braces, after the opening one, and moves past the closing one. If the
  /// braces do not match, returns the rest of the text.
  [[nodiscard]] std::string_view read_body() noexcept;
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  void skip_blanks() noexcept;
  [[nodiscard]] bool is_at(std::string_view expected) const noexcept {
    return text_.substr(position_, expected.size()) == expected;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace skerry::emulation::ptx
