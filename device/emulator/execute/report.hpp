// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

/// Makes a Failure of a fault: adds the kernel, block, warp, lane, thread, instruction and source
/// line.
[[nodiscard]] Failure located(const KernelFault& kernel_fault, const Warp& warp, std::uint32_t pc);

/// Returns the source line of an instruction.
[[nodiscard]] SourceLine line_of(const LaunchState& state, std::uint32_t pc);

/// Returns the text of a line of a file, shortened; empty if it cannot be read.
[[nodiscard]] std::string line_text(const std::string& file, std::uint32_t number);

/// Reports a deadlock and where the threads wait.
[[nodiscard]] Failure deadlock(const LaunchState& state, std::span<Warp* const> waiting);

/// Reports a kernel that is stopped, and where its threads are.
[[nodiscard]] Failure too_long(const LaunchState& state, const std::string& why,
                               std::span<Warp* const> running);

/// Reports a kernel that has run for a long time, and where some of its threads are.
[[nodiscard]] Failure still_running(const LaunchState& state, const std::string& since,
                                    std::span<Warp* const> running);

}  // namespace skerry::emulation
