// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/storage.hpp"
#include "device/memory_pressure.hpp"

namespace skerry::cpu {

/// Logical CPU devices share the machine's memory; each has its own account, cache and limit.
inline constexpr int max_devices = 64;

/// Uninitialised memory, 64-byte aligned; from 1 MiB on aligned to 2 MiB and on huge pages. Blocks
/// up to 1 KiB come from a cache of the calling thread without a lock. May be released on any
/// thread, also after main. Throws OutOfMemoryError.
[[nodiscard]] StorageRef allocate(int index, std::size_t nbytes);

/// Counts the bytes of whole blocks: requests rounded up (to a multiple of 64 up to 1 KiB, by at
/// most an eighth above). The peak is exact while one thread allocates; with several it can be off
/// by 128 KiB per thread, because blocks up to 1 KiB are counted without synchronisation.
[[nodiscard]] MemoryStatistics statistics(int index);
void reset_peak(int index);

/// SIZE_MAX for none. Gives cached blocks back where more is held.
void set_memory_limit(int index, std::size_t nbytes);

/// Counts memory of another pool, in arrays or cached, against the limit of a device. False if that
/// would be more than the limit.
[[nodiscard]] bool charge_external(int index, std::size_t nbytes) noexcept;
void discharge_external(int index, std::size_t nbytes) noexcept;
/// How that pool gives back what it has cached, where memory is short.
void set_external_trim(void (*trim)() noexcept) noexcept;

/// Gives the shared cache and the calling thread's back to the system; returns how many bytes.
/// Other threads keep what they have cached in blocks up to 1 KiB.
std::size_t trim(int index);

}  // namespace skerry::cpu
