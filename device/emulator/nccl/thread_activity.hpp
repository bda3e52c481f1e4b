// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>

namespace skerry::emulation::nccl {

struct ThreadState {
  std::uint64_t slices = 0;       ///< how often the system has run the thread
  std::uint64_t runnable_ns = 0;  ///< time in which it ran or waited for a processor
  bool is_runnable = false;       ///< now
  /// It waits without a time limit for a lock or a condition of this process, which nothing but
  /// another thread of it can change. False where the system does not tell.
  bool is_blocked = false;

  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

/// What the threads of this process do, from /proc.
struct ThreadActivity {
  std::chrono::steady_clock::time_point time;
  std::map<int, ThreadState> threads;
};

/// Returns the activity of all threads but the excluded ones, and of one that is not blocked,
/// number 0, for the handler of a signal while a timer runs.
[[nodiscard]] ThreadActivity read_thread_activity(const std::set<int>& excluded_threads);
/// True if all threads were blocked, without a break between two activities.
[[nodiscard]] bool have_all_waited(const ThreadActivity& earlier, const ThreadActivity& later);
/// True if a thread is runnable, or was for half of the time or more between two activities: one
/// that polls in intervals seldom is, even where many others use the processors.
[[nodiscard]] bool has_computed(const ThreadActivity& earlier, const ThreadActivity& later);

}  // namespace skerry::emulation::nccl
