// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/storage.hpp"

namespace skerry {

/// Scratch memory for the host form of a kernel, which must not allocate; of no bytes where the
/// native form will run, which has its own. A storage for the `uses` of the launch.
[[nodiscard]] StorageRef host_scratch(Device device, std::int64_t nbytes);

/// Into how many parts, with scratch memory each, to cut `count` pieces of work for the CPU's
/// threads.
[[nodiscard]] std::int64_t host_slots(std::int64_t count) noexcept;

/// Whether `count` pieces of work without scratch memory are enough for the CPU's threads.
[[nodiscard]] bool keeps_threads_busy(std::int64_t count) noexcept;

/// Most bytes of an array that several calls are to work on, one after the other, before the next
/// block: `nbytes`, which lie in the caches then. INT64_MAX where calls return before their work
/// has run.
[[nodiscard]] std::int64_t cache_block_bytes(Device device, std::int64_t nbytes) noexcept;

}  // namespace skerry
