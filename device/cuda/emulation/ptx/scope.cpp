// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/scope.hpp"

#include <charconv>
#include <string>

#include "device/cuda/emulation/failure.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation::ptx {

void Scope::declare(Lexer& from) {
  auto nbytes = static_cast<std::uint8_t>(size_of_type(from.next().text));
  // Only loads, stores and conversions take a register of a byte, and they take wider ones, too.
  if (nbytes == 1) nbytes = 2;
  for (Token t = from.next(); !t.is(";"); t = from.next()) {
    if (t.is(",")) continue;
    if (t.kind != TokenKind::word) {
      throw ImageError(code::invalid_ptx, "PTX: not a register: " + std::string(t.text));
    }
    if (!from.peek().is("<")) {
      singles_[t.text] = {nbytes, no_row};
      continue;
    }
    (void)from.next();
    const std::uint64_t count = parse_number(from.next().text);
    (void)from.next();
    numbered_.push_back({t.text, nbytes, std::vector<row>(count, no_row)});
  }
}

row Scope::find(std::string_view name, Builder& in) {
  if (const auto found = singles_.find(name); found != singles_.end()) {
    Single& one = found->second;
    if (one.to == no_row) one.to = in.new_register(one.nbytes);
    return one.to;
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

void LabelTable::define(int braces, std::string_view name, std::size_t at) {
  labels_[static_cast<std::size_t>(braces)][name] = at;
}

void LabelTable::refer(int braces, std::string_view name, std::size_t instruction) {
  references_.push_back({braces, name, instruction});
}

void LabelTable::refer_in_table(int braces, std::string_view name, std::size_t table) {
  references_.push_back({braces, name, table, true});
}

void LabelTable::resolve(Builder& in) const {
  for (const reference& one : references_) {
    const std::size_t* found = nullptr;
    for (int braces = one.braces; braces >= 0 && found == nullptr;
         braces = outer_[static_cast<std::size_t>(braces)]) {
      const auto& here = labels_[static_cast<std::size_t>(braces)];
      const auto at = here.find(one.name);
      if (at != here.end()) found = &at->second;
    }
    if (found == nullptr) {
      throw ImageError(code::invalid_ptx, "PTX: no label " + std::string(one.name));
    }
    const auto target = static_cast<std::uint32_t>(*found);
    if (one.is_in_table) {
      in.code().branch_tables[one.index].push_back(target);
    } else {
      in.at(one.index).target = target;
    }
  }
}

}  // namespace skerry::emulation::ptx
