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

/// Allocates uninitialized memory on `device`, 64-byte (CPU) or 256-byte (CUDA) aligned, from the
/// device's pool and ordered with its current stream. For 0 bytes the storage's pointer is null.
/// Throws OutOfMemoryError after reclaiming what it can, DeviceUnavailableError, DeviceError.
[[nodiscard]] StorageRef allocate(Device device, std::size_t nbytes);

/// Allocates host memory of a CPU device that CUDA devices, real or rehearsed, can read by address.
[[nodiscard]] StorageRef allocate_pinned(Device device, std::size_t nbytes);
/// True for memory of allocate_pinned(), and for foreign memory that was adopted as pinned.
[[nodiscard]] bool is_pinned(const Storage& memory) noexcept;

/// Allocates memory of a CUDA device that the host can access by its address, after
/// make_ready_on_host(). From the device's pool, even if it has a MemoryResource. Throws ValueError
/// for another kind of device and in a capture, NotImplementedError if the device has no such
/// memory.
[[nodiscard]] StorageRef allocate_managed(Device device, std::size_t nbytes);

/// Adopts foreign memory. `release(owner)` is called once, with the last reference, on any thread;
/// it must not throw.
[[nodiscard]] StorageRef adopt(Device device, void* data, std::size_t nbytes, bool read_only,
                               void* owner, void (*release)(void* owner) noexcept,
                               bool pinned = false);

struct ForeignMemory {
  void* data = nullptr;
  std::size_t nbytes = 0;
  bool read_only = false;
  bool pinned = false;
  bool managed = false;
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;
  /// The stream of the storage's CUDA device on which the owner later reuses the memory; null for
  /// the legacy default stream.
  void* producer_stream = nullptr;
};
/// The same; when the owner is released, skerry's work on the memory is ordered before later work
/// on the producer's stream.
[[nodiscard]] StorageRef adopt(Device device, const ForeignMemory& foreign_memory);

[[nodiscard]] MemoryStatistics statistics(Device device);
void reset_peak(Device device);

/// Sets the maximum number of bytes in arrays and cached blocks of `device`; empty for no limit. A
/// limit below the live bytes only makes new allocations fail.
void set_memory_limit(Device device, std::optional<std::size_t> nbytes);

/// Releases cached blocks to the system; returns the number of bytes.
std::size_t trim(Device device);

/// Makes the k-th allocation from now on (1: the next one) on any device fail with
/// OutOfMemoryError, and with `from_then_on` all later ones; 0 cancels. For tests of running out of
/// memory.
void fail_allocation(std::uint64_t k, bool from_then_on = false) noexcept;
/// Returns the number of allocations since the last fail_allocation().
[[nodiscard]] std::uint64_t counted_allocations() noexcept;

}  // namespace skerry
