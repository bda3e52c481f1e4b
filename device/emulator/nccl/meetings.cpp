// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/meetings.hpp"

#include <string>
#include <vector>

#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

void advance(Board& board, PostedCall& posted_call, Stage stage, const void* data) {
  const BoardLock lock(board);
  if (stage == arrived) posted_call.data = data;
  if (stage == computed) posted_call.scratch = data;
  posted_call.stage = stage;
  notify(board);
}

bool meet(const Operation& operation, Queue queue, Stage stage) {
  const Communicator& communicator = *operation.communicator;
  Board& board = *communicator.board;
  const std::uint64_t number = operation.posted_call->number;
  const auto has_reached = [&](int rank) {
    const RankState& state = board.state(rank);
    const PostedCall& posted_call = state.post(queue, number);
    return state.finished[queue] > number ||
           (state.next[queue] > number && posted_call.number == number &&
            posted_call.stage >= stage);
  };
  const auto missing_ranks = [&] {
    std::vector<int> ranks;
    for (int rank = 0; rank < communicator.ranks; ++rank) {
      if (!has_reached(rank)) ranks.push_back(rank);
    }
    return ranks;
  };
  const auto description = [&] {
    return "collective call number " + std::to_string(number + 1) + " of communicator " +
           board.name.data() + " with " + std::to_string(communicator.ranks) +
           " ranks does not end\n  " + text_of(*operation.posted_call, communicator.rank) +
           " waits";
  };
  return wait(board, communicator.device,
              {.is_met = [&] { return missing_ranks().empty(); },
               .missing_ranks = missing_ranks,
               .description = description,
               .outlives_failure = stage == called});
}

}  // namespace skerry::emulation::nccl
