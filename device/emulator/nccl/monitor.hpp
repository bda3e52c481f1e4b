// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/nccl/waits.hpp"

// A thread of each process that has ranks. While calls wait for other ranks, it publishes on their
// boards what the process does, and fails the calls if no thread of any of these processes can end
// their wait.

namespace skerry::emulation::nccl {

/// Adds a rank of this process. Requires that the board is not locked.
void add_member(Board& board, int rank);
/// Removes the rank, before its board is closed. Requires that the board is not locked.
void remove_member(const Board& board);

/// Shows the monitor, during its lifetime, what the current thread waits for.
class MonitoredWait {
 public:
  MonitoredWait(Board& board, int device, const Condition& condition);
  MonitoredWait(const MonitoredWait&) = delete;
  MonitoredWait& operator=(const MonitoredWait&) = delete;
  ~MonitoredWait();

  [[nodiscard]] Board& board() const noexcept { return board_; }
  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] const Condition& condition() const noexcept { return condition_; }
  [[nodiscard]] int thread() const noexcept { return thread_; }

 private:
  Board& board_;
  int device_;
  const Condition& condition_;
  int thread_;
};

}  // namespace skerry::emulation::nccl
