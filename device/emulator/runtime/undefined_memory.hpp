// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace skerry::emulation {

// Shadow memory: a bit for each bit of device memory, set if that is undefined: never written, or
// computed from undefined bits. It covers the devices' whole address ranges at a fixed distance;
// the system allocates only accessed pages.

/// Starts to track allocations, copies and fills of the simulated runtime; false if the addresses
/// can't be reserved.
[[nodiscard]] bool follow_undefined_memory() noexcept;
[[nodiscard]] bool follows_undefined_memory() noexcept;
/// Stops tracking, while no work runs. All memory counts as written afterwards, as later writes are
/// not tracked.
void unfollow_undefined_memory() noexcept;

/// Returns the shadow of `address`, or null if that is not in device memory or not tracked.
[[nodiscard]] std::byte* undefined_memory_bits(std::uint64_t address) noexcept;

/// Marks memory as defined that is written by other means than kernels: by fills, libraries, or
/// initial values of variables.
void define_memory(const void* data, std::size_t nbytes) noexcept;
/// Marks newly allocated memory as undefined.
void undefine_memory(const void* data, std::size_t nbytes) noexcept;
void copy_undefined_memory(const void* target, const void* source, std::size_t nbytes) noexcept;

}  // namespace skerry::emulation
