// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/positions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace skerry::emulation::nccl {

namespace {

struct RunningCalls {
  std::mutex mutex;
  std::map<std::pair<int, const void*>, std::string> by_stream;
};

RunningCalls& running_calls() {
  static auto* const calls = new RunningCalls;  // leaked: threads of streams may outlive main()
  return *calls;
}

/// Returns what the stream of a call runs now, if that is a call of this process.
std::string running_text_of(const PostedCall& posted_call) {
  if (posted_call.process != getpid()) return {};
  RunningCalls& calls = running_calls();
  const std::lock_guard lock(calls.mutex);
  const auto entry = calls.by_stream.find({posted_call.device, posted_call.stream});
  return entry == calls.by_stream.end() ? "" : entry->second;
}

/// Of a rank; further ones would hide the other ranks in a report.
constexpr std::size_t max_listed_transfers = 4;

/// Returns sends and receives that have not ended, those that wait first, then by number.
std::vector<const PostedCall*> open_transfers_of(const RankState& state) {
  std::vector<const PostedCall*> transfers;
  for (const Queue queue : {sends, receives}) {
    for (const PostedCall& posted_call : state.posts[queue]) {
      if (posted_call.stage != unused && posted_call.stage != done)
        transfers.push_back(&posted_call);
    }
  }
  std::ranges::stable_sort(transfers, [](const PostedCall* a, const PostedCall* b) {
    if (a->stage != b->stage) return a->stage > b->stage;
    return a->number < b->number;
  });
  return transfers;
}

std::string stage_text_of(const PostedCall& posted_call) {
  if (posted_call.stage >= done) return ", done";
  if (posted_call.stage >= arrived) return ", in which it waits";
  const std::string running_text = running_text_of(posted_call);
  return ", which its stream has not reached" +
         (running_text.empty() ? "" : ": the stream waits in " + running_text);
}

}  // namespace

std::string text_of(const PostedCall& posted_call, int rank) {
  const std::string line = posted_call.line.data();
  return "rank " + std::to_string(rank) + ": " + text_of(posted_call.call) +
         (line.empty() ? "" : " at " + line);
}

std::string position_of(const Board& board, int rank) {
  const RankState& state = board.state(rank);
  const std::string name = "rank " + std::to_string(rank);
  if (state.process == 0) return name + " has not called ncclCommInitRank";
  std::string text = name + " has made no collective call here";
  if (const std::uint64_t count = state.next[collectives]; count != 0) {
    const PostedCall& last = state.post(collectives, count - 1);
    text = text_of(last, rank) + " was its collective call number " + std::to_string(count) +
           stage_text_of(last);
  }
  if (state.rejected_call[0] != '\0') {
    text += "\n    its last call was rejected: " + std::string(state.rejected_call.data());
  }
  if (state.captured_calls != 0) {
    text += "\n    captured calls, which run when their graphs are launched: " +
            std::to_string(state.captured_calls);
  }
  std::vector<const PostedCall*> open_transfers = open_transfers_of(state);
  const std::size_t count = open_transfers.size();
  open_transfers.resize(std::min(count, max_listed_transfers));
  for (const PostedCall* const posted_call : open_transfers)
    text += "\n    " + text_of(*posted_call, rank) + stage_text_of(*posted_call);
  if (count > max_listed_transfers)
    text += "\n    and " + std::to_string(count - max_listed_transfers) + " later transfers";
  return text;
}

RunningCall::RunningCall(const Board& board, const PostedCall& posted_call, int rank)
    : device_(posted_call.device), stream_(posted_call.stream) {
  RunningCalls& calls = running_calls();
  const std::lock_guard lock(calls.mutex);
  calls.by_stream[{device_, stream_}] =
      text_of(posted_call, rank) + ", communicator " + board.name.data();
}

RunningCall::~RunningCall() {
  RunningCalls& calls = running_calls();
  const std::lock_guard lock(calls.mutex);
  calls.by_stream.erase({device_, stream_});
}

}  // namespace skerry::emulation::nccl
