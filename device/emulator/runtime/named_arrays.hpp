// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/emulator/failure.hpp"
#include "device/emulator/runtime/python_line.hpp"

namespace skerry::emulation {

// What reports say about memory: the dtypes and shapes of the arrays in it, and the line of the
// Python program that has allocated it. A kernel knows only addresses.

/// Records an array in a block of a device's memory, until the block's place is allocated again.
/// Unless the block has a line, the one that runs now is recorded as that of its allocation, so the
/// caller must hold the GIL or no lock. Ignores host memory.
void name_array(const void* data, std::size_t nbytes, const char* text) noexcept;

/// The same for a new array, which is named unless others of its block are.
void name_new_array(const void* data, std::size_t nbytes, const char* text) noexcept;

/// Records the running Python line as that of the new block at `data`. The caller holds no lock.
void note_allocation(const void* data) noexcept;
/// Records the line that has freed a block in stream order.
void note_free(const void* data, const PythonLine& line) noexcept;

/// Returns the array in the block at `block` that is nearest to `address`; of equally near ones,
/// the one recorded last. New arrays count only in blocks without others.
[[nodiscard]] std::optional<NamedArray> nearest_array(std::uint64_t block, std::uint64_t address);

/// Returns the line that has allocated the block at `block`, with its text.
[[nodiscard]] std::optional<SourceLine> allocation_line(std::uint64_t block);
/// The same for the line that has freed it.
[[nodiscard]] std::optional<SourceLine> free_line(std::uint64_t block);

}  // namespace skerry::emulation

extern "C" {

/// Names an array of another library: one that it has allocated, or one that it has got.
__attribute__((visibility("default"))) void skerry_emulator_name_array(std::uint64_t data,
                                                                       std::size_t nbytes,
                                                                       const char* text,
                                                                       bool is_new);
}
