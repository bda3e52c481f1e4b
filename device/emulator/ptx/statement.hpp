// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device/emulator/ptx/lexer.hpp"

namespace skerry::emulation::ptx {

enum class OperandKind { name, number, address, list };

/// An operand as it is written.
struct Operand {
  OperandKind kind = OperandKind::name;
  /// A register, a variable, `_`, or digits; of an address what its offset is added to.
  std::string_view text{};
  std::string_view second{};     ///< q of `p|q`
  std::int64_t offset = 0;       ///< 4 of `[x+4]` or `x+4`
  bool is_negative = false;      ///< of a number
  bool is_negated = false;       ///< `!p`
  std::vector<Operand> parts{};  ///< of `{a, b}`, of a list of parameters, or of `[x, {a, b}]`
};

/// An instruction as it is written, such as `@!%p1 add.s32 %r1, %r2, 5;`.
struct Statement {
  std::string_view opcode;
  std::string_view guard;
  bool is_guard_negated = false;
  std::vector<Operand> operands;
  std::string_view text;
};

/// From the first token of a statement to behind its semicolon; throws ImageError(218).
[[nodiscard]] Statement parse_statement(Lexer& lexer, Token first);

/// The dot-separated parts of an opcode, such as ld, shared::cta and u32.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view opcode);

}  // namespace skerry::emulation::ptx
