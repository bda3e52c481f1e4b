// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/emulator/nccl/calls.hpp"

namespace skerry::emulation::nccl {

// Where the ranks of a communicator meet: memory that their threads and processes share. Each rank
// posts its calls there by number when the program makes them, so that the second one to post a
// call can compare.

enum Stage : int {
  unused,
  called,    ///< the program has made the call
  arrived,   ///< its stream has come to it; the rank's memory may be read
  computed,  ///< it has read what the others may overwrite now
  done,
};

/// Calls are numbered in each of these queues; sends and receives for each peer.
enum Queue : std::size_t { collectives, splits, sends, receives, queues };

[[nodiscard]] constexpr Queue queue_of(const Call& call) noexcept {
  return call.function == Function::send      ? sends
         : call.function == Function::receive ? receives
         : call.function == Function::split   ? splits
                                              : collectives;
}

inline constexpr std::size_t max_ranks = 32;
inline constexpr std::size_t max_posts = 64;  ///< calls that a rank may be ahead of the slowest one

struct PostedCall {
  Call call;
  std::uint64_t number;
  std::uint64_t thread;
  bool is_grouped;
  int process;
  int device;
  const void* stream;
  std::atomic<int> stage;
  const void* data;     ///< from stage `arrived`
  const void* scratch;  ///< from stage `computed`
  std::array<char, 160> line;
};

/// What the process of a rank does, by its last sample (monitor.hpp). All zero before the first.
struct ProcessActivity {
  std::uint64_t samples;
  /// Number of samples before which a call began or ended a wait, or work of a device ran.
  std::uint64_t progress;
  bool is_computing;  ///< a thread used a processor, or was ready to
  /// The sample since which each of its threads waits for another thread of the process, or in a
  /// call of NCCL; 0: it may act.
  std::uint64_t blocked_since;
  /// Those of the ranks that its calls of NCCL wait for, then zeros.
  std::array<int, max_ranks> awaited_processes;
};

struct RankState {
  int process;  ///< 0: has not joined
  ProcessActivity activity;
  int device;
  bool has_left;
  std::array<char, 160> line;
  std::array<char, 300> rejected_call;  ///< with the reason; empty: none
  std::uint64_t captured_calls;         ///< in graphs
  std::array<std::uint64_t, queues> finished;
  std::array<std::uint64_t, queues> next;
  std::array<std::array<PostedCall, max_posts>, queues> posts;

  [[nodiscard]] PostedCall& post(Queue queue, std::uint64_t number) {
    return posts[queue][number % max_posts];
  }
  [[nodiscard]] const PostedCall& post(Queue queue, std::uint64_t number) const {
    return posts[queue][number % max_posts];
  }
};

struct Board {
  std::atomic<int> is_ready;
  pthread_mutex_t mutex;
  std::atomic<std::uint32_t> version;  ///< increased by every change that somebody may wait for
  std::atomic<int> waits;              ///< calls that wait now
  int ranks;
  std::atomic<int> error;        ///< a Result
  std::atomic<bool> is_aborted;  ///< by a rank or a fault, which is no mistake of the program
  int guilty_rank;               ///< gets `error`, the others remote_error; -1: all get it
  std::array<char, 3000> error_text;
  std::array<char, 40> name;
  std::array<char, 40> offered_id;  ///< of the communicator that this one grows to
  std::uint64_t offered_ids;
  std::array<RankState, max_ranks> states;

  [[nodiscard]] RankState& state(int rank) { return states[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const RankState& state(int rank) const {
    return states[static_cast<std::size_t>(rank)];
  }
};

/// Maps the board of that name, which the first rank creates. Null: no shared memory, or
/// the creator has not filled it within the time limit.
[[nodiscard]] Board* open_board(const std::string& name);
void close_board(Board* board);
/// Removes the name; ranks that have opened the board keep it.
void remove_name(const Board& board);

class BoardLock {
 public:
  explicit BoardLock(Board& board);
  BoardLock(const BoardLock&) = delete;
  BoardLock& operator=(const BoardLock&) = delete;
  ~BoardLock();

 private:
  Board& board_;
};

/// Wakes all that wait.
void notify(Board& board);

/// Records the first failure of a board. Requires the lock.
void fail(Board& board, Result code, int guilty_rank, const std::string& text);
/// Adds the failure of a board to the reports of this process, once. Requires the lock.
void report_failure(const Board& board, int device);

/// Copies text to a board, cut to its capacity.
template <std::size_t capacity>
void set_text(std::array<char, capacity>& target, const std::string& text) {
  const std::size_t count = text.copy(target.data(), capacity - 1);
  target[count] = '\0';
}

}  // namespace skerry::emulation::nccl
