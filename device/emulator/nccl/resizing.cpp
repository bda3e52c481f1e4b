// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/resizing.hpp"

#include <algorithm>
#include <cstdint>

#include "device/emulator/nccl/membership.hpp"
#include "device/emulator/nccl/python_line.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

namespace {

std::string text_of(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(rank);
  return text;
}

/// Waits until a rank has called ncclCommGetUniqueId for the next growth.
int wait_for_id(Communicator& communicator, std::string& id) {
  Board& board = *communicator.board;
  const std::string line = python_line();
  const auto other_ranks = [&] {
    std::vector<int> ranks;
    for (int rank = 0; rank < communicator.ranks; ++rank) {
      if (rank != communicator.rank) ranks.push_back(rank);
    }
    return ranks;
  };
  const auto is_met = [&] {
    if (board.offered_ids <= communicator.growths) return false;
    id = board.offered_id.data();
    return true;
  };
  const auto description = [&] {
    return "rank " + std::to_string(communicator.rank) + " waits in ncclCommGrow at " + line +
           ": no rank has called ncclCommGetUniqueId";
  };
  const bool is_found = wait(board, communicator.device,
                             {.is_met = is_met,
                              .missing_ranks = other_ranks,
                              .description = description,
                              .outlives_failure = true});
  return is_found ? static_cast<int>(success) : failure_of(communicator);
}

}  // namespace

int shrink(Communicator* communicator, std::vector<int> excluded, bool aborts,
           Communicator** part) {
  *part = nullptr;
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommShrink: the communicator is null");
  std::ranges::sort(excluded);
  excluded.erase(std::ranges::unique(excluded).begin(), excluded.end());
  const int ranks = communicator->ranks;
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
  if (!std::ranges::all_of(excluded, is_rank)) {
    return reject(invalid_argument, "ncclCommShrink: ranks " + text_of(excluded) +
                                        " are not all of the communicator's " +
                                        std::to_string(ranks));
  }
  const auto position = std::ranges::lower_bound(excluded, communicator->rank);
  if (position != excluded.end() && *position == communicator->rank) {
    return reject(invalid_argument, "ncclCommShrink: rank " + std::to_string(communicator->rank) +
                                        " is excluded and must not call it");
  }
  if (aborts) {
    abort_calls(*communicator, "ncclCommShrink to abort");
  } else if (!communicator->is_revoked) {
    if (const int code = failure_of(*communicator); code != success) return code;
  }
  const std::string key = text_of(excluded);
  const std::string number = std::to_string(communicator->shrinkages[key]++);
  return join(part, ranks - static_cast<int>(excluded.size()),
              name_of_part(*communicator->board, "without " + key + ", " + number),
              communicator->rank - static_cast<int>(position - excluded.begin()),
              communicator->device);
}

int offer_id(Communicator* communicator, const std::string& id) {
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommGetUniqueId: the communicator is null");
  if (const int code = failure_of(*communicator); code != success) return code;
  Board& board = *communicator->board;
  const BoardLock lock(board);
  if (board.offered_ids > communicator->growths)
    return reject(invalid_usage, "ncclCommGetUniqueId: the previous id has not been used yet");
  set_text(board.offered_id, id);
  ++board.offered_ids;
  notify(board);
  return success;
}

int grow(Communicator& communicator, int ranks, const std::string& id, int rank,
         Communicator** whole) {
  *whole = nullptr;
  if (rank != -1)
    return reject(invalid_argument, "ncclCommGrow: a present rank keeps its number: pass -1");
  if (ranks <= communicator.ranks) {
    return reject(invalid_argument, "ncclCommGrow: " + std::to_string(ranks) +
                                        " ranks are not more than the communicator's " +
                                        std::to_string(communicator.ranks));
  }
  if (const int code = failure_of(communicator); code != success) return code;
  std::string offered_id;
  if (const int code = wait_for_id(communicator, offered_id); code != success) return code;
  if (!id.empty() && id != offered_id) {
    return reject(invalid_argument,
                  "ncclCommGrow: the id is not the last one of the communicator's "
                  "ncclCommGetUniqueId");
  }
  ++communicator.growths;
  return join(whole, ranks, offered_id, communicator.rank, communicator.device);
}

int join_grown(int ranks, const std::string& id, int rank, int device, Communicator** whole) {
  *whole = nullptr;
  if (id.empty() || rank < 0)
    return reject(invalid_argument, "ncclCommGrow: a new rank passes an id and its number");
  return join(whole, ranks, id, rank, device);
}

int revoke(Communicator* communicator, int flags) {
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommRevoke: the communicator is null");
  if (flags != 0) return reject(invalid_argument, "ncclCommRevoke: flags must be 0");
  abort_calls(*communicator, "ncclCommRevoke");
  communicator->is_revoked = true;
  return success;
}

int set_suspended(Communicator* communicator, bool is_suspended) {
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommSuspend: the communicator is null");
  if (is_suspended) communicator->tasks->wait_for_zero();
  communicator->is_suspended = is_suspended;
  return success;
}

}  // namespace skerry::emulation::nccl
