// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/faults.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/settings.hpp"

namespace skerry::rehearsal {

namespace {

constexpr int any_entry = -1;

struct plan_of_failure {
  std::uint64_t k = 0;
  int code = 0;
  int which = any_entry;
  bool sticky = false;
};

constinit std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(entry::count_of_entries)>
    calls_of{};
constinit std::atomic<std::uint64_t> calls_since_armed{0};
constinit std::atomic<std::uint64_t> late_calls{0};
constinit std::atomic<bool> armed{false};
constinit std::atomic<bool> finished{false};
constinit std::array<std::atomic<int>, most_devices> sticky{};
constinit std::mutex failure_mutex;
plan_of_failure failure;
std::uint64_t matching_calls = 0;

constinit thread_local bool ends_the_process = false;
constinit thread_local int last_error = 0;

void arm(const plan_of_failure& plan) noexcept {
  const std::lock_guard lock(failure_mutex);
  failure = plan;
  matching_calls = 0;
  calls_since_armed.store(0);
  armed.store(plan.k != 0);
}

int planned_failure(entry which) noexcept {
  const std::lock_guard lock(failure_mutex);
  if (failure.which != any_entry && failure.which != static_cast<int>(which)) return 0;
  if (++matching_calls != failure.k) return 0;
  armed.store(false);
  if (failure.sticky) set_sticky_error(current_ordinal(), failure.code);
  return failure.code;
}

/// Nothing that a thread was told then is true: what it waited for was dropped.
void stay_if_finished() noexcept {
  if (!finished.load(std::memory_order_relaxed) || ends_the_process) [[likely]]
    return;
  for (;;) pause();
}

/// These answer even on a device with a sticky error.
constexpr bool always_answers(entry which) noexcept {
  switch (which) {
    case entry::driver_version:
    case entry::runtime_version:
    case entry::device_count:
    case entry::get_device:
    case entry::push_device:
    case entry::pop_device:
    case entry::get_last_error:
      return true;
    default:
      return false;
  }
}

/// All others work in the current context, and make it where there is none.
constexpr bool needs_no_context(entry which) noexcept {
  switch (which) {
    case entry::get_properties:
    case entry::can_access_peer:
    case entry::pool_allow_reader:
    case entry::pool_set_release_threshold:
    case entry::pool_trim:
    case entry::get_pointer_attributes:
      return true;
    default:
      return always_answers(which);
  }
}

}  // namespace

int gate(entry which) noexcept {
  calls_of[static_cast<std::size_t>(which)].fetch_add(1, std::memory_order_relaxed);
  calls_since_armed.fetch_add(1, std::memory_order_relaxed);
  if (finished.load(std::memory_order_relaxed)) [[unlikely]] {
    late_calls.fetch_add(1);
    return leave(cuda::runtime_unloading);  // returns on one thread only
  }
  if (armed.load(std::memory_order_relaxed)) [[unlikely]] {
    if (const int code = planned_failure(which); code != 0) return leave(code);
  }
  const int ordinal = needs_no_context(which) ? current_ordinal() : use_current_device();
  if (const int code = sticky_error(ordinal); code != 0 && !always_answers(which)) {
    return leave(code);
  }
  return cuda::success;
}

int leave(int code) noexcept {
  stay_if_finished();
  if (code != cuda::success) last_error = code;
  return code;
}

int take_last_error() noexcept {
  if (const int code = sticky_error(current_ordinal()); code != 0) return code;
  const int code = last_error;
  last_error = 0;
  return code;
}

int last_error_here() noexcept {
  const int code = sticky_error(current_ordinal());
  return code != 0 ? code : last_error;
}

int sticky_error(int ordinal) noexcept {
  return sticky[static_cast<std::size_t>(ordinal)].load(std::memory_order_acquire);
}

void set_sticky_error(int ordinal, int code) noexcept {
  int none = 0;
  sticky[static_cast<std::size_t>(ordinal)].compare_exchange_strong(none, code);
}

void fail_call(std::uint64_t k, int code, bool sticky_code) noexcept {
  arm({k, code, any_entry, sticky_code});
}

void fail_entry(entry which, std::uint64_t k, int code, bool sticky_code) noexcept {
  arm({k, code, static_cast<int>(which), sticky_code});
}

void clear() noexcept {
  arm({});
  for (auto& code : sticky) code.store(0);
  last_error = 0;
}

std::uint64_t calls() noexcept { return calls_since_armed.load(); }
std::uint64_t calls(entry which) noexcept { return calls_of[static_cast<std::size_t>(which)]; }
std::uint64_t calls_after_finish() noexcept { return late_calls.load(); }

void mark_finished() noexcept {
  ends_the_process = true;
  finished.store(true);
}

}  // namespace skerry::rehearsal
