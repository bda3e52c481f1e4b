// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/thread_activity.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace skerry::emulation::nccl {

namespace {

/// Parses proc_pid_syscall(5): the number of the system call in which a thread waits, and its
/// arguments. It is another text if the thread runs.
bool is_blocked(const std::string& folder) {
  std::ifstream file(folder + "/syscall");
  long number = -1;
  std::uint64_t address = 0;
  std::uint64_t operation = 0;
  std::uint64_t value = 0;
  std::uint64_t time_limit = 0;
  file >> number >> std::hex >> address >> operation >> value >> time_limit;
  if (!file || number != SYS_futex || time_limit != 0) return false;
  const std::uint64_t command = operation & FUTEX_CMD_MASK;
  return (operation & FUTEX_PRIVATE_FLAG) != 0 &&
         (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI);
}

/// Reads what the scheduler counts. False where the system has no such file.
bool read_times(const std::string& folder, ThreadTimes& times) {
  std::ifstream file(folder + "/schedstat");
  std::uint64_t run_ns = 0;
  std::uint64_t queued_ns = 0;
  file >> run_ns >> queued_ns >> times.slices;
  times.runnable_ns = run_ns + queued_ns;
  return !file.fail();
}

}  // namespace

ThreadActivity read_thread_activity(const std::set<int>& excluded_threads) {
  ThreadActivity activity{.time = std::chrono::steady_clock::now(), .threads = {}};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (excluded_threads.contains(thread)) continue;
    ThreadTimes times;
    // A thread that ends meanwhile has no files any more, and counts as one that runs.
    const bool has_times = read_times(entry.path(), times);
    activity.are_all_blocked = has_times && activity.are_all_blocked && is_blocked(entry.path());
    activity.threads.emplace(thread, times);
  }
  activity.are_all_blocked = activity.are_all_blocked && !error;
  return activity;
}

bool have_all_waited(const ThreadActivity& earlier, const ThreadActivity& later) {
  return earlier.are_all_blocked && later.are_all_blocked && earlier.threads == later.threads;
}

bool has_computed(const ThreadActivity& earlier, const ThreadActivity& later) {
  const std::chrono::nanoseconds duration = later.time - earlier.time;
  const auto min_ns = static_cast<std::uint64_t>(duration.count()) / 2;
  return std::ranges::any_of(later.threads, [&](const std::pair<const int, ThreadTimes>& entry) {
    const auto match = earlier.threads.find(entry.first);
    return match != earlier.threads.end() &&
           entry.second.runnable_ns >= match->second.runnable_ns + min_ns;
  });
}

}  // namespace skerry::emulation::nccl
