// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/storage.hpp"
#include "device/memory_pressure.hpp"

namespace skerry::cpu {

/// Logical CPU devices share the machine's memory; each has its own statistics, cache and limit.
inline constexpr int max_devices = 64;

/// Allocates uninitialized memory, 64-byte aligned; from 1 MiB on, aligned to 2 MiB and with huge
/// pages. Blocks up to 1 KiB come from a cache of the calling thread, without a lock if the device
/// has no limit. The storage may be released on any thread, also after main. Throws
/// OutOfMemoryError.
[[nodiscard]] StorageRef allocate(int index, std::size_t nbytes);

/// Returns statistics in bytes of whole blocks: requests are rounded up to a multiple of 64 up to 1
/// KiB, by at most an eighth above. The peak is exact while one thread allocates; with several it
/// can be off by 128 KiB per thread, because blocks up to 1 KiB are counted without
/// synchronization.
[[nodiscard]] MemoryStatistics statistics(int index);
void reset_peak(int index);

/// Sets the limit, SIZE_MAX for none. Releases cached blocks if usage exceeds it.
void set_memory_limit(int index, std::size_t nbytes);

/// Charges memory of another pool, live or cached, to a device's limit. Returns false if that would
/// exceed the limit.
[[nodiscard]] bool charge_external(int index, std::size_t nbytes) noexcept;
void discharge_external(int index, std::size_t nbytes) noexcept;
/// Sets the function that releases the other pool's cache when memory runs out.
void set_external_trim(void (*trim)() noexcept) noexcept;

/// Releases the shared cache and the calling thread's cache to the system; returns the number of
/// bytes. Other threads keep their caches of blocks up to 1 KiB.
std::size_t trim(int index);

}  // namespace skerry::cpu
