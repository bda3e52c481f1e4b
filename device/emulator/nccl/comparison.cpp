// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/comparison.hpp"

#include <unistd.h>

#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/transfers.hpp"

namespace skerry::emulation::nccl {

namespace {

std::string compare_collectives(const Communicator& communicator, const PostedCall& posted_call) {
  const Board& board = *communicator.board;
  std::string text;
  bool is_equal = true;
  for (int rank = 0; rank < communicator.ranks; ++rank) {
    const RankState& state = board.state(rank);
    const PostedCall& other = state.post(collectives, posted_call.number);
    if (state.next[collectives] <= posted_call.number || other.number != posted_call.number)
      continue;
    is_equal = is_equal && other.call == posted_call.call;
    text += "\n  " + text_of(other, rank);
  }
  if (is_equal) return {};
  return "ranks disagree on collective call number " + std::to_string(posted_call.number + 1) +
         ":" + text;
}

std::string compare_transfers(const Communicator& communicator, Queue queue,
                              const PostedCall& posted_call) {
  const int peer = posted_call.call.peer;
  const PostedCall* const other =
      find_transfer(*communicator.board, peer, queue == sends ? receives : sends, communicator.rank,
                    posted_call.number);
  if (other == nullptr) return {};
  const bool is_equal = other->call.count == posted_call.call.count &&
                        other->call.type == posted_call.call.type &&
                        (other->call.capture == 0) == (posted_call.call.capture == 0);
  if (is_equal) return {};
  return "a send and its receive differ:\n  " + text_of(posted_call, communicator.rank) + "\n  " +
         text_of(*other, peer);
}

bool belongs_to(const PostedCall& posted_call, Queue queue, const PostedCall& other,
                const RankState& state, Queue other_queue, int rank) {
  if (queue == collectives) {
    return other_queue == collectives && other.number == posted_call.number &&
           state.next[collectives] > posted_call.number;
  }
  return (other_queue == sends || other_queue == receives) && other.call.peer == rank;
}

/// The first call of a thread may wait for its next one.
std::string find_ungrouped(const Communicator& communicator, Queue queue,
                           const PostedCall& posted_call) {
  for (int rank = 0; rank < communicator.ranks; ++rank) {
    const RankState& state = communicator.board->state(rank);
    if (rank == communicator.rank || state.process != getpid()) continue;
    for (const Queue other_queue : {collectives, sends, receives}) {
      for (const PostedCall& other : state.posts[other_queue]) {
        if (other.stage == unused || other.thread != posted_call.thread ||
            (other.is_grouped && posted_call.is_grouped) ||
            !belongs_to(posted_call, queue, other, state, other_queue, communicator.rank)) {
          continue;
        }
        return "one thread calls for several ranks outside of a group, where NCCL may wait for "
               "ever:\n  " +
               text_of(other, rank) + "\n  " + text_of(posted_call, communicator.rank);
      }
    }
  }
  return {};
}

}  // namespace

std::string find_contradiction(const Communicator& communicator, Queue queue,
                               const PostedCall& posted_call) {
  if (queue == splits) return {};
  std::string text = queue == collectives ? compare_collectives(communicator, posted_call)
                                          : compare_transfers(communicator, queue, posted_call);
  return text.empty() ? find_ungrouped(communicator, queue, posted_call) : text;
}

}  // namespace skerry::emulation::nccl
