// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/host_pages.hpp"

/// Page-locks ordinary host memory for copies to and from CUDA devices. cudaHostAlloc is not used:
/// its memory may be missing in a forked child, where CPU arrays must still work.
namespace skerry::cuda {

struct DeviceState;

/// SKERRY_PINNED_HOST: 0 is pageable; 1 is all_pinned, as if every host array had been requested as
/// pinned; otherwise automatic, which page-locks large arrays once a CUDA device has allocated
/// memory.
enum class HostMemory : std::uint8_t { pageable, automatic, all_pinned };
[[nodiscard]] HostMemory selected_host_memory() noexcept;

/// Records that a device has allocated memory: from now on large host blocks are page-locked.
void note_use(DeviceState& device_state) noexcept;

/// Page-locks memory. Returns false without an error if the pages stay pageable: no device is in
/// use, SKERRY_PINNED_HOST=0, a quarter of the machine's memory is locked, or the driver rejects
/// the call. After three rejections in a row the driver is not called again.
[[nodiscard]] bool lock_pages(void* data, std::size_t nbytes) noexcept;
/// Unlocks pages before the memory returns to the system. Returns false if the driver keeps them
/// locked: then the memory must never be released.
[[nodiscard]] bool unlock_pages(void* data, std::size_t nbytes) noexcept;

[[nodiscard]] PageLockStatistics page_locks() noexcept;

}  // namespace skerry::cuda
