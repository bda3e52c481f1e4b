// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// Sets the stage of a posted call, with the data or scratch memory that others read in it.
void advance(Board& board, PostedCall& posted_call, Stage stage, const void* data);
/// Blocks until all ranks have reached a stage of a call. False if the communicator has failed.
[[nodiscard]] bool meet(const Operation& operation, Queue queue, Stage stage);

}  // namespace skerry::emulation::nccl
