// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/emulator/nccl/communicator.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::nccl {

/// Runs a collective call of a rank, on its stream's thread. False if the communicator has failed.
[[nodiscard]] bool run_collective(const Operation& operation);
/// Returns the memory of its device that an operation accesses.
[[nodiscard]] std::vector<AccessedRange> ranges_of(const Operation& operation);

}  // namespace skerry::emulation::nccl
