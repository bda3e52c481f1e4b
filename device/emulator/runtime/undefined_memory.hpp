// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace skerry::emulation {

// Which bits of the devices' memory were never written: a shadow of each device's whole range of
// addresses, at a fixed distance, of which the system gives the pages that are touched.

/// From now on allocations, copies and fills of the simulated runtime are followed; false if the
/// system has no such addresses.
[[nodiscard]] bool follow_undefined_memory() noexcept;
[[nodiscard]] bool follows_undefined_memory() noexcept;
/// No more, while nothing runs: all memory counts as written, as nobody knows what others write
/// now.
void unfollow_undefined_memory() noexcept;

/// Bits that are 1 where those at `address` were never written; null if it is in no device's memory
/// or nobody follows it.
[[nodiscard]] std::byte* undefined_memory_bits(std::uint64_t address) noexcept;

/// What others than kernels have written: a library, or the initial values of variables.
void define_memory(const void* data, std::size_t nbytes) noexcept;
/// What an allocation begins with, whoever had its addresses before.
void undefine_memory(const void* data, std::size_t nbytes) noexcept;
void copy_undefined_memory(const void* target, const void* source, std::size_t nbytes) noexcept;

}  // namespace skerry::emulation
