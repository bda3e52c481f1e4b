// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {

/// What a fault was, with the kernel, block, warp, lane, thread, instruction and source line.
[[nodiscard]] failure located(const kernel_fault& found, const warp& on, std::uint32_t at);

/// The line of an instruction.
[[nodiscard]] source_line line_of(const launch_state& of, std::uint32_t at);

/// Where every thread waits that can't go on.
[[nodiscard]] failure deadlock(const launch_state& of, std::span<warp* const> waiting);

/// A kernel that runs for longer than it may, and where its threads are.
[[nodiscard]] failure too_long(const launch_state& of, const std::string& why,
                               std::span<warp* const> running);

/// A kernel that runs for long, and where some of its threads are.
[[nodiscard]] failure still_running(const launch_state& of, const std::string& since,
                                    std::span<warp* const> running);

}  // namespace skerry::emulation
