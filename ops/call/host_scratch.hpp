// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/storage.hpp"

namespace skerry {

/// Allocates scratch memory for the host form of a kernel, which must not allocate memory itself; 0
/// bytes if the native form will run, which has its own. List it in the `uses` of the launch.
[[nodiscard]] StorageRef host_scratch(Device device, std::int64_t nbytes);

/// Returns the number of parts into which to split `count` units of work for the CPU's threads.
/// Each part has its own scratch memory.
[[nodiscard]] std::int64_t host_slots(std::int64_t count) noexcept;

/// True if `count` units of work without scratch memory keep the CPU's threads busy.
[[nodiscard]] bool keeps_threads_busy(std::int64_t count) noexcept;

/// Returns the block size, in bytes, for an array that several calls process block by block:
/// `nbytes` if a block can stay in cache from one call to the next, INT64_MAX if `device` runs work
/// later.
[[nodiscard]] std::int64_t cache_block_bytes(Device device, std::int64_t nbytes) noexcept;

}  // namespace skerry
