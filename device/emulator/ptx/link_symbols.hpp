// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emulator/failure.hpp"

namespace skerry::emulation::ptx {

enum class Linkage { local, external, visible, weak, common };
enum class SymbolKind { prototype, variable, code, other };

/// A function, kernel, variable or section of a module; `text` starts after the linkage.
struct LinkSymbol {
  SymbolKind kind = SymbolKind::other;
  Linkage linkage = Linkage::local;
  bool is_definition = false;
  std::string_view name{};
  std::string_view text{};
  std::vector<std::string_view> own_names{};  ///< local to the module
};

struct LinkModule {
  std::string_view name;
  std::pair<int, int> version{};
  std::string_view target;
  int target_number = 0;
  std::map<std::uint32_t, std::string_view> files;
  std::vector<LinkSymbol> symbols;
};

/// Splits a module into symbols; throws ImageError.
[[nodiscard]] LinkModule read_module(std::string_view name, std::string_view text);

/// Returns e.g. ".visible "; empty for local names.
[[nodiscard]] std::string_view spelling_of(Linkage linkage) noexcept;

/// Returns the text with names, and the file numbers in `.loc`, replaced.
[[nodiscard]] std::string rewritten(std::string_view text,
                                    const std::unordered_map<std::string_view, std::string>& names,
                                    const std::map<std::uint32_t, std::size_t>& files);

}  // namespace skerry::emulation::ptx
