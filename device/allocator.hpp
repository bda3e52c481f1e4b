// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// SKERRY_ALLOCATOR: where the memory of arrays comes from.
enum class Allocator : std::uint8_t {
  pool,  ///< freed memory is kept for the next arrays
  /// Each array of a CUDA device is an allocation of cudaMalloc, given back at once, so that
  /// compute-sanitizer sees its bounds.
  system,
  guard,        ///< each block ends at an inaccessible page (device/guard/heap.hpp)
  guard_front,  ///< each block begins behind one
};

/// Read once.
[[nodiscard]] Allocator selected_allocator() noexcept;
[[nodiscard]] const char* name(Allocator kind) noexcept;

}  // namespace skerry
