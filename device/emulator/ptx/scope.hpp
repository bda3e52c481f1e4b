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

/// The registers of a pair of braces.
class Scope {
 public:
  /// From behind `.reg` up to the semicolon, such as `.b32 %r<20>, %s`.
  void declare(Lexer& lexer);
  /// The register of that name, made when it is first asked for; no_row if it isn't declared here.
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

/// Labels by the braces that they stand in: inline PTX uses the same names again and again.
class LabelTable {
 public:
  /// New braces inside of others; -1: of none.
  [[nodiscard]] int open(int inside);
  void define(int label_scope, std::string_view name, std::size_t instruction_index);
  void refer(int label_scope, std::string_view name, std::size_t instruction);
  /// The same for the next place in a table of program::branch_tables.
  void refer_in_table(int label_scope, std::string_view name, std::size_t table);
  /// Gives every branch its target; throws ImageError for a label that there isn't.
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
