// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// ncclCommShrink: a new communicator of all ranks but the excluded ones, which must not call it.
int shrink(Communicator* communicator, std::vector<int> excluded, bool aborts, Communicator** part);
/// ncclCommGetUniqueId: sets the id of the next communicator that this one grows to.
int offer_id(Communicator* communicator, const std::string& id);
/// ncclCommGrow for a present rank, which keeps its number. An empty id: that of the rank that has
/// called offer_id(), which is waited for.
int grow(Communicator& communicator, int ranks, const std::string& id, int rank,
         Communicator** whole);
/// ncclCommGrow for a new rank.
int join_grown(int ranks, const std::string& id, int rank, int device, Communicator** whole);
/// ncclCommRevoke: ends the calls of all ranks; later calls are rejected.
int revoke(Communicator* communicator, int flags);
/// ncclCommSuspend, ncclCommResume: calls in between are rejected.
int set_suspended(Communicator* communicator, bool is_suspended);

}  // namespace skerry::emulation::nccl
