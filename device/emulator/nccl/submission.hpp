// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// Checks a call, posts it, and enqueues it on its stream or adds it to the thread's group.
int submit(const Operation& operation);
/// Posts a call on the board and compares it with those of the other ranks.
int post(Communicator& communicator, Queue queue, const Call& call, void* stream,
         const std::string& line, PostedCall** posted_call);
/// Enqueues posted operations with the same communicator and stream as one task.
int enqueue_posted(std::vector<Operation> operations);
/// As enqueue_posted(), or adds captured operations to their graph.
int enqueue(std::vector<Operation> operations);

}  // namespace skerry::emulation::nccl
