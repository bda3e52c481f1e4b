// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/storage.hpp"

namespace skerry {

/// Allocates scratch memory for the host form of a kernel, which must not allocate memory itself.
/// Allocates 0 bytes if `device` runs native forms, which use LaunchContext::workspace. The launch
/// must record a use of this memory, as OperandList::workspace() does.
[[nodiscard]] StorageRef host_scratch(Device device, std::int64_t nbytes);

/// Returns the number of parts into which to split `count` units of work for the CPU's threads.
/// Each part has its own scratch memory.
[[nodiscard]] std::int64_t host_slots(std::int64_t count) noexcept;

/// True if `count` units of work are enough to keep all of the CPU's threads busy, without
/// splitting a unit.
[[nodiscard]] bool keeps_threads_busy(std::int64_t count) noexcept;

/// Returns the block size, in bytes, for an array that several calls process block by block:
/// `nbytes` on a CPU device, where a block stays in cache from one call to the next. INT64_MAX,
/// which means one block, on a device that runs work later, where each call is a launch.
[[nodiscard]] std::int64_t cache_block_bytes(Device device, std::int64_t nbytes) noexcept;

}  // namespace skerry
