// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/architectures.hpp"

#include <charconv>

namespace skerry::cuda {

bool compiled_for(std::string_view architectures, int compute_capability) noexcept {
  if (architectures.empty()) return true;
  while (!architectures.empty()) {
    const std::string_view each = architectures.substr(0, architectures.find_first_of(";, "));
    architectures.remove_prefix(each.size() < architectures.size() ? each.size() + 1
                                                                   : architectures.size());
    int version = 0;
    const auto [end, problem] = std::from_chars(each.data(), each.data() + each.size(), version);
    if (problem != std::errc{}) continue;
    const std::string_view suffix(end, static_cast<std::size_t>(each.data() + each.size() - end));
    // "90a" is machine code for exactly that one.
    const bool exact = suffix.starts_with('a');
    const bool machine_code = !suffix.ends_with("-virtual");
    const bool portable_code = !exact && !suffix.ends_with("-real");
    if (exact && version == compute_capability) return true;
    if (exact) continue;
    if (machine_code && version / 10 == compute_capability / 10 && version <= compute_capability) {
      return true;
    }
    if (portable_code && version <= compute_capability) return true;
  }
  return false;
}

}  // namespace skerry::cuda
