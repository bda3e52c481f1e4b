// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/interruption.hpp"

#include <atomic>
#include <csignal>
#include <mutex>

namespace skerry::emulation {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_end{1};

// Written by the handler.
constinit std::atomic<std::uint64_t> count{0};
constinit std::atomic<clock::rep> last_at{0};
static_assert(decltype(count)::is_always_lock_free && decltype(last_at)::is_always_lock_free);

constinit std::mutex mutex;
int watches = 0;
/// Whose turn it is after ours. It stays when ours is gone: who saved ours may put it back.
struct sigaction next{};

void on_interruption(int number, siginfo_t* about, void* context) {
  last_at.store(clock::now().time_since_epoch().count());
  count.fetch_add(1);
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(number, about, context);
  } else {
    next.sa_handler(number);
  }
}

[[nodiscard]] bool is_ours(const struct sigaction& of) noexcept {
  return (of.sa_flags & SA_SIGINFO) != 0 && of.sa_sigaction == on_interruption;
}

[[nodiscard]] bool is_function(const struct sigaction& of) noexcept {
  if ((of.sa_flags & SA_SIGINFO) != 0) return of.sa_sigaction != nullptr;
  return of.sa_handler != SIG_DFL && of.sa_handler != SIG_IGN;
}

}  // namespace

std::uint64_t interruptions() noexcept { return count.load(); }

InterruptionWatch::InterruptionWatch() noexcept {
  const std::lock_guard lock(mutex);
  ++watches;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0 || is_ours(now) || !is_function(now)) return;
  next = now;
  struct sigaction ours = now;  // its mask, and whether calls go on
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interruption;
  static_cast<void>(sigaction(SIGINT, &ours, nullptr));
}

InterruptionWatch::~InterruptionWatch() {
  const std::lock_guard lock(mutex);
  if (--watches != 0) return;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now)) {
    static_cast<void>(sigaction(SIGINT, &next, nullptr));
  }
}

bool has_to_end(std::uint64_t before, clock::time_point now) noexcept {
  const std::uint64_t since = count.load() - before;
  if (since == 0) return false;
  return since > 1 || now - clock::time_point(clock::duration(last_at.load())) > time_to_end;
}

}  // namespace skerry::emulation
