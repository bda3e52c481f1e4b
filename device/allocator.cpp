// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/allocator.hpp"

#include <string_view>

#include "device/environment.hpp"

namespace skerry {

namespace {

constexpr Allocator all_kinds[] = {Allocator::pool, Allocator::system, Allocator::guard,
                                   Allocator::guard_front};

Allocator read_choice() noexcept {
  const char* const text = environment_text("SKERRY_ALLOCATOR");
  for (const Allocator kind : all_kinds) {
    if (text != nullptr && std::string_view(text) == name(kind)) return kind;
  }
  return Allocator::pool;
}

}  // namespace

Allocator selected_allocator() noexcept {
  static const Allocator allocator = read_choice();
  return allocator;
}

const char* name(Allocator kind) noexcept {
  switch (kind) {
    case Allocator::pool:
      return "pool";
    case Allocator::system:
      return "system";
    case Allocator::guard:
      return "guard";
    case Allocator::guard_front:
      return "guard-front";
  }
  return "";
}

}  // namespace skerry
