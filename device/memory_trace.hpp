// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/storage.hpp"

namespace skerry {

/// What a storage is: memory of an array, pinned host memory, managed memory, memory of another
/// library.
enum class StorageKind : std::uint8_t { array, pinned, managed, imported };

/// Called with each new storage that has memory. Returns the storage to use in its place, which
/// keeps it alive.
using StorageTracer = StorageRef (*)(StorageRef memory, StorageKind kind);

/// Sets the tracer of this process; null for none.
void set_storage_tracer(StorageTracer tracer) noexcept;

namespace detail {

inline constinit std::atomic<StorageTracer> storage_tracer{nullptr};

/// Passes a new storage to the tracer, if there is one.
[[nodiscard]] inline StorageRef trace_storage(StorageRef memory, StorageKind kind) {
  const StorageTracer tracer = storage_tracer.load(std::memory_order_acquire);
  if (tracer == nullptr || memory->nbytes() == 0) [[likely]]
    return memory;
  return tracer(std::move(memory), kind);
}

}  // namespace detail

}  // namespace skerry
