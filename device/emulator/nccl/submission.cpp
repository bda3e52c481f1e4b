// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/submission.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/nccl/captured_calls.hpp"
#include "device/emulator/nccl/collectives.hpp"
#include "device/emulator/nccl/comparison.hpp"
#include "device/emulator/nccl/groups.hpp"
#include "device/emulator/nccl/meetings.hpp"
#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/python_line.hpp"
#include "device/emulator/nccl/reduction.hpp"
#include "device/emulator/nccl/settings.hpp"
#include "device/emulator/nccl/transfers.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

namespace {

/// Runs the tasks of a group on their stream's thread: transfers may be waited for by each other,
/// so all of them arrive first.
bool run_all(const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    if (is_transfer(operation.call.function))
      advance(*operation.communicator->board, *operation.posted_call, arrived, operation.source);
  }
  for (const Operation& operation : operations) {
    if (!is_transfer(operation.call.function) && !run_collective(operation)) return false;
  }
  for (const Function function : {Function::receive, Function::send}) {
    for (const Operation& operation : operations) {
      if (operation.call.function == function && !finish_transfer(operation)) return false;
    }
  }
  return true;
}

/// False if the device must get a sticky error.
bool run_task(const std::vector<Operation>& operations) {
  const Operation& first = operations.front();
  Board& board = *first.communicator->board;
  const RunningCall running_call(board, *first.posted_call, first.communicator->rank);
  try {
    if (run_all(operations)) return true;
  } catch (const std::exception& error) {
    const BoardLock lock(board);
    fail(board, system_error, -1,
         text_of(*first.posted_call, first.communicator->rank) + ": " + error.what());
    report_failure(board, first.communicator->device);
  }
  return current_settings().is_async || board.is_aborted;
}

/// Returns the custom reduction of a call, or null.
const CustomReduction* find_custom_reduction(const Communicator& communicator, const Call& call) {
  if (call.reduction < premultiplied_sum) return nullptr;
  const auto index = static_cast<std::size_t>(call.reduction - premultiplied_sum);
  return index < communicator.reductions.size() ? communicator.reductions[index].get() : nullptr;
}

/// Returns what is wrong with the reduction of a call, or an empty text.
std::string find_reduction_error(const Operation& operation) {
  const Call& call = operation.call;
  if (!is_reducing(call.function)) return {};
  if (!can_reduce(call.type)) return "float8 can't be reduced here";
  const CustomReduction* const custom = operation.custom_reduction;
  if (call.reduction < 0 || (call.reduction >= premultiplied_sum && custom == nullptr))
    return "unknown reduction";
  if (custom != nullptr && custom->type != call.type)
    return "the reduction is for another data type";
  return {};
}

/// Returns what is wrong with the arguments of a call, or an empty text.
std::string find_argument_error(const Operation& operation) {
  const Call& call = operation.call;
  const std::size_t itemsize = size_of(call.type);
  const int ranks = operation.communicator->ranks;
  if (itemsize == 0) return "unknown data type";
  if (std::string error = find_reduction_error(operation); !error.empty()) return error;
  if (has_peer(call.function) && (call.peer < 0 || call.peer >= ranks))
    return "the communicator has " + std::to_string(ranks) + " ranks";
  if (call.count > SIZE_MAX / itemsize / static_cast<std::size_t>(ranks))
    return "the count exceeds the address space";
  return {};
}

/// Returns what is wrong with a call by itself, or an empty text; sets the result.
std::string find_error(const Operation& operation, Result& code) {
  const Communicator& communicator = *operation.communicator;
  code = invalid_argument;
  if (std::string error = find_argument_error(operation); !error.empty()) return error;
  const CurrentDevice device(communicator.device);
  int ordinal = 0;
  int is_capturing = 0;
  code = cuda_error;
  if (driver::stream_get_device(operation.stream, &ordinal) != 0)
    return "not a stream, or its device has failed";
  code = invalid_usage;
  if (ordinal != communicator.device) {
    return "the stream is device " + std::to_string(ordinal) + "'s, the communicator device " +
           std::to_string(communicator.device) + "'s";
  }
  if (driver::stream_is_capturing(operation.stream, &is_capturing) != 0 || is_capturing == 0)
    return {};
  return find_capture_error(operation);
}

/// Returns a free entry of a queue, or null. Requires the lock.
PostedCall* find_free_post(Communicator& communicator, Queue queue) {
  RankState& state = communicator.state();
  if (queue < sends) return &state.post(queue, state.next[queue]);
  for (PostedCall& posted_call : state.posts[queue]) {
    if (posted_call.stage == unused) return &posted_call;
  }
  return nullptr;
}

/// Waits until the board has an entry for a call: a rank may be max_posts calls ahead.
bool wait_for_free_post(Communicator& communicator, Queue queue, const Call& call,
                        const std::string& line) {
  const auto slow_ranks = [&] {
    std::vector<int> ranks;
    for (int rank = 0; rank < communicator.ranks; ++rank) {
      if (queue < sends && communicator.state().next[queue] >=
                               communicator.board->state(rank).finished[queue] + max_posts) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  };
  const auto is_met = [&] {
    return slow_ranks().empty() && find_free_post(communicator, queue) != nullptr;
  };
  const auto description = [&] {
    return "rank " + std::to_string(communicator.rank) + " is " + std::to_string(max_posts) +
           " calls ahead in " + text_of(call) + " at " + line;
  };
  return wait(*communicator.board, communicator.device,
              {.is_met = is_met, .missing_ranks = slow_ranks, .description = description});
}

/// Of this process. The system gives the ids of threads that have ended to new ones.
std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> count{0};
  thread_local const std::uint64_t number = count++;
  return number;
}

std::uint64_t next_number(Communicator& communicator, Queue queue, int peer) {
  if (queue < sends) return communicator.state().next[queue]++;
  const auto index = static_cast<std::size_t>(peer);
  return queue == sends ? communicator.sends_to_peer[index]++
                        : communicator.receives_from_peer[index]++;
}

}  // namespace

int post(Communicator& communicator, Queue queue, const Call& call, void* stream,
         const std::string& line, PostedCall** posted_call) {
  Board& board = *communicator.board;
  if (!wait_for_free_post(communicator, queue, call, line)) return failure_of(communicator);
  std::string contradiction;
  {
    const BoardLock lock(board);
    PostedCall& entry = *find_free_post(communicator, queue);
    entry.call = call;
    entry.number = next_number(communicator, queue, call.peer);
    entry.thread = thread_number();
    entry.is_grouped = is_group_open() || call.capture != 0;  // a launch of a graph never waits
    entry.process = getpid();
    entry.device = communicator.device;
    entry.stream = stream;
    set_text(entry.line, line);
    entry.stage = called;
    *posted_call = &entry;
    contradiction = find_contradiction(communicator, queue, entry);
    if (contradiction.empty()) {
      notify(board);
      return success;
    }
    fail(board, invalid_usage, communicator.rank, contradiction);
    report_failure(board, communicator.device);
  }
  return reject(invalid_usage, contradiction);
}

int submit(const Operation& operation) {
  Communicator* const communicator = operation.communicator;
  if (communicator == nullptr) return reject(invalid_argument, "the communicator is null");
  if (const int code = failure_of(*communicator); code != success) return code;
  if (communicator->is_suspended)
    return reject(invalid_usage, text_of(operation.call) + ": the communicator is suspended");
  Operation posted_operation = operation;
  // The program may create further reductions while the stream's thread reads this one.
  posted_operation.custom_reduction = find_custom_reduction(*communicator, operation.call);
  const std::string line = python_line();  // without the lock: it may wait for the GIL
  Result code = success;
  if (const std::string error = find_error(posted_operation, code); !error.empty()) {
    const std::string text = text_of(operation.call) + ": " + error;
    const BoardLock lock(*communicator->board);
    set_text(communicator->state().rejected_call, text + " at " + line);
    return reject(code, text);
  }
  if (capture_device(operation.stream) >= 0) {
    number_capture(posted_operation, line);
  } else if (const int status = post(*communicator, queue_of(operation.call), operation.call,
                                     operation.stream, line, &posted_operation.posted_call);
             status != success) {
    return status;
  }
  if (!is_group_open()) return enqueue({posted_operation});
  add_to_group(posted_operation);
  return success;
}

int enqueue(std::vector<Operation> operations) {
  const auto is_captured = [](const Operation& operation) { return operation.call.capture != 0; };
  if (std::ranges::none_of(operations, is_captured)) return enqueue_posted(std::move(operations));
  if (std::ranges::all_of(operations, is_captured)) return capture_calls(std::move(operations));
  return reject(invalid_usage, "a capture of the stream began or ended within a group");
}

int enqueue_posted(std::vector<Operation> operations) {
  const Operation first = operations.front();
  Communicator& communicator = *first.communicator;
  const CurrentDevice device(communicator.device);
  std::vector<AccessedRange> ranges;
  for (const Operation& operation : operations) {
    const std::vector<AccessedRange> more = ranges_of(operation);
    ranges.insert(ranges.end(), more.begin(), more.end());
  }
  std::string name = text_of(*first.posted_call, communicator.rank);
  if (operations.size() > 1) name += " and " + std::to_string(operations.size() - 1) + " more";
  communicator.tasks->increase();
  // Counts down when the task is destroyed: the stream of a lost device drops its tasks.
  const std::shared_ptr<void> count(nullptr,
                                    [tasks = communicator.tasks](void*) { tasks->decrease(); });
  const int status = enqueue_collective_task(
      name, first.stream, std::move(ranges),
      [operations = std::move(operations), count] { return run_task(operations); });
  if (status == 0) return success;
  return reject(cuda_error, name + ": CUDA error " + std::to_string(status));
}

}  // namespace skerry::emulation::nccl
