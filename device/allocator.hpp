// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// SKERRY_ALLOCATOR: the allocator of arrays' memory.
enum class Allocator : std::uint8_t {
  pool,  ///< freed memory is cached for later arrays
  /// Each array of a CUDA device is a cudaMalloc allocation, freed at once, so that
  /// compute-sanitizer sees its bounds.
  system,
  guard,        ///< each block ends at an inaccessible page (device/guard/heap.hpp)
  guard_front,  ///< each block begins after an inaccessible page
};

/// Returns the value of SKERRY_ALLOCATOR, read once.
[[nodiscard]] Allocator selected_allocator() noexcept;
[[nodiscard]] const char* name(Allocator kind) noexcept;

}  // namespace skerry
