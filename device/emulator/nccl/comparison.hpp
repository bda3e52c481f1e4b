// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// Returns how a posted call contradicts the calls of other ranks, or an empty text: another call
/// in the same position, a send and a receive that differ, or calls of one thread for several
/// ranks outside of a group. Requires the lock.
[[nodiscard]] std::string find_contradiction(const Communicator& communicator, Queue queue,
                                             const PostedCall& posted_call);

}  // namespace skerry::emulation::nccl
