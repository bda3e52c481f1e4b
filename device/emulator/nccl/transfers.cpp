// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/transfers.hpp"

#include <string>
#include <vector>

#include "device/emulator/nccl/links.hpp"
#include "device/emulator/nccl/meetings.hpp"
#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

PostedCall* find_transfer(Board& board, int rank, Queue queue, int peer, std::uint64_t number) {
  for (PostedCall& posted_call : board.state(rank).posts[queue]) {
    if (posted_call.stage != unused && posted_call.call.peer == peer &&
        posted_call.number == number)
      return &posted_call;
  }
  return nullptr;
}

bool finish_transfer(const Operation& operation) {
  const Communicator& communicator = *operation.communicator;
  Board& board = *communicator.board;
  const int peer = operation.call.peer;
  const bool is_send = operation.call.function == Function::send;
  PostedCall* send = nullptr;
  // The receive copies; the send waits for that.
  const auto is_met = [&] {
    if (is_send) return operation.posted_call->stage == done;
    send = find_transfer(board, peer, sends, communicator.rank, operation.posted_call->number);
    return send != nullptr && send->stage >= arrived;
  };
  const auto description = [&] {
    return "a transfer does not end\n  " + text_of(*operation.posted_call, communicator.rank) +
           " waits";
  };
  if (!wait(board, communicator.device,
            {.is_met = is_met,
             .missing_ranks = [&] { return std::vector<int>{peer}; },
             .description = description})) {
    return false;
  }
  if (!is_send) {
    RankReader reader(communicator);
    reader.copy(peer, operation.destination, send->data,
                operation.call.count * size_of(operation.call.type));
    advance(board, *send, done, nullptr);
  }
  advance(board, *operation.posted_call, unused, nullptr);
  return true;
}

}  // namespace skerry::emulation::nccl
