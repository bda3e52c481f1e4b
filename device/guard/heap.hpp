// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/guard/fault.hpp"

/// Guarded host memory (SKERRY_ALLOCATOR=guard or guard-front): an access outside a block faults
/// immediately. `guard`: a block ends at the end of its last page, and the next page is
/// inaccessible; `guard-front`: it begins at the start of its first page. 64 KiB before and after
/// each block are inaccessible; the slack bytes of its pages are checked when it is freed. Freed
/// memory is inaccessible until the address range (64 GiB if the process may reserve that) has been
/// used up once. New blocks are filled with NaN patterns (device/guard/uninitialized_bytes.hpp).
///
/// A guard takes two of the mappings that the system allows a process (65,530 on most), so only the
/// first 8,191 live blocks have guards.
namespace skerry::guard {

/// True if SKERRY_ALLOCATOR selects guarded memory.
[[nodiscard]] bool is_on() noexcept;

/// Reserves the addresses and installs the fault handler, once.
void prepare() noexcept;

/// Allocates a block. If it ends at a page's end, it is aligned to the largest power of two that
/// divides `nbytes`: enough for elements that fill it. Null if there is no memory.
[[nodiscard]] void* allocate(std::size_t nbytes) noexcept;
/// The same, filled with zeros.
[[nodiscard]] void* allocate_zeros(std::size_t nbytes) noexcept;
/// Frees a block that one of these functions allocated; does nothing for null.
void release(void* data) noexcept;
/// Returns the size of a block, at least as requested.
[[nodiscard]] std::size_t size_of(const void* data) noexcept;

/// Finds the block at or nearest to an address; for signal handlers.
[[nodiscard]] bool locate(const void* address, FaultBlock& fault_block) noexcept;

}  // namespace skerry::guard
