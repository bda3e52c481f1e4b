// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/allocator.hpp"

#include <string_view>

#include "device/environment.hpp"

namespace skerry {

namespace {

constexpr allocator all_kinds[] = {allocator::pool, allocator::system, allocator::guard,
                                   allocator::guard_front};

allocator read_choice() noexcept {
  const char* const text = environment_text("SKERRY_ALLOCATOR");
  for (const allocator kind : all_kinds) {
    if (text != nullptr && std::string_view(text) == name(kind)) return kind;
  }
  return allocator::pool;
}

}  // namespace

allocator chosen_allocator() noexcept {
  static const allocator chosen = read_choice();
  return chosen;
}

const char* name(allocator kind) noexcept {
  switch (kind) {
    case allocator::pool:
      return "pool";
    case allocator::system:
      return "system";
    case allocator::guard:
      return "guard";
    case allocator::guard_front:
      return "guard-front";
  }
  return "";
}

}  // namespace skerry
