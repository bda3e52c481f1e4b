// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/host_pages.hpp"

/// Host memory whose pages are locked for the copies of CUDA devices. Not memory of CUDA's own:
/// what cudaHostAlloc gives may be missing in the child of a fork, where CPU arrays are to work.
namespace skerry::cuda {

struct DeviceState;

/// SKERRY_PINNED_HOST: 0, 1 (all host arrays are pinned, as if each were made so) or anything else:
/// large ones are page-locked once a CUDA device has memory of this process.
enum class HostMemory : std::uint8_t { pageable, automatic, all_pinned };
[[nodiscard]] HostMemory selected_host_memory() noexcept;

/// A device has got memory: from now on large host blocks are locked.
void note_use(DeviceState& device_state) noexcept;

/// False, and no error, if the pages stay as they are: no device is in use, SKERRY_PINNED_HOST=0, a
/// quarter of the machine's memory is locked, or the driver refuses. After three rejections in a
/// row it is not asked again.
[[nodiscard]] bool lock_pages(void* data, std::size_t nbytes) noexcept;
/// Before the memory goes back to the system. False where the driver keeps them locked: the memory
/// stays where it is then, for ever.
[[nodiscard]] bool unlock_pages(void* data, std::size_t nbytes) noexcept;

[[nodiscard]] PageLockStatistics page_locks() noexcept;

}  // namespace skerry::cuda
