// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory_pressure.hpp"

namespace skerry::cuda {

/// Host memory for `device`, a CPU device, that all CUDA devices can read.
[[nodiscard]] StorageRef allocate_pinned(Device device, std::size_t nbytes);

/// What `device`, a CPU device, holds, pinned memory with the other; a cached pinned block belongs
/// to nobody and is told of cpu:0.
[[nodiscard]] MemoryStatistics host_statistics(Device device);

/// Gives cached pinned blocks back; returns how many bytes.
std::size_t trim_pinned();

}  // namespace skerry::cuda
