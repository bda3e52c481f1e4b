// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace skerry::cuda {

/// SKERRY_ALLOCATOR: where the memory of CUDA devices comes from. `pool` keeps what is freed.
/// `system` asks cudaMalloc for each array and gives it back to cudaFree, so that
/// compute-sanitizer sees every array with its own bounds and sees no memory used again.
enum class allocator : std::uint8_t { pool, system };

struct allocator_choice {
  allocator kind;
  std::string problem;  ///< empty if the variable is unset or good
};

/// Read once.
[[nodiscard]] const allocator_choice& chosen_allocator();
[[nodiscard]] const char* name(allocator kind) noexcept;

}  // namespace skerry::cuda
