// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/transfers.hpp"

#include <string>
#include <vector>

#include "device/emulator/nccl/links.hpp"
#include "device/emulator/nccl/meetings.hpp"
#include "device/emulator/nccl/positions.hpp"

namespace skerry::emulation::nccl {

PostedCall* find_transfer(Board& board, int rank, Queue queue, int peer, std::uint64_t number) {
  for (PostedCall& posted : board.state(rank).posts[queue]) {
    if (posted.stage != unused && posted.call.peer == peer && posted.number == number)
      return &posted;
  }
  return nullptr;
}

bool finish_transfer(const Operation& operation) {
  const Communicator& communicator = *operation.communicator;
  Board& board = *communicator.board;
  const int peer = operation.call.peer;
  const bool is_send = operation.call.function == Function::send;
  PostedCall* sent = nullptr;
  // The receive copies; the send waits for that.
  const auto is_met = [&] {
    if (is_send) return operation.posted->stage == done;
    sent = find_transfer(board, peer, sends, communicator.rank, operation.posted->number);
    return sent != nullptr && sent->stage >= arrived;
  };
  const auto description = [&] {
    return "a transfer does not end\n  " + text_of(*operation.posted, communicator.rank) + " waits";
  };
  if (!wait(board, communicator.device,
            {.is_met = is_met,
             .missing_ranks = [&] { return std::vector<int>{peer}; },
             .description = description})) {
    return false;
  }
  if (!is_send) {
    RankReader reader(communicator);
    reader.copy(peer, operation.destination, sent->data,
                operation.call.count * size_of(operation.call.type));
    advance(board, *sent, done, nullptr);
  }
  advance(board, *operation.posted, unused, nullptr);
  return true;
}

}  // namespace skerry::emulation::nccl
