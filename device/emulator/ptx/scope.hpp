// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulator/ptx/builder.hpp"
#include "device/emulator/ptx/lexer.hpp"

namespace skerry::emulation::ptx {

/// The registers declared in one `{ }` scope.
class Scope {
 public:
  /// Parses a declaration such as `.b32 %r<20>, %s`, after `.reg` and up to the semicolon.
  void declare(Lexer& lexer);
  /// Returns the register of that name, created on first use; no_row if it is not declared in this
  /// scope.
  [[nodiscard]] row find(std::string_view name, Builder& in);

 private:
  struct Numbered {
    std::string_view prefix;
    std::uint8_t nbytes = 4;
    std::vector<row> rows;
  };
  struct Single {
    std::uint8_t nbytes = 4;
    row register_row = no_row;
  };
  std::unordered_map<std::string_view, Single> singles_;
  std::vector<Numbered> numbered_;
};

/// Labels by scope: inline PTX reuses the same names.
class LabelTable {
 public:
  /// Opens a scope inside another; -1: an outermost one.
  [[nodiscard]] int open(int inside);
  void define(int label_scope, std::string_view name, std::size_t instruction_index);
  void refer(int label_scope, std::string_view name, std::size_t instruction);
  /// As refer(), for the next entry of a table in Program::branch_tables.
  void refer_in_table(int label_scope, std::string_view name, std::size_t table);
  /// Sets the target of every branch; throws ImageError for an undefined label.
  void resolve(Builder& in) const;

 private:
  struct reference {
    int label_scope = 0;
    std::string_view name;
    std::size_t index = 0;  ///< of an instruction or a table
    bool is_in_table = false;
  };
  std::vector<int> outer_;
  std::vector<std::unordered_map<std::string_view, std::size_t>> labels_;
  std::vector<reference> references_;
};

}  // namespace skerry::emulation::ptx
