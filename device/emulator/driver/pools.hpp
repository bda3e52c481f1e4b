// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/driver/entry_points.hpp"

namespace skerry::emulation::driver {

/// Returns the pool that the block at `base` came from, or null.
[[nodiscard]] void* pool_of(address base) noexcept;

}  // namespace skerry::emulation::driver
