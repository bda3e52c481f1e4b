// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory.hpp"

namespace skerry::cuda {

/// Host memory for `where`, a CPU device, that all CUDA devices can read.
[[nodiscard]] storage_ref allocate_pinned(device where, std::size_t nbytes);

/// What `where` holds in pinned memory; a cached block belongs to nobody and is told of cpu:0.
[[nodiscard]] memory_statistics pinned_statistics(device where);

/// Gives cached pinned blocks back; returns how many bytes.
std::size_t trim_pinned();

}  // namespace skerry::cuda
