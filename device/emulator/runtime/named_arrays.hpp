// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

// The arrays that skerry has exported, whose dtype and shape reports name. A kernel knows the
// address of an array only by an export.

/// Records an array in a block of a device's memory, until the block's place is allocated again.
/// Ignores host memory.
void name_array(const void* data, std::size_t nbytes, const char* text) noexcept;

/// Returns the array in the block at `block` that is nearest to `address`; of equally near ones,
/// the one recorded last.
[[nodiscard]] std::optional<NamedArray> nearest_array(std::uint64_t block, std::uint64_t address);

}  // namespace skerry::emulation
