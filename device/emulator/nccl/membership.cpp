// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/membership.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/emulator/nccl/groups.hpp"
#include "device/emulator/nccl/meetings.hpp"
#include "device/emulator/nccl/monitor.hpp"
#include "device/emulator/nccl/python_line.hpp"
#include "device/emulator/nccl/submission.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

namespace {

struct Member {
  int ranks;
  int rank;
  int device;
  std::string line;
};

/// Returns why the rank can't join, or an empty text. Requires the lock.
std::string find_error(const Board& board, const Member& member) {
  if (board.ranks != 0 && board.ranks != member.ranks)
    return "other ranks have " + std::to_string(board.ranks) + " ranks";
  const RankState& own_state = board.state(member.rank);
  if (own_state.process != 0)
    return "that rank has joined already, at " + std::string(own_state.line.data());
  for (int rank = 0; rank < member.ranks; ++rank) {
    const RankState& other = board.state(rank);
    if (other.process == 0 || other.device != member.device) continue;
    return "duplicate GPU: rank " + std::to_string(rank) + " uses device " +
           std::to_string(member.device) + " too, at " + other.line.data();
  }
  return {};
}

/// Takes a rank's place on a board.
int enter(Board& board, const Member& member) {
  const BoardLock lock(board);
  if (board.error != success) return reject(remote_error, board.error_text.data());
  if (const std::string error = find_error(board, member); !error.empty()) {
    const std::string text = "ncclCommInitRank(" + std::to_string(member.ranks) + " ranks, rank " +
                             std::to_string(member.rank) + ") at " + member.line + ": " + error;
    fail(board, invalid_usage, member.rank, text);
    report_failure(board, member.device);
    return reject(invalid_usage, text);
  }
  RankState& own_state = board.state(member.rank);
  board.ranks = member.ranks;
  own_state.device = member.device;
  own_state.process = getpid();
  set_text(own_state.line, member.line);
  // Other processes read the memory of this one.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  notify(board);
  return success;
}

/// Makes a rank a member of the board with that name, without waiting for the others.
int enter(const std::string& name, const Member& member, Communicator** communicator) {
  const bool is_valid = member.ranks > 0 && member.ranks <= static_cast<int>(max_ranks) &&
                        member.rank >= 0 && member.rank < member.ranks;
  Board* const board = is_valid ? open_board(name) : nullptr;
  if (board == nullptr) {
    return reject(invalid_argument, "ncclCommInitRank: rank " + std::to_string(member.rank) +
                                        " of " + std::to_string(member.ranks) +
                                        ": not among 1 to " + std::to_string(max_ranks) +
                                        " ranks, or no shared memory in /dev/shm, or the rank "
                                        "that creates it has ended");
  }
  if (const int code = enter(*board, member); code != success) return code;
  *communicator = new Communicator(board, member.rank, member.ranks, member.device);
  add_member(*board, member.rank);
  return success;
}

int wait_for_members(const Communicator& communicator) {
  Board& board = *communicator.board;
  const auto missing_ranks = [&] {
    std::vector<int> ranks;
    for (int rank = 0; rank < communicator.ranks; ++rank) {
      if (board.state(rank).process == 0) ranks.push_back(rank);
    }
    return ranks;
  };
  const auto description = [&] {
    return "a communicator of " + std::to_string(communicator.ranks) +
           " ranks is not complete; rank " + std::to_string(communicator.rank) + " waits at " +
           communicator.state().line.data() + " (a thread with several ranks must group the calls)";
  };
  if (!wait(board, communicator.device,
            {.is_met = [&] { return missing_ranks().empty(); },
             .missing_ranks = missing_ranks,
             .description = description,
             .outlives_failure = true})) {
    return failure_of(communicator);
  }
  if (communicator.rank == 0) remove_name(board);
  return success;
}

/// Enters the communicator of a rank's color, after all ranks have called ncclCommSplit.
int enter_part(Communicator& communicator, PostedCall& posted_call, Communicator** part) {
  Board& board = *communicator.board;
  const int color = posted_call.call.reduction;
  const int key = posted_call.call.peer;
  const Operation operation{
      .communicator = &communicator, .call = posted_call.call, .posted_call = &posted_call};
  // A thread may split the communicators of several ranks in one group: their calls are enough.
  if (!meet(operation, splits, called)) return failure_of(communicator);
  std::set<std::pair<int, int>> members;  // keys and ranks
  std::string line;
  {
    const BoardLock lock(board);
    for (int rank = 0; rank < communicator.ranks; ++rank) {
      const Call& call = board.state(rank).post(splits, posted_call.number).call;
      if (call.reduction == color) members.insert({call.peer, rank});
    }
    line = posted_call.line.data();
  }
  const auto position = std::distance(members.begin(), members.find({key, communicator.rank}));
  const std::string name =
      name_of_part(board, std::to_string(posted_call.number) + "-" + std::to_string(color));
  {
    const BoardLock lock(board);
    communicator.state().finished[splits] = posted_call.number + 1;
    notify(board);
  }
  if (color < 0) return success;
  return enter(name,
               {.ranks = static_cast<int>(members.size()),
                .rank = static_cast<int>(position),
                .device = communicator.device,
                .line = line},
               part);
}

}  // namespace

void abort_calls(Communicator& communicator, const std::string& function) {
  Board& board = *communicator.board;
  const std::string line = python_line();
  {
    const BoardLock lock(board);
    if (board.error == success) board.is_aborted = true;
    fail(board, remote_error, -1,
         "rank " + std::to_string(communicator.rank) + " has called " + function + " at " + line);
  }
  communicator.tasks->wait_for_zero();
}

/// A hash, as names of nested parts would grow.
std::string name_of_part(const Board& board, const std::string& part) {
  const std::string text = std::string(board.name.data()) + "-" + part;
  std::array<char, 32> name{};
  (void)std::snprintf(name.data(), name.size(), "skerry-nccl-s%016zx",
                      std::hash<std::string>{}(text));
  return name.data();
}

int join(Communicator** communicator, int ranks, const std::string& id, int rank, int device) {
  *communicator = nullptr;
  if (!id.starts_with("skerry-nccl-"))
    return reject(invalid_argument, "ncclCommInitRank: the id is not of ncclGetUniqueId");
  const Member member{.ranks = ranks, .rank = rank, .device = device, .line = python_line()};
  if (const int code = enter(id, member, communicator); code != success) return code;
  return call_at_group_end({}, [entered = *communicator] { return wait_for_members(*entered); });
}

int split(Communicator* communicator, int color, int key, Communicator** part) {
  *part = nullptr;
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommSplit: the communicator is null");
  if (communicator->is_revoked) {
    return reject(invalid_usage,
                  "ncclCommSplit after ncclCommRevoke is not rehearsed: call ncclCommShrink");
  }
  PostedCall* posted_call = nullptr;
  const Call call{.function = Function::split, .reduction = color, .peer = key};
  if (const int code = post(*communicator, splits, call, nullptr, python_line(), &posted_call);
      code != success) {
    return code;
  }
  return call_at_group_end(
      [communicator, posted_call, part] { return enter_part(*communicator, *posted_call, part); },
      [part] { return *part == nullptr ? static_cast<int>(success) : wait_for_members(**part); });
}

int finish_tasks(const Communicator* communicator) {
  if (communicator == nullptr)
    return reject(invalid_argument, "ncclCommFinalize: the communicator is null");
  if (communicator->is_revoked)
    return reject(invalid_usage, "ncclCommFinalize: the communicator has been revoked");
  return call_at_group_end({}, [communicator] {
    communicator->tasks->wait_for_zero();
    return failure_of(*communicator);
  });
}

int destroy(Communicator* communicator, bool is_abort) {
  if (communicator == nullptr) return success;
  if (!is_abort && communicator->is_open.use_count() > 1) {
    return reject(
        invalid_usage,
        "ncclCommDestroy: a graph has captured calls of the communicator: NCCL waits here "
        "until it is destroyed");
  }
  Board& board = *communicator->board;
  if (is_abort) abort_calls(*communicator, "ncclCommAbort");
  communicator->tasks->wait_for_zero();
  {
    const BoardLock lock(board);
    communicator->state().has_left = true;
    notify(board);
  }
  communicator->is_open->store(false);
  remove_member(board);
  close_board(&board);
  delete communicator;
  return success;
}

}  // namespace skerry::emulation::nccl
