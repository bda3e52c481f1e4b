// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

// Races between streams: two streams access a byte of device memory, at least one of them writes
// it, and neither stream order nor an event nor a wait of the host orders the two accesses,
// whatever their actual times. Accesses of libraries count as reads. Accesses of the host are not
// checked.

/// Starts the check. Must be called before the first stream has work.
void follow_streams() noexcept;
[[nodiscard]] bool follows_streams() noexcept;
/// Stops the check and discards recorded accesses.
void unfollow_streams();

/// Records the accesses of an operation, on its stream's thread. Returns its first race, if any.
[[nodiscard]] std::optional<Failure> note_stream_accesses(const std::string& operation_name,
                                                          std::span<const Allocation> read,
                                                          std::span<const Allocation> written);

/// Forgets accesses of memory that is allocated again.
void discard_stream_accesses(const void* data, std::size_t nbytes);

}  // namespace skerry::emulation
