// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/attributes.hpp"

namespace skerry::emulation {

// What the runtime and the driver say of a device.

inline constexpr int threads_of_a_warp = 32;
inline constexpr int max_constant_bytes = 64 << 10;
inline constexpr int max_grid_size[] = {0x7fffffff, 0xffff, 0xffff};
inline constexpr int max_block_size[] = {1024, 1024, 64};

/// 0 for what isn't emulated: textures and surfaces, other processes' memory.
[[nodiscard]] int attribute_of(const DeviceModel& device, abi::DeviceAttribute attribute,
                               int ordinal) noexcept;

/// With a final zero, cut off where there is no room for it.
void write_device_name(std::span<char> name) noexcept;
void write_device_uuid(std::span<unsigned char, 16> uuid, int ordinal) noexcept;

}  // namespace skerry::emulation
