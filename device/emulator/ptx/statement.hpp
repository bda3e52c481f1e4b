// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device/emulator/ptx/lexer.hpp"

namespace skerry::emulation::ptx {

enum class OperandKind { name, number, address, list };

/// An operand as written.
struct Operand {
  OperandKind kind = OperandKind::name;
  /// A register, a variable, `_` or digits; of an address, the base.
  std::string_view text{};
  std::string_view second{};     ///< q in `p|q`
  std::int64_t offset = 0;       ///< 4 in `[x+4]` or `x+4`
  bool is_negative = false;      ///< a number with a minus sign
  bool is_negated = false;       ///< `!p`
  std::vector<Operand> parts{};  ///< of `{a, b}`, a parameter list, or `[x, {a, b}]`
};

/// An instruction as written, such as `@!%p1 add.s32 %r1, %r2, 5;`.
struct Statement {
  std::string_view opcode;
  std::string_view guard;
  bool is_guard_negated = false;
  std::vector<Operand> operands;
  std::string_view text;
};

/// Parses a statement from its first token to its semicolon; throws ImageError(218).
[[nodiscard]] Statement parse_statement(Lexer& lexer, Token first);

/// Splits an opcode at its dots, e.g. into ld, shared::cta and u32.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view opcode);

}  // namespace skerry::emulation::ptx
