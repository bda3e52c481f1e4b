// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What host memory has to do with CUDA devices: device/cpu knows none.

namespace skerry {

/// Locks the pages of a host block for the copies of CUDA devices. False, and no error, if they
/// stay as they are: see device/cuda/page_lock.hpp.
[[nodiscard]] bool lock_pages(void* data, std::size_t nbytes) noexcept;
/// Before the memory goes back to the system. False if it is to stay where it is, for ever.
[[nodiscard]] bool unlock_pages(void* data, std::size_t nbytes) noexcept;

struct PageLockStatistics {
  std::size_t nbytes;        ///< locked now
  std::size_t limit;         ///< most that will be
  std::uint64_t rejections;  ///< by the driver
};
[[nodiscard]] PageLockStatistics page_locks() noexcept;

}  // namespace skerry
