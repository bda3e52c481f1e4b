// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/lexer.hpp"

#include <algorithm>

namespace skerry::emulation::ptx {
namespace {

[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

[[nodiscard]] bool is_part_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '%' ||
         c == '$' || c == '.';
}

[[nodiscard]] bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

}  // namespace

void Lexer::skip_blanks() noexcept {
  for (;;) {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    if (is_at("//")) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (is_at("/*")) {
      const std::size_t end = text_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

Token Lexer::next() noexcept {
  skip_blanks();
  const std::size_t begin = position_;
  if (begin >= text_.size()) return {};
  const char first = text_[begin];
  TokenKind kind = TokenKind::symbol;
  if (first == '"') {
    kind = TokenKind::string;
    position_ = std::min(text_.find('"', begin + 1), text_.size() - 1) + 1;
  } else if (is_part_of_word(first)) {
    kind = is_digit(first) ? TokenKind::number : TokenKind::word;
    while (position_ < text_.size()) {
      // `.reg.b32` is a directive and a type, like `.reg .b32`.
      if (first == '.' && position_ > begin && text_[position_] == '.') break;
      if (is_part_of_word(text_[position_])) {
        ++position_;
      } else if (is_at("::")) {
        position_ += 2;
      } else {
        break;
      }
    }
  } else {
    ++position_;
  }
  return {kind, text_.substr(begin, position_ - begin)};
}

std::string_view Lexer::rest_of_line() noexcept {
  const std::size_t begin = position_;
  position_ = std::min(text_.find('\n', begin), text_.size());
  return text_.substr(begin, position_ - begin);
}

std::string_view Lexer::read_body() noexcept {
  const std::size_t begin = position_;
  for (int depth = 1; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '"') {
      position_ = std::min(text_.find('"', position_ + 1), text_.size() - 1);
    } else if (is_at("//")) {
      position_ = std::min(text_.find('\n', position_), text_.size() - 1);
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text_.substr(begin, position_++ - begin);
    }
  }
  return text_.substr(begin);
}

}  // namespace skerry::emulation::ptx
