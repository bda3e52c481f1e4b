// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/allocator.hpp"

#include <cstdlib>
#include <string_view>

namespace skerry::cuda {

const allocator_choice& chosen_allocator() {
  static const allocator_choice chosen = []() -> allocator_choice {
    const char* value = std::getenv("SKERRY_ALLOCATOR");
    const std::string_view text = value != nullptr ? value : "";
    if (text == "system") return {allocator::system, {}};
    if (text.empty() || text == "pool") return {allocator::pool, {}};
    return {allocator::pool,
            "SKERRY_ALLOCATOR=" + std::string(text) + " is no allocator; accepted: pool, system"};
  }();
  return chosen;
}

const char* name(allocator kind) noexcept { return kind == allocator::system ? "system" : "pool"; }

}  // namespace skerry::cuda
