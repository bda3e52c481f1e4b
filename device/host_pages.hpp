// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Page-locks host memory for CUDA devices. device/cpu calls these functions and does not depend on
// device/cuda.

namespace skerry {

/// Page-locks a host block for copies to and from CUDA devices. Returns false without an error if
/// the pages stay pageable: see device/cuda/page_lock.hpp.
[[nodiscard]] bool lock_pages(void* data, std::size_t nbytes) noexcept;
/// Unlocks pages before the memory returns to the system. Returns false if the memory must never be
/// released.
[[nodiscard]] bool unlock_pages(void* data, std::size_t nbytes) noexcept;

struct PageLockStatistics {
  std::size_t nbytes;        ///< locked now
  std::size_t limit;         ///< maximum
  std::uint64_t rejections;  ///< by the driver
};
[[nodiscard]] PageLockStatistics page_locks() noexcept;

}  // namespace skerry
