// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/joined_modules.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emulator/ptx/embedded_source.hpp"
#include "device/emulator/ptx/lexer.hpp"
#include "device/emulator/ptx/link_symbols.hpp"

namespace skerry::emulation::ptx {
namespace {

using names = std::unordered_map<std::string_view, std::string>;

struct Definition {
  std::size_t part_index = 0;
  Linkage linkage = Linkage::local;
};

class Joining {
 public:
  explicit Joining(std::span<const LinkPart> parts) {
    for (const LinkPart& link_part : parts)
      parts_.push_back(read_module(link_part.name, link_part.text));
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const LinkSymbol& symbol : parts_[k].symbols) define(k, symbol);
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) rename_local_names(k);
  }

  [[nodiscard]] std::string text() {
    head();
    // Names must be declared before use: initial values of variables may name functions, and bodies
    // name both.
    add(SymbolKind::prototype);
    add(SymbolKind::variable);
    add(SymbolKind::code);
    add(SymbolKind::other);
    return std::move(text_);
  }

 private:
  /// Records which part defines a global name; throws if two `.visible` definitions clash.
  void define(std::size_t part_index, const LinkSymbol& symbol) {
    if (!symbol.is_definition || symbol.linkage == Linkage::local) return;
    const auto [entry, is_first] =
        defined_.emplace(symbol.name, Definition{part_index, symbol.linkage});
    if (is_first) return;
    Definition& existing_definition = entry->second;
    if (symbol.linkage != Linkage::visible) return;
    if (existing_definition.linkage == Linkage::visible) {
      throw ImageError(code::invalid_kernel_image,
                       "linker: multiple definition of '" + std::string(symbol.name) + "' in '" +
                           std::string(parts_[part_index].name) + "': first defined in '" +
                           std::string(parts_[existing_definition.part_index].name) + "'");
    }
    existing_definition = {part_index, symbol.linkage};
  }

  /// Renames a part's local names that clash with other names, and renumbers its files.
  void rename_local_names(std::size_t part_index) {
    std::set<std::string_view> local_names;
    for (const LinkSymbol& symbol : parts_[part_index].symbols) {
      local_names.insert(symbol.own_names.begin(), symbol.own_names.end());
    }
    names& renamed = renamed_.emplace_back();
    for (const std::string_view name : local_names) {
      if (!defined_.contains(name) && reserved_names_.insert(name).second) continue;
      renamed.emplace(name, std::string(name) + "$" + std::to_string(part_index));
    }
    auto& numbers = file_numbers_.emplace_back();
    for (const auto& [number, name] : parts_[part_index].files) {
      const auto entry = files_.emplace(name, files_.size() + 1).first;
      numbers[number] = entry->second;
    }
  }

  void head() {
    const auto& newest = *std::ranges::max_element(parts_, {}, &LinkModule::version);
    const auto& target = *std::ranges::max_element(parts_, {}, &LinkModule::target_number);
    text_ = ".version " + std::to_string(newest.version.first) + "." +
            std::to_string(newest.version.second) + "\n.target " + std::string(target.target) +
            "\n.address_size 64\n";
    for (const auto& [name, number] : files_) {
      text_ += ".file " + std::to_string(number) + " " + std::string(name) + "\n";
    }
  }

  void add(SymbolKind kind) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const LinkSymbol& symbol : parts_[k].symbols) {
        if (symbol.kind == kind) add(k, symbol);
      }
    }
  }

  void add(std::size_t part_index, const LinkSymbol& symbol) {
    const std::string_view prefix = linkage_in_result(part_index, symbol);
    if (prefix == nowhere) return;
    text_ += prefix;
    text_ += rewritten(symbol.text, renamed_[part_index], file_numbers_[part_index]);
    text_ += '\n';
  }

  /// Returns the linkage to write before a symbol, or `nowhere` if another part's symbol makes it
  /// redundant.
  [[nodiscard]] std::string_view linkage_in_result(std::size_t part_index,
                                                   const LinkSymbol& symbol) {
    if (symbol.linkage == Linkage::local) return "";
    const auto entry = defined_.find(symbol.name);
    if (symbol.is_definition) {
      return entry->second.part_index == part_index ? spelling_of(symbol.linkage) : nowhere;
    }
    if (!declared_.insert(symbol.name).second) return nowhere;
    if (entry == defined_.end()) return spelling_of(Linkage::external);
    return symbol.kind == SymbolKind::prototype ? spelling_of(entry->second.linkage) : nowhere;
  }

  static constexpr std::string_view nowhere = "-";

  std::vector<LinkModule> parts_;
  std::unordered_map<std::string_view, Definition> defined_;
  std::set<std::string_view> reserved_names_;  // local names of all parts
  std::set<std::string_view> declared_;        // already in the result
  std::map<std::string_view, std::size_t> files_;
  std::vector<names> renamed_;  // per part
  std::vector<std::map<std::uint32_t, std::size_t>> file_numbers_;
  std::string text_;
};

}  // namespace

std::string join_modules(std::span<const LinkPart> parts) {
  if (parts.size() == 1) return std::string(parts.front().text);
  if (parts.empty()) throw ImageError(code::invalid_value, "linker: no input to link");
  std::string text = Joining(parts).text();
  for (const LinkPart& link_part : parts) text += embedded_sources(link_part.text);
  return text;
}

std::string with_register_limit(std::string_view text, int registers) {
  const std::string limit = ".maxnreg " + std::to_string(registers) + " ";
  std::string result;
  std::size_t copied = 0;
  Lexer lexer(text);
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next()) {
    if (!t.is(".entry")) continue;
    bool has_limit = false;
    while (t.kind != TokenKind::end && !t.is("{")) {
      has_limit = has_limit || t.is(".maxnreg");
      t = lexer.next();
    }
    if (has_limit || !t.is("{")) continue;
    const std::size_t body = lexer.position() - t.text.size();
    result.append(text.substr(copied, body - copied)).append(limit);
    copied = body;
  }
  return result.append(text.substr(copied));
}

}  // namespace skerry::emulation::ptx
