// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

/// What a fault was, with the kernel, block, warp, lane, thread, instruction and source line.
[[nodiscard]] Failure located(const KernelFault& kernel_fault, const Warp& warp, std::uint32_t pc);

/// The line of an instruction.
[[nodiscard]] SourceLine line_of(const LaunchState& state, std::uint32_t pc);

/// Where every thread waits that can't go on.
[[nodiscard]] Failure deadlock(const LaunchState& state, std::span<Warp* const> waiting);

/// A kernel that runs for longer than it may, and where its threads are.
[[nodiscard]] Failure too_long(const LaunchState& state, const std::string& why,
                               std::span<Warp* const> running);

/// A kernel that runs for long, and where some of its threads are.
[[nodiscard]] Failure still_running(const LaunchState& state, const std::string& since,
                                    std::span<Warp* const> running);

}  // namespace skerry::emulation
