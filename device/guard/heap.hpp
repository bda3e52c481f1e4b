// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/guard/fault.hpp"

/// Guarded memory of the host, with SKERRY_ALLOCATOR=guard or guard-front: an access beyond a block
/// is a fault where it happens. `guard`: the last byte of a block is the last one of its page, and
/// the next page is inaccessible; `guard-front`: the first byte is the first one of its page.
/// Behind and before each block lie 64 KiB without access; bytes of its pages that are not its own
/// are compared when it is freed. What is freed has no access until the range of addresses, 64 GiB
/// where the process may reserve them, has been gone through. A fresh block is filled with
/// NaN patterns (device/guard/uninitialized_bytes.hpp).
///
/// A guard takes two of the mappings that the system grants a process (65,530 on most), so blocks
/// beyond the first 8,191 that live at a time have none.
namespace skerry::guard {

/// Whether SKERRY_ALLOCATOR says so.
[[nodiscard]] bool is_on() noexcept;

/// Reserves the addresses and catches faults, if that is not done.
void prepare() noexcept;

/// Aligned to the largest power of two that divides `nbytes`, as far as it ends at a page: enough
/// for elements that fill it. Null if there is no memory.
[[nodiscard]] void* allocate(std::size_t nbytes) noexcept;
/// The same with zeros.
[[nodiscard]] void* allocate_zeros(std::size_t nbytes) noexcept;
/// What came from one of these; null is none.
void release(void* data) noexcept;
/// Bytes that were asked for, or more.
[[nodiscard]] std::size_t size_of(const void* data) noexcept;

/// What lies at or nearest to an address; in a signal handler.
[[nodiscard]] bool locate(const void* address, FaultBlock& fault_block) noexcept;

}  // namespace skerry::guard
