// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/scope.hpp"

#include <charconv>
#include <string>

#include "device/emulator/failure.hpp"
#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation::ptx {

void Scope::declare(Lexer& lexer) {
  auto nbytes = static_cast<std::uint8_t>(size_of_type(lexer.next().text));
  // Only loads, stores and conversions use one-byte registers, and they accept wider ones.
  if (nbytes == 1) nbytes = 2;
  for (Token t = lexer.next(); !t.is(";"); t = lexer.next()) {
    if (t.is(",")) continue;
    if (t.kind != TokenKind::word) {
      throw ImageError(code::invalid_ptx, "PTX: not a register: " + std::string(t.text));
    }
    if (!lexer.peek().is("<")) {
      singles_[t.text] = {nbytes, no_row};
      continue;
    }
    (void)lexer.next();
    const std::uint64_t count = parse_number(lexer.next().text);
    (void)lexer.next();
    numbered_.push_back({t.text, nbytes, std::vector<row>(count, no_row)});
  }
}

row Scope::find(std::string_view name, Builder& in) {
  if (const auto single = singles_.find(name); single != singles_.end()) {
    Single& one = single->second;
    if (one.register_row == no_row) one.register_row = in.new_register(one.nbytes);
    return one.register_row;
  }
  const std::size_t prefix = name.find_last_not_of("0123456789") + 1;
  if (prefix == name.size()) return no_row;
  std::size_t index = 0;
  std::from_chars(name.data() + prefix, name.data() + name.size(), index);
  for (Numbered& one : numbered_) {
    if (one.prefix != name.substr(0, prefix) || index >= one.rows.size()) continue;
    if (one.rows[index] == no_row) one.rows[index] = in.new_register(one.nbytes);
    return one.rows[index];
  }
  return no_row;
}

int LabelTable::open(int inside) {
  outer_.push_back(inside);
  labels_.emplace_back();
  return static_cast<int>(outer_.size()) - 1;
}

void LabelTable::define(int label_scope, std::string_view name, std::size_t instruction_index) {
  labels_[static_cast<std::size_t>(label_scope)][name] = instruction_index;
}

void LabelTable::refer(int label_scope, std::string_view name, std::size_t instruction) {
  references_.push_back({label_scope, name, instruction});
}

void LabelTable::refer_in_table(int label_scope, std::string_view name, std::size_t table) {
  references_.push_back({label_scope, name, table, true});
}

void LabelTable::resolve(Builder& in) const {
  for (const reference& one : references_) {
    const std::size_t* position = nullptr;
    for (int label_scope = one.label_scope; label_scope >= 0 && position == nullptr;
         label_scope = outer_[static_cast<std::size_t>(label_scope)]) {
      const auto& here = labels_[static_cast<std::size_t>(label_scope)];
      const auto label = here.find(one.name);
      if (label != here.end()) position = &label->second;
    }
    if (position == nullptr) {
      throw ImageError(code::invalid_ptx, "PTX: undefined label " + std::string(one.name));
    }
    const auto target = static_cast<std::uint32_t>(*position);
    if (one.is_in_table) {
      in.code().branch_tables[one.index].push_back(target);
    } else {
      in.instruction_at(one.index).target = target;
    }
  }
}

}  // namespace skerry::emulation::ptx
