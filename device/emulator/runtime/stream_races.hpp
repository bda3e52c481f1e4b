// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/python_line.hpp"

namespace skerry::emulation {

// Races between streams: two streams access a byte of device memory, at least one of them writes
// it, and neither stream order nor an event nor a wait of the host orders the two accesses,
// whatever their actual times. Two strong accesses (atomic, volatile, ...: Instruction::is_strong)
// are not a race. Accesses of libraries count as reads. Accesses of the host are not checked.

/// Name of the operation that frees memory.
inline constexpr const char* end_of_allocation = "the end of an allocation";
/// Returns the line of the program that has called the work that this thread runs; unknown unless
/// the check is on.
[[nodiscard]] PythonLine current_line();

/// Starts the check. Must be called before the first stream has work.
void follow_streams() noexcept;
[[nodiscard]] bool follows_streams() noexcept;
/// Stops the check and discards recorded accesses.
void unfollow_streams();

/// Records the accesses of an operation, on its stream's thread. Returns its first race, if any.
[[nodiscard]] std::optional<Failure> note_stream_accesses(
    const std::string& operation_name, std::span<const Allocation> read,
    std::span<const Allocation> written, std::span<const Allocation> strongly_read = {},
    std::span<const Allocation> strongly_written = {});

/// Forgets accesses of memory that is allocated again.
void discard_stream_accesses(const void* data, std::size_t nbytes);

}  // namespace skerry::emulation
