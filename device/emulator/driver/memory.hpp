// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/emulator/driver/entry_points.hpp"
#include "device/rehearsal/pinned_blocks.hpp"

namespace skerry::emulation::driver {

/// Memory at an address that kernels can access.
struct KnownMemory {
  rehearsal::MemoryBlock block{};
  int ordinal = -1;  ///< device that owns it; -1 for host memory
  rehearsal::HostUse use{};
  explicit operator bool() const noexcept { return static_cast<bool>(block); }
};
[[nodiscard]] KnownMemory memory_at(address data) noexcept;

}  // namespace skerry::emulation::driver
