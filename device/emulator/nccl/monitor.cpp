// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/monitor.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/emulator/nccl/thread_activity.hpp"
#include "device/emulator/processor_time.hpp"
#include "device/emulator/runtime/running_work.hpp"
#include "device/rehearsal/processes.hpp"

namespace skerry::emulation::nccl {

namespace {

constexpr std::chrono::milliseconds min_pause{50};
/// By the processor time of a sample: those of many threads must not slow the program down.
constexpr int pause_factor = 10;

/// glibc 2.28, for which wheels are built, has no gettid.
int own_thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

struct Member {
  Board* board;
  int rank;
};

/// The processes that can only be unblocked by each other, by what they do.
using ProcessGroup = std::map<int, ProcessActivity>;

class Monitor {
 public:
  void add(const Member& member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(member);
    if (!is_running_) std::thread([this] { run(); }).detach();
    is_running_ = true;
    member_added_.notify_one();
  }

  void remove(const Board& board) {
    const std::lock_guard lock(mutex_);
    std::erase_if(members_, [&](const Member& member) { return member.board == &board; });
  }

  void add(const MonitoredWait& wait) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(&wait);
    ++changes_;
  }

  void remove(const MonitoredWait& wait) {
    const std::lock_guard lock(mutex_);
    std::erase(waits_, &wait);
    ++changes_;
  }

 private:
  [[noreturn]] void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      member_added_.wait(lock, [&] { return !members_.empty(); });
      const std::chrono::nanoseconds begin = processor_time();
      if (has_wait()) {
        sample();
        if (is_deadlock()) fail_waits();
      } else {
        earlier_.reset();
      }
      lock.unlock();
      std::this_thread::sleep_for(min_pause + pause_factor * (processor_time() - begin));
    }
  }

  /// True if a call waits, in any process.
  [[nodiscard]] bool has_wait() const {
    return std::ranges::any_of(members_,
                               [](const Member& member) { return member.board->waits != 0; });
  }

  /// Publishes what this process has done since the last sample.
  void sample() {
    const bool has_changed = std::exchange(sampled_changes_, changes_) != changes_;
    std::optional<ThreadActivity> threads;
    if (!has_changed) threads = read_thread_activity(unwatched_threads());
    const bool is_comparable = earlier_ && threads;
    const bool is_blocked =
        is_comparable && have_all_waited(*earlier_, *threads) && is_each_wait_open();
    ++own_.samples;
    const WorkCounts counts = work_counts();
    const bool has_worked =
        counts.begun != counts.ended || counts != std::exchange(sampled_work_, counts);
    if (has_changed || has_worked) ++own_.progress;
    if (is_comparable) own_.is_computing = has_computed(*earlier_, *threads);
    if (!is_blocked) {
      own_.blocked_since = 0;
    } else if (own_.blocked_since == 0) {
      own_.blocked_since = own_.samples;
    }
    earlier_ = std::move(threads);
    if (!set_awaited_processes()) own_.blocked_since = 0;
    for (const Member& member : members_) {
      const BoardLock lock(*member.board);
      member.board->state(member.rank).activity = own_;
    }
  }

  /// Returns the monitor's own thread and those that wait in calls of NCCL.
  [[nodiscard]] std::set<int> unwatched_threads() const {
    std::set<int> threads{own_thread_id()};
    for (const MonitoredWait* const wait : waits_) threads.insert(wait->thread());
    return threads;
  }

  /// False if a thread is about to leave its wait.
  [[nodiscard]] bool is_each_wait_open() const {
    return std::ranges::all_of(waits_, [](const MonitoredWait* wait) {
      const BoardLock lock(wait->board());
      return wait->board().error == success && !wait->condition().is_met();
    });
  }

  /// Sets the processes of all ranks of the boards on which this one waits. False if one of them is
  /// not known yet, or they are too many.
  [[nodiscard]] bool set_awaited_processes() {
    std::set<int> processes;
    for (const MonitoredWait* const wait : waits_) {
      const Board& board = wait->board();
      const BoardLock lock(wait->board());
      for (int rank = 0; rank < board.ranks; ++rank) {
        const RankState& state = board.state(rank);
        if (!state.has_left) processes.insert(state.process);
      }
    }
    processes.erase(getpid());
    std::erase_if(processes,
                  [](int process) { return process != 0 && rehearsal::has_ended(process); });
    own_.awaited_processes = {};
    if (processes.contains(0) || processes.size() > own_.awaited_processes.size()) return false;
    std::ranges::copy(processes, own_.awaited_processes.begin());
    return true;
  }

  /// Returns what a process has published on a board of this one.
  [[nodiscard]] std::optional<ProcessActivity> activity_of(int process) const {
    for (const Member& member : members_) {
      const BoardLock lock(*member.board);
      for (int rank = 0; rank < member.board->ranks; ++rank) {
        const RankState& state = member.board->state(rank);
        if (state.process == process && !state.has_left) return state.activity;
      }
    }
    return std::nullopt;
  }

  /// Returns this process and those that it waits for, directly or indirectly; nothing if one of
  /// them may act.
  [[nodiscard]] std::optional<ProcessGroup> blocked_group() const {
    ProcessGroup group;
    std::vector<int> processes{getpid()};
    while (!processes.empty()) {
      const int process = processes.back();
      processes.pop_back();
      if (process == 0 || group.contains(process)) continue;
      const std::optional<ProcessActivity> activity = activity_of(process);
      if (!activity || activity->blocked_since == 0) return std::nullopt;
      group.emplace(process, *activity);
      processes.insert(processes.end(), activity->awaited_processes.begin(),
                       activity->awaited_processes.end());
    }
    return group;
  }

  /// True if all processes of the group were blocked at the same time: when their activities were
  /// first read. Each has begun a sample since then that found it still blocked.
  [[nodiscard]] bool is_deadlock() {
    const std::optional<ProcessGroup> group = waits_.empty() ? std::nullopt : blocked_group();
    const auto is_since_first = [&](const std::pair<const int, ProcessActivity>& entry) {
      const auto first = first_group_->find(entry.first);
      return first != first_group_->end() && entry.second.blocked_since <= first->second.samples;
    };
    if (!group || !first_group_ || !std::ranges::all_of(*group, is_since_first)) {
      first_group_ = group;
      return false;
    }
    // The sample after the one of the first reading may have begun before it.
    return std::ranges::all_of(*group, [&](const std::pair<const int, ProcessActivity>& entry) {
      return entry.second.samples >= first_group_->at(entry.first).samples + 2;
    });
  }

  void fail_waits() {
    for (const MonitoredWait* const wait : waits_) {
      Board& board = wait->board();
      const BoardLock lock(board);
      if (board.error != success) continue;
      fail(board, remote_error, -1,
           text_of(board, wait->condition(),
                   "deadlock: all threads of its ranks wait for others or have ended"));
      report_failure(board, wait->device());
    }
  }

  std::mutex mutex_;
  std::condition_variable member_added_;
  bool is_running_ = false;
  std::vector<Member> members_;
  std::vector<const MonitoredWait*> waits_;  ///< the oldest first
  std::uint64_t changes_ = 0;                ///< of waits_
  std::uint64_t sampled_changes_ = 0;
  WorkCounts sampled_work_;
  std::optional<ThreadActivity> earlier_;  ///< of the last sample
  ProcessActivity own_ = {};
  std::optional<ProcessGroup> first_group_;  ///< of the first reading since a change
};

Monitor& monitor() {
  static auto* const the_monitor = new Monitor;  // leaked: its thread outlives main()
  return *the_monitor;
}

}  // namespace

void add_member(Board& board, int rank) { monitor().add(Member{.board = &board, .rank = rank}); }
void remove_member(const Board& board) { monitor().remove(board); }

MonitoredWait::MonitoredWait(Board& board, int device, const Condition& condition)
    : board_(board), device_(device), condition_(condition), thread_(own_thread_id()) {
  board_.waits.fetch_add(1);
  monitor().add(*this);
}

MonitoredWait::~MonitoredWait() {
  monitor().remove(*this);
  board_.waits.fetch_sub(1);
}

}  // namespace skerry::emulation::nccl
