// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/architectures.hpp"

#include <charconv>

namespace skerry::cuda {
namespace {

/// Removes the first entry from a list and returns it.
std::string_view next_entry(std::string_view& list) noexcept {
  const std::string_view first = list.substr(0, list.find_first_of(";, "));
  list.remove_prefix(first.size() < list.size() ? first.size() + 1 : list.size());
  return first;
}

bool runs_native_code(int version, int compute_capability) noexcept {
  return version / 10 == compute_capability / 10 && version <= compute_capability;
}

/// Checks a numeric entry, such as 90-real.
bool entry_fits(int version, std::string_view suffix, int compute_capability) noexcept {
  // "90a" is machine code for exactly this architecture.
  if (suffix.starts_with('a')) return version == compute_capability;
  if (!suffix.ends_with("-virtual") && runs_native_code(version, compute_capability)) return true;
  return !suffix.ends_with("-real") && version <= compute_capability;
}

/// Checks a word. `native` stands for machine code only; `all` and `all-major` for machine code,
/// plus portable code of the highest (the last) architecture; with OFF nvcc's flags decide, so any
/// entry may be portable.
bool word_fits(std::string_view word, std::string_view by_nvcc, int compute_capability) noexcept {
  if (by_nvcc.empty()) return true;
  while (!by_nvcc.empty()) {
    const std::string_view entry = next_entry(by_nvcc);
    int version = 0;
    std::from_chars(entry.data(), entry.data() + entry.size(), version);
    version /= 10;
    if (runs_native_code(version, compute_capability)) return true;
    const bool is_portable = word.starts_with("all") ? by_nvcc.empty() : word != "native";
    if (is_portable && version <= compute_capability) return true;
  }
  return false;
}

}  // namespace

bool compiled_for(std::string_view architectures, std::string_view by_nvcc,
                  int compute_capability) noexcept {
  if (architectures.empty()) return true;
  while (!architectures.empty()) {
    const std::string_view entry = next_entry(architectures);
    if (entry.empty()) continue;
    int version = 0;
    const auto [end, error_code] =
        std::from_chars(entry.data(), entry.data() + entry.size(), version);
    const std::string_view suffix(end, static_cast<std::size_t>(entry.data() + entry.size() - end));
    if (error_code != std::errc{} ? word_fits(entry, by_nvcc, compute_capability)
                                  : entry_fits(version, suffix, compute_capability)) {
      return true;
    }
  }
  return false;
}

}  // namespace skerry::cuda
