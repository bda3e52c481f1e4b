// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// Makes the calling rank a member of the communicator with that id, and waits for all ranks, in a
/// group at its end (ncclCommInitRank).
int join(Communicator** communicator, int ranks, const std::string& id, int rank, int device);
/// ncclCommSplit: a new communicator for each color, with ranks in the order of their keys; null
/// for a negative color.
int split(Communicator* communicator, int color, int key, Communicator** part);
/// Ends the calls of all ranks, for a function that a rank has called, and waits for its tasks.
void abort_calls(Communicator& communicator, const std::string& function);
/// Returns the name of the board of a part of a communicator, which is the same in all processes.
[[nodiscard]] std::string name_of_part(const Board& board, const std::string& part);
/// Waits for the communicator's tasks (ncclCommFinalize).
int finish_tasks(const Communicator* communicator);
/// Deletes the communicator after its tasks; an abort ends those of all ranks first.
int destroy(Communicator* communicator, bool is_abort);

}  // namespace skerry::emulation::nccl
