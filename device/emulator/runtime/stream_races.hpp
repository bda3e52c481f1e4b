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

// Races between streams: two of them access a byte of a device's memory, one of them writes, and
// neither the order of a stream nor an event nor a wait of the host is between them, however late
// they happened to come. What libraries access counts as read, and the host's own accesses are not
// seen.

/// From now on; before the first stream has work.
void follow_streams() noexcept;
[[nodiscard]] bool follows_streams() noexcept;
/// No more, and nothing is known of what was.
void unfollow_streams();

/// Notes what a piece of work has read and written, on the stream's thread. What it races with, or
/// nothing.
[[nodiscard]] std::optional<Failure> note_stream_accesses(const std::string& operation_name,
                                                          std::span<const Allocation> read,
                                                          std::span<const Allocation> written);

/// Whom memory belonged to before does not matter to those who get it.
void discard_stream_accesses(const void* data, std::size_t nbytes);

}  // namespace skerry::emulation
