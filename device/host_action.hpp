// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "core/device.hpp"
#include "core/errors.hpp"

// Copies between memories, waits of the host and allocations are announced here before they happen,
// so that the layer above can record or reject them.

namespace skerry {

/// An observer rejected an announced action, which therefore does not happen.
class GuardError : public ErrorOf<std::runtime_error> {  // GuardError(RuntimeError)
  using ErrorOf::ErrorOf;
};

enum class ActionKind : std::uint8_t { transfer, sync, allocation };

/// What a call is about to do. A transfer that `waits` is also a wait of the host.
struct HostAction {
  ActionKind kind = ActionKind::sync;
  const char* cause = nullptr;  ///< what makes it necessary; a literal
  Device source{};              ///< of a copy; else the device that is waited for or allocates
  Device target{};              ///< of a copy
  std::size_t nbytes = 0;
  void* stream = nullptr;  ///< null for a device's work as a whole
  bool is_page_locked = false;
  bool waits = false;
  bool is_rejectable = true;
};

/// Returns the time of the host in nanoseconds. Its origin is that of Python's perf_counter.
[[nodiscard]] inline std::int64_t host_time() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// An observer's record of an announced action.
struct ActionRecord {
  explicit ActionRecord(const HostAction& announced) noexcept
      : action(announced), begin(host_time()), end(begin) {}
  virtual ~ActionRecord() = default;
  ActionRecord(const ActionRecord&) = delete;
  ActionRecord& operator=(const ActionRecord&) = delete;

  const HostAction action;
  const std::int64_t begin;        ///< of host_time()
  std::atomic<std::int64_t> end;   ///< `begin` until then
  std::atomic<unsigned> waits{0};  ///< calls of the device's runtime that waited
  std::atomic<bool> has_failed{false};
};

/// Called on the thread that is about to act, with or without the outer lock. Returns null if it
/// does not record the action. Throws GuardError to reject a rejectable action.
using ActionObserver = std::shared_ptr<ActionRecord> (*)(const HostAction& action);

/// Sets the observer; null for none. Allocations are announced only on request, since they are much
/// more frequent.
void set_action_observer(ActionObserver observer, bool observes_allocations) noexcept;

/// Describes a wait that can't be rejected: the caller is not in a state to throw.
[[nodiscard]] inline HostAction internal_wait(const char* cause, Device device,
                                              void* stream = nullptr) noexcept {
  return {
      .cause = cause, .source = device, .stream = stream, .waits = true, .is_rejectable = false};
}

/// Describes a wait inside a library of the device. There is none on the CPU.
[[nodiscard]] inline HostAction library_wait(const char* cause, Device device) noexcept {
  return {.cause = cause, .source = device, .waits = !is_host(device)};
}

/// Until it is destroyed, rejects this thread's waits of the host and copies from or to the host,
/// as a graph can't contain them. Other observers are called, too.
class HostActionRejection {
 public:
  HostActionRejection() noexcept;
  HostActionRejection(const HostActionRejection&) = delete;
  HostActionRejection& operator=(const HostActionRejection&) = delete;
  ~HostActionRejection();
};

/// Suspends a rejection on this thread, for waits that concern no captured work.
class HostActionAllowance {
 public:
  HostActionAllowance() noexcept;
  HostActionAllowance(const HostActionAllowance&) = delete;
  HostActionAllowance& operator=(const HostActionAllowance&) = delete;
  ~HostActionAllowance();

 private:
  bool was_rejecting_;
};

namespace detail {

inline constinit std::atomic<ActionObserver> action_observer{nullptr};
void count_wait_slow() noexcept;

}  // namespace detail

/// Announces an action, and attributes to it the waits of this thread during its lifetime. Without
/// an observer it costs one load, and `describe`, which returns the HostAction, is not called.
class Announcement {
 public:
  template <std::invocable Describe>
  explicit Announcement(const Describe& describe) {
    if (const auto observer = detail::action_observer.load(std::memory_order_acquire)) [[unlikely]]
      begin(observer, describe());
  }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  ~Announcement() {
    if (record_ != nullptr) [[unlikely]]
      end();
  }

 private:
  friend void detail::count_wait_slow() noexcept;
  void begin(ActionObserver observer, const HostAction& action);
  void end() noexcept;

  std::shared_ptr<ActionRecord> record_;
  Announcement* outer_ = nullptr;
  int exceptions_ = 0;
};

/// Notes that this thread has waited for a device.
inline void count_wait() noexcept {
  if (detail::action_observer.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    detail::count_wait_slow();
}

}  // namespace skerry
