// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory_pressure.hpp"

namespace skerry::cuda {

/// Allocates host memory for `device`, a CPU device, that all CUDA devices can read.
[[nodiscard]] StorageRef allocate_pinned(Device device, std::size_t nbytes);

/// Returns the memory statistics of `device`, a CPU device, including pinned memory. Cached pinned
/// blocks are counted on cpu:0.
[[nodiscard]] MemoryStatistics host_statistics(Device device);

/// Frees cached pinned blocks; returns the number of bytes.
std::size_t trim_pinned();

}  // namespace skerry::cuda
