// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/emulator/nccl/board.hpp"

namespace skerry::emulation::nccl {

// Texts about calls and ranks, for reports. They require the board's lock.

/// Returns "rank 0: ncclAllReduce(count 8, float32, sum) at program.py:3".
[[nodiscard]] std::string text_of(const PostedCall& posted_call, int rank);
/// Returns what a rank has done last and what it waits for.
[[nodiscard]] std::string position_of(const Board& board, int rank);

/// Notes, during its lifetime, that a stream of this process runs a call.
class RunningCall {
 public:
  RunningCall(const Board& board, const PostedCall& posted_call, int rank);
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
  ~RunningCall();

 private:
  int device_;
  const void* stream_;
};

}  // namespace skerry::emulation::nccl
