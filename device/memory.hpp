// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/device.hpp"
#include "core/storage.hpp"
#include "device/memory_pressure.hpp"

namespace skerry {

/// Uninitialised memory on `device`: 64-byte (CPU) or 256-byte (CUDA) aligned, from the device's
/// pool, in order with the current stream of that device. Zero bytes give a storage with a null
/// pointer. Throws OutOfMemoryError after reclaiming what can be reclaimed,
/// DeviceUnavailableError, DeviceError.
[[nodiscard]] StorageRef allocate(Device device, std::size_t nbytes);

/// Host memory of a CPU device that CUDA devices can read by address (real ones and rehearsed
/// ones).
[[nodiscard]] StorageRef allocate_pinned(Device device, std::size_t nbytes);
/// Whether it is such memory, or foreign memory that was said to be.
[[nodiscard]] bool is_pinned(const Storage& memory) noexcept;

/// Foreign memory. `release(owner)` is called once, when the last reference goes, on whatever
/// thread that happens; it must not throw.
[[nodiscard]] StorageRef adopt(Device device, void* data, std::size_t nbytes, bool read_only,
                               void* owner, void (*release)(void* owner) noexcept,
                               bool pinned = false);

struct ForeignMemory {
  void* data = nullptr;
  std::size_t nbytes = 0;
  bool read_only = false;
  bool pinned = false;
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;
  /// A stream of the storage's CUDA device: the owner reuses the memory in order with it. Null for
  /// the legacy default stream.
  void* producer_stream = nullptr;
};
/// The same. Work on the memory is ordered before later work on the producer's stream when the
/// owner is released.
[[nodiscard]] StorageRef adopt(Device device, const ForeignMemory& foreign_memory);

[[nodiscard]] MemoryStatistics statistics(Device device);
void reset_peak(Device device);

/// Most bytes that arrays on `device` may hold together, cached blocks included; empty for no
/// limit. Lowering it below what is live stops new allocations only.
void set_memory_limit(Device device, std::optional<std::size_t> nbytes);

/// Gives cached blocks back to the system; returns how many bytes.
std::size_t trim(Device device);

/// Makes allocation number `k` from now on (1: the next one) on any device fail with
/// OutOfMemoryError, and with `from_then_on` all later ones; 0 disarms. For tests of what
/// happens when memory runs out.
void fail_allocation(std::uint64_t k, bool from_then_on = false) noexcept;
/// How many allocations were counted since fail_allocation was last called.
[[nodiscard]] std::uint64_t counted_allocations() noexcept;

}  // namespace skerry
