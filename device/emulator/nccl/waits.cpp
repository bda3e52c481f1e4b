// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/waits.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "device/emulator/nccl/monitor.hpp"
#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/settings.hpp"
#include "device/emulator/runtime/library_tasks.hpp"
#include "device/rehearsal/processes.hpp"

namespace skerry::emulation::nccl {

namespace {

using clock = std::chrono::steady_clock;

/// How often a waiting rank looks whether the processes of the missing ones still exist.
constexpr timespec poll_interval{0, 50'000'000};
/// Programs that are right may wait longer, so this is not the time limit.
constexpr double notice_seconds = 1.5;
/// How many times longer a rank may compute than wait: preparations and compilers take minutes.
constexpr double computing_factor = 10;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Returns why one of the missing ranks will never come, or an empty text.
std::string reason_of(const Board& board, const std::vector<int>& missing_ranks) {
  for (const int rank : missing_ranks) {
    const RankState& state = board.state(rank);
    if (state.process != 0 && state.process != getpid() && rehearsal::has_ended(state.process)) {
      return "process " + std::to_string(state.process) + " of rank " + std::to_string(rank) +
             " has ended";
    }
    if (state.has_left) return "rank " + std::to_string(rank) + " has left the communicator";
  }
  return {};
}

/// True for the first call with a board in this process.
bool is_first_notice(const Board& board) {
  static auto* const mutex = new std::mutex;  // leaked: threads of streams may outlive main()
  static auto* const noticed_names = new std::set<std::string>;
  const std::lock_guard lock(*mutex);
  return noticed_names->insert(board.name.data()).second;
}

/// Prints what a rank waits for after some time, once for each communicator. Requires the lock.
void explain_wait(const Board& board, int device, const Condition& condition, double seconds) {
  if (seconds < notice_seconds || !is_first_notice(board)) return;
  explain_collective(
      device, text_of(board, condition, "this takes more than 1.5 s, the call goes on waiting"));
}

/// Changes with each call of a rank and each work of its device. Requires the lock.
std::uint64_t progress_of(const Board& board) {
  std::uint64_t progress = board.version;
  for (int rank = 0; rank < board.ranks; ++rank) {
    const RankState& state = board.state(rank);
    if (!state.has_left) progress += state.activity.progress;
  }
  return progress;
}

/// Requires the lock.
bool is_computing(const Board& board) {
  const auto end = board.states.begin() + board.ranks;
  return std::any_of(board.states.begin(), end, [](const RankState& state) {
    return state.activity.is_computing && !state.has_left && !rehearsal::has_ended(state.process);
  });
}

/// Measures the time in which no rank makes progress.
class IdleClock {
 public:
  /// Returns the seconds since the last progress, at the second and later calls. Those in which a
  /// rank computes count as a part: nothing tells whether it computes for ever. Requires the lock.
  [[nodiscard]] double seconds(const Board& board) {
    const auto now = clock::now();
    const double step = std::chrono::duration<double>(now - std::exchange(time_, now)).count();
    idle_seconds_ += is_computing(board) ? step / computing_factor : step;
    if (const std::uint64_t progress = progress_of(board);
        progress != std::exchange(progress_, progress)) {
      idle_seconds_ = 0;
    }
    return idle_seconds_;
  }

 private:
  std::uint64_t progress_ = 0;
  clock::time_point time_ = clock::now();
  double idle_seconds_ = 0;
};

/// Fails the board if the condition can't be met any more. Requires the lock.
bool is_hopeless(Board& board, int device, const Condition& condition, double idle_seconds) {
  std::string reason = reason_of(board, condition.missing_ranks());
  const double limit = current_settings().timeout_seconds;
  if (reason.empty() && idle_seconds > limit) {
    reason =
        "no rank has made progress for " + std::to_string(static_cast<long>(limit)) + " seconds";
  }
  if (reason.empty()) return false;
  fail(board, remote_error, -1, text_of(board, condition, reason));
  report_failure(board, device);
  return true;
}

}  // namespace

std::string text_of(const Board& board, const Condition& condition, const std::string& reason) {
  std::string text = condition.description() + "; " + reason + ":";
  for (const int rank : condition.missing_ranks()) text += "\n  " + position_of(board, rank);
  return text;
}

bool wait(Board& board, int device, const Condition& condition) {
  const auto begin = clock::now();
  IdleClock idle_clock;
  std::optional<MonitoredWait> monitored_wait;
  for (;;) {
    std::uint32_t version = 0;
    {
      const BoardLock lock(board);
      const bool has_failed = board.error != success;
      if ((!has_failed || condition.outlives_failure) && condition.is_met()) return true;
      if (has_failed) {
        report_failure(board, device);
        return false;
      }
      version = board.version.load();
      if (is_hopeless(board, device, condition, idle_clock.seconds(board))) return false;
      explain_wait(board, device, condition, seconds_since(begin));
    }
    // Without the lock: the monitor takes it within its own one.
    if (!monitored_wait) monitored_wait.emplace(board, device, condition);
    syscall(SYS_futex, &board.version, FUTEX_WAIT, version, &poll_interval, nullptr, 0);
  }
}

}  // namespace skerry::emulation::nccl
