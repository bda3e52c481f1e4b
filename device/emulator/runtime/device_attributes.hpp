// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/attributes.hpp"

namespace skerry::emulation {

// Device attributes, for both runtime and driver.

inline constexpr int threads_of_a_warp = 32;
inline constexpr int max_constant_bytes = 64 << 10;
inline constexpr int max_grid_size[] = {0x7fffffff, 0xffff, 0xffff};
inline constexpr int max_block_size[] = {1024, 1024, 64};

/// Returns an attribute; 0 for features that are not emulated (textures, surfaces, IPC).
[[nodiscard]] int attribute_of(const DeviceModel& device, abi::DeviceAttribute attribute,
                               int ordinal) noexcept;

/// Writes the name with a terminating zero, truncated to fit.
void write_device_name(std::span<char> name) noexcept;
void write_device_uuid(std::span<unsigned char, 16> uuid, int ordinal) noexcept;

}  // namespace skerry::emulation
