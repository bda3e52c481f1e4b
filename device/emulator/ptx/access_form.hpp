// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "device/emulator/execute/memory_access.hpp"

namespace skerry::emulation::ptx {

/// The decoded modifiers of ld, ldu, st, atom and red.
struct AccessForm {
  MemorySpace space = MemorySpace::generic;
  std::string_view type;
  std::string_view operation;  ///< of atom and red
  std::uint8_t count = 1;
  bool is_strong = false;
  bool releases = false;
  bool has_cache_policy = false;  ///< the last operand is a cache policy
  std::uint8_t nbytes = 0;        ///< of the type
};

/// Decodes an opcode. Throws UnsupportedForm for a modifier that the opcode does not have, for two
/// modifiers of the same kind, and for an unknown type.
[[nodiscard]] AccessForm read_access_form(std::string_view opcode);

}  // namespace skerry::emulation::ptx
