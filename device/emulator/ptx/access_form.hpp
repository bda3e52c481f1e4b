// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "device/emulator/execute/memory_access.hpp"

namespace skerry::emulation::ptx {

/// What the modifiers of ld, ldu, st, atom and red say.
struct AccessForm {
  MemorySpace space = MemorySpace::generic;
  std::string_view type;
  std::string_view operation;  ///< of an atomic
  std::uint8_t count = 1;
  bool is_strong = false;
  bool releases = false;
  bool has_cache_policy = false;  ///< as the last operand
  std::uint8_t nbytes = 0;        ///< of the type
};

/// Throws UnsupportedForm for a modifier that the opcode doesn't have, one that says the same
/// again, and a type that isn't known.
[[nodiscard]] AccessForm read_access_form(std::string_view opcode);

}  // namespace skerry::emulation::ptx
