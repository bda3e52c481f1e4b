// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/emulator/nccl/communicator.hpp"

namespace skerry::emulation::nccl {

/// Returns an open call of a rank's queue with that peer and number, or null. Requires the lock.
[[nodiscard]] PostedCall* find_transfer(Board& board, int rank, Queue queue, int peer,
                                        std::uint64_t number);
/// Waits for the end of a send or a receive, on its stream's thread. False if the communicator has
/// failed.
[[nodiscard]] bool finish_transfer(const Operation& operation);

}  // namespace skerry::emulation::nccl
