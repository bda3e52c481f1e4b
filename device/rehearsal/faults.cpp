// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/faults.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>
#include <optional>

#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/settings.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::rehearsal {

namespace {

struct PlanOfFailure {
  std::uint64_t k = 0;
  int code = 0;
  std::optional<Entry> entry;  ///< empty: any entry
  bool sticky = false;
};

constinit std::array<std::atomic<std::uint64_t>, sizeof(cuda::Api) / sizeof(void (*)())> calls_of{};
constinit std::atomic<std::uint64_t> calls_since_armed{0};
constinit std::atomic<std::uint64_t> late_calls{0};
constinit std::atomic<bool> armed{false};
constinit std::atomic<bool> finished{false};
constinit std::array<std::atomic<int>, max_devices> sticky{};
/// Devices whose sticky error a call has returned.
constinit std::array<std::atomic<bool>, max_devices> returned{};
constinit std::mutex failure_mutex;
PlanOfFailure failure;
std::uint64_t matching_calls = 0;

constinit thread_local bool ends_the_process = false;
constinit thread_local int last_error = 0;

void arm(const PlanOfFailure& plan) noexcept {
  const std::lock_guard lock(failure_mutex);
  failure = plan;
  matching_calls = 0;
  calls_since_armed.store(0);
  armed.store(plan.k != 0);
}

int planned_failure(Entry entry) noexcept {
  const std::lock_guard lock(failure_mutex);
  if (failure.entry && *failure.entry != entry) return 0;
  if (++matching_calls != failure.k) return 0;
  armed.store(false);
  if (failure.sticky) set_sticky_error(current_ordinal(), failure.code);
  return failure.code;
}

/// After finish(), blocks every thread but the one that ends the process: the work that they wait
/// for was dropped, so they would continue with wrong results.
void stay_if_finished() noexcept {
  if (!finished.load(std::memory_order_relaxed) || ends_the_process) [[likely]]
    return;
  for (;;) pause();
}

/// True for calls that succeed even on a device with a sticky error.
bool never_fails(Entry entry) noexcept {
  using cuda::Api;
  static const Entry all[] = {&Api::driver_version, &Api::runtime_version, &Api::device_count,
                              &Api::get_device,     &Api::push_device,     &Api::pop_device,
                              &Api::get_last_error};
  return std::ranges::find(all, entry) != std::end(all);
}

/// True for calls with which memory is freed in the order of streams: destructors make them and
/// ignore their errors.
bool releases(Entry entry) noexcept {
  using cuda::Api;
  static const Entry all[] = {
      &Api::deallocate,          &Api::deallocate_async, &Api::pool_trim,
      &Api::host_deallocate,     &Api::host_unregister,  &Api::stream_destroy,
      &Api::stream_is_capturing, &Api::event_create,     &Api::event_record,
      &Api::stream_wait_event,   &Api::event_destroy,    &Api::stream_end_capture,
      &Api::graph_destroy,
  };
  return std::ranges::find(all, entry) != std::end(all);
}

/// True for calls that need no context. All others create the current device's context if it does
/// not exist.
bool needs_no_context(Entry entry) noexcept {
  using cuda::Api;
  static const Entry all[] = {&Api::get_properties,    &Api::can_access_peer,
                              &Api::pool_allow_reader, &Api::pool_set_release_threshold,
                              &Api::pool_trim,         &Api::get_pointer_attributes};
  return never_fails(entry) || std::ranges::find(all, entry) != std::end(all);
}

}  // namespace

int gate(Entry entry) noexcept {
  calls_of[entry.index].fetch_add(1, std::memory_order_relaxed);
  calls_since_armed.fetch_add(1, std::memory_order_relaxed);
  if (finished.load(std::memory_order_relaxed)) [[unlikely]] {
    late_calls.fetch_add(1);
    return return_code(cuda::runtime_unloading);  // blocks on all threads but one
  }
  if (armed.load(std::memory_order_relaxed)) [[unlikely]] {
    if (const int code = planned_failure(entry); code != 0) return return_code(code);
  }
  const int ordinal = needs_no_context(entry) ? current_ordinal() : use_current_device();
  if (const int code = sticky_error(ordinal); code != 0 && !never_fails(entry)) {
    return return_code(releases(entry) ? code : returned_error(ordinal));
  }
  return cuda::success;
}

int return_code(int code) noexcept {
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

int remembered_error() noexcept { return last_error; }
void remember_error(int code) noexcept { last_error = code; }

int sticky_error(int ordinal) noexcept {
  return sticky[static_cast<std::size_t>(ordinal)].load(std::memory_order_acquire);
}

int returned_error(int ordinal) noexcept {
  const int code = sticky_error(ordinal);
  if (code != cuda::success) returned[static_cast<std::size_t>(ordinal)].store(true);
  return code;
}

bool is_unnoticed(int ordinal) noexcept {
  return sticky_error(ordinal) != cuda::success &&
         !returned[static_cast<std::size_t>(ordinal)].load();
}

void set_sticky_error(int ordinal, int code) noexcept {
  int none = 0;
  sticky[static_cast<std::size_t>(ordinal)].compare_exchange_strong(none, code);
}

void fail_call(std::uint64_t k, int code, bool sticky_code) noexcept {
  arm({k, code, std::nullopt, sticky_code});
}

void fail_entry(Entry entry, std::uint64_t k, int code, bool sticky_code) noexcept {
  arm({k, code, entry, sticky_code});
}

void clear_errors() noexcept {
  for (auto& code : sticky) code.store(0);
  for (auto& is_returned : returned) is_returned.store(false);
  last_error = 0;
}

void clear_error(int ordinal) noexcept {
  sticky[static_cast<std::size_t>(ordinal)].store(0);
  returned[static_cast<std::size_t>(ordinal)].store(false);
}

void clear() noexcept {
  arm({});
  // Queued work must still fail, on devices that wait for a lost one too, so clear errors after it.
  if (std::ranges::any_of(sticky, [](const auto& code) { return code.load() != 0; })) {
    System& all = System::instance();
    for (int ordinal = 0; ordinal < all.count(); ++ordinal) all.wait_for_device(ordinal);
  }
  clear_errors();
}

std::uint64_t calls() noexcept { return calls_since_armed.load(); }
std::uint64_t calls(Entry entry) noexcept { return calls_of[entry.index]; }
std::uint64_t calls_after_finish() noexcept { return late_calls.load(); }

void mark_finished() noexcept {
  ends_the_process = true;
  finished.store(true);
}

}  // namespace skerry::rehearsal
