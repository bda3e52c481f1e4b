// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/emulator/nccl/board.hpp"

namespace skerry::emulation::nccl {

/// What a rank waits for. All functions are called with the lock, also by other threads.
struct Condition {
  std::function<bool()> is_met;
  std::function<std::vector<int>()> missing_ranks;
  std::function<std::string()> description;  ///< of the wait, for the report
  /// Once met, a later failure of the board doesn't matter: another rank may already have gone on
  /// and aborted the communicator.
  bool outlives_failure = false;
};

/// Blocks until the condition is met; false if the board has failed. Fails it if a missing rank has
/// left or its process has ended, and after the time limit. The monitor fails it if no thread can
/// end the wait.
bool wait(Board& board, int device, const Condition& condition);

/// Returns what a rank waits for, why that is hopeless, and the positions of the missing ranks.
/// Requires the lock.
[[nodiscard]] std::string text_of(const Board& board, const Condition& condition,
                                  const std::string& reason);

}  // namespace skerry::emulation::nccl
