// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/interruption.hpp"

#include <atomic>
#include <csignal>
#include <mutex>

namespace skerry::emulation {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds grace_period{1};

// Written by the signal handler.
constinit std::atomic<std::uint64_t> count{0};
constinit std::atomic<clock::rep> last_time{0};
static_assert(decltype(count)::is_always_lock_free && decltype(last_time)::is_always_lock_free);

constinit std::mutex mutex;
int monitor_count = 0;
/// The handler that ours calls. Kept after ours is removed: code that saved ours may reinstall it.
struct sigaction previous_action{};

void on_interruption(int number, siginfo_t* info, void* context) {
  last_time.store(clock::now().time_since_epoch().count());
  count.fetch_add(1);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, info, context);
  } else {
    previous_action.sa_handler(number);
  }
}

[[nodiscard]] bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_interruption;
}

[[nodiscard]] bool is_function(const struct sigaction& action) noexcept {
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction != nullptr;
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace

std::uint64_t interruptions() noexcept { return count.load(); }

InterruptionMonitor::InterruptionMonitor() noexcept {
  const std::lock_guard lock(mutex);
  ++monitor_count;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0 || is_ours(now) || !is_function(now)) return;
  previous_action = now;
  struct sigaction ours = now;  // keeps the mask and SA_RESTART
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interruption;
  static_cast<void>(sigaction(SIGINT, &ours, nullptr));
}

InterruptionMonitor::~InterruptionMonitor() {
  const std::lock_guard lock(mutex);
  if (--monitor_count != 0) return;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now)) {
    static_cast<void>(sigaction(SIGINT, &previous_action, nullptr));
  }
}

bool has_to_end(std::uint64_t interruptions_before, clock::time_point now) noexcept {
  const std::uint64_t since = count.load() - interruptions_before;
  if (since == 0) return false;
  return since > 1 || now - clock::time_point(clock::duration(last_time.load())) > grace_period;
}

}  // namespace skerry::emulation
