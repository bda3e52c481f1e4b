// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/cuda/emulation/driver/entry_points.hpp"
#include "device/cuda/rehearsal/pinned_blocks.hpp"

namespace skerry::emulation::driver {

/// What lies at an address that kernels could access.
struct known_memory {
  rehearsal::memory_block block{};
  int ordinal = -1;  ///< whose it is; -1 for the host's
  rehearsal::host_use use{};
  explicit operator bool() const noexcept { return static_cast<bool>(block); }
};
[[nodiscard]] known_memory memory_at(address data) noexcept;

}  // namespace skerry::emulation::driver
