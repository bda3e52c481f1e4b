// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/thread_activity.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace skerry::emulation::nccl {

namespace {

/// True if no other process can write to the memory: it is mapped privately, as stacks are.
bool is_private(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    std::string access;
    fields >> std::hex >> begin >> dash >> end >> access;
    if (begin <= address && address < end) return access.ends_with('p');
  }
  return false;
}

/// Parses proc_pid_syscall(5): "running", or the number of the system call in which a thread waits
/// and its arguments.
void read_wait(const std::string& folder, ThreadState& state) {
  std::ifstream file(folder + "/syscall");
  std::string call;
  std::uint64_t address = 0;
  std::uint64_t operation = 0;
  std::uint64_t value = 0;
  std::uint64_t time_limit = 0;
  file >> call >> std::hex >> address >> operation >> value >> time_limit;
  state.is_runnable = call == "running";
  const std::uint64_t command = operation & FUTEX_CMD_MASK;
  // Without statistics of the scheduler, the slices are 0, and no break of the wait would be seen.
  state.is_blocked =
      !file.fail() && state.slices != 0 && call == std::to_string(SYS_futex) && time_limit == 0 &&
      (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI) &&
      // That of pthread_join has no such flag.
      ((operation & FUTEX_PRIVATE_FLAG) != 0 || is_private(address));
}

/// Returns the state of a thread, which is not blocked if it has ended meanwhile, or if the system
/// has no such files.
ThreadState read_state(const std::string& folder) {
  ThreadState state;
  std::ifstream file(folder + "/schedstat");
  std::uint64_t run_ns = 0;
  std::uint64_t queued_ns = 0;
  file >> run_ns >> queued_ns >> state.slices;
  state.runnable_ns = run_ns + queued_ns;
  if (!file.fail()) read_wait(folder, state);
  return state;
}

/// True if a signal of a timer of this process may come, whose handler may end any wait.
bool has_timer() {
  itimerval timer{};
  getitimer(ITIMER_REAL, &timer);
  std::ifstream other_timers("/proc/self/timers");
  return timerisset(&timer.it_value) || other_timers.peek() != std::ifstream::traits_type::eof();
}

}  // namespace

ThreadActivity read_thread_activity(const std::set<int>& excluded_threads) {
  ThreadActivity activity{.time = std::chrono::steady_clock::now(), .threads = {}};
  // Before the threads: if the signal comes after this, its thread is not blocked below.
  const bool is_interruptible = has_timer();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (excluded_threads.contains(thread)) continue;
    activity.threads.emplace(thread, read_state(entry.path()));
  }
  // Without the files, nothing is known.
  if (error || is_interruptible) activity.threads.emplace(0, ThreadState());
  return activity;
}

bool have_all_waited(const ThreadActivity& earlier, const ThreadActivity& later) {
  const auto is_blocked = [](const std::pair<const int, ThreadState>& entry) {
    return entry.second.is_blocked;
  };
  return std::ranges::all_of(later.threads, is_blocked) && earlier.threads == later.threads;
}

bool has_computed(const ThreadActivity& earlier, const ThreadActivity& later) {
  const std::chrono::nanoseconds duration = later.time - earlier.time;
  const auto min_ns = static_cast<std::uint64_t>(duration.count()) / 2;
  return std::ranges::any_of(later.threads, [&](const std::pair<const int, ThreadState>& entry) {
    const auto match = earlier.threads.find(entry.first);
    return entry.second.is_runnable ||
           (match != earlier.threads.end() &&
            entry.second.runnable_ns >= match->second.runnable_ns + min_ns);
  });
}

}  // namespace skerry::emulation::nccl
