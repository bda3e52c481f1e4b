// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/ptx/joined_modules.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/cuda/emulation/ptx/lexer.hpp"
#include "device/cuda/emulation/ptx/link_piece.hpp"

namespace skerry::emulation::ptx {
namespace {

using names = std::unordered_map<std::string_view, std::string>;

struct Definition {
  std::size_t part = 0;
  Linkage seen = Linkage::local;
};

class Joining {
 public:
  explicit Joining(std::span<const LinkPart> parts) {
    for (const LinkPart& part : parts) parts_.push_back(read_pieces(part.name, part.text));
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const LinkPiece& each : parts_[k].pieces) define(k, each);
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) keep_apart(k);
  }

  [[nodiscard]] std::string text() {
    head();
    // A name is declared before it is used: initial values of variables may name functions, and
    // bodies name both.
    add(PieceKind::prototype);
    add(PieceKind::variable);
    add(PieceKind::code);
    add(PieceKind::other);
    return std::move(text_);
  }

 private:
  /// Notes who defines a name for all parts, or refuses it.
  void define(std::size_t part, const LinkPiece& piece) {
    if (!piece.is_definition || piece.seen == Linkage::local) return;
    const auto [place, is_first] = defined_.emplace(piece.name, Definition{part, piece.seen});
    if (is_first) return;
    Definition& before = place->second;
    if (piece.seen != Linkage::visible) return;
    if (before.seen == Linkage::visible) {
      throw ImageError(code::invalid_kernel_image,
                       "linker: multiple definition of '" + std::string(piece.name) + "' in '" +
                           std::string(parts_[part].name) + "': first defined in '" +
                           std::string(parts_[before.part].name) + "'");
    }
    before = {part, piece.seen};
  }

  /// Renames what a part has for itself where another part has such a name, too; numbers files.
  void keep_apart(std::size_t part) {
    std::set<std::string_view> own;
    for (const LinkPiece& piece : parts_[part].pieces) {
      own.insert(piece.own_names.begin(), piece.own_names.end());
    }
    names& renamed = renamed_.emplace_back();
    for (const std::string_view name : own) {
      if (!defined_.contains(name) && taken_.insert(name).second) continue;
      renamed.emplace(name, std::string(name) + "$" + std::to_string(part));
    }
    auto& numbers = file_numbers_.emplace_back();
    for (const auto& [number, name] : parts_[part].files) {
      const auto place = files_.emplace(name, files_.size() + 1).first;
      numbers[number] = place->second;
    }
  }

  void head() {
    const auto& newest = *std::ranges::max_element(parts_, {}, &LinkPieces::version);
    const auto& target = *std::ranges::max_element(parts_, {}, &LinkPieces::target_number);
    text_ = ".version " + std::to_string(newest.version.first) + "." +
            std::to_string(newest.version.second) + "\n.target " + std::string(target.target) +
            "\n.address_size 64\n";
    for (const auto& [name, number] : files_) {
      text_ += ".file " + std::to_string(number) + " " + std::string(name) + "\n";
    }
  }

  void add(PieceKind kind) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const LinkPiece& piece : parts_[k].pieces) {
        if (piece.kind == kind) add(k, piece);
      }
    }
  }

  void add(std::size_t part, const LinkPiece& piece) {
    const std::string_view prefix = linkage_in_result(part, piece);
    if (prefix == nowhere) return;
    text_ += prefix;
    text_ += rewritten(piece.text, renamed_[part], file_numbers_[part]);
    text_ += '\n';
  }

  /// What stands before a piece, or `nowhere` for one that another one makes superfluous.
  [[nodiscard]] std::string_view linkage_in_result(std::size_t part, const LinkPiece& piece) {
    if (piece.seen == Linkage::local) return "";
    const auto place = defined_.find(piece.name);
    if (piece.is_definition) {
      return place->second.part == part ? spelling_of(piece.seen) : nowhere;
    }
    if (!declared_.insert(piece.name).second) return nowhere;
    if (place == defined_.end()) return spelling_of(Linkage::external);
    return piece.kind == PieceKind::prototype ? spelling_of(place->second.seen) : nowhere;
  }

  static constexpr std::string_view nowhere = "-";

  std::vector<LinkPieces> parts_;
  std::unordered_map<std::string_view, Definition> defined_;
  std::set<std::string_view> taken_;     // names that some part has for itself
  std::set<std::string_view> declared_;  // that are in the result
  std::map<std::string_view, std::size_t> files_;
  std::vector<names> renamed_;  // of each part
  std::vector<std::map<std::uint32_t, std::size_t>> file_numbers_;
  std::string text_;
};

}  // namespace

std::string join_modules(std::span<const LinkPart> parts) {
  if (parts.size() == 1) return std::string(parts.front().text);
  if (parts.empty()) throw ImageError(code::invalid_value, "linker: there is nothing to link");
  return Joining(parts).text();
}

std::string with_register_limit(std::string_view text, int registers) {
  const std::string limit = ".maxnreg " + std::to_string(registers) + " ";
  std::string result;
  std::size_t copied = 0;
  Lexer from(text);
  for (Token t = from.next(); t.kind != TokenKind::end; t = from.next()) {
    if (!t.is(".entry")) continue;
    bool has_limit = false;
    while (t.kind != TokenKind::end && !t.is("{")) {
      has_limit = has_limit || t.is(".maxnreg");
      t = from.next();
    }
    if (has_limit || !t.is("{")) continue;
    const std::size_t body = from.position() - t.text.size();
    result.append(text.substr(copied, body - copied)).append(limit);
    copied = body;
  }
  return result.append(text.substr(copied));
}

}  // namespace skerry::emulation::ptx
