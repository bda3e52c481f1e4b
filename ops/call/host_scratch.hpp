// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/storage.hpp"

namespace skerry {

/// Allocates scratch memory for the host form of a kernel, which must not allocate itself; 0 bytes
/// if the native form will run, which has its own. To be listed in the `uses` of the launch.
[[nodiscard]] StorageRef host_scratch(Device device, std::int64_t nbytes);

/// Returns into how many parts, each with its own scratch memory, to split `count` units of work
/// for the CPU's threads.
[[nodiscard]] std::int64_t host_slots(std::int64_t count) noexcept;

/// True if `count` units of work without scratch memory keep the CPU's threads busy.
[[nodiscard]] bool keeps_threads_busy(std::int64_t count) noexcept;

/// Returns the size of the blocks, in bytes, in which several calls work on an array: `nbytes`,
/// which then stay in cache, or INT64_MAX if calls return before their work has run.
[[nodiscard]] std::int64_t cache_block_bytes(Device device, std::int64_t nbytes) noexcept;

}  // namespace skerry
