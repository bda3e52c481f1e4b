// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/host_action.hpp"

#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "device/fault.hpp"
#include "device/memory_pressure.hpp"

namespace skerry {

namespace {

/// The innermost announcement of this thread that is recorded.
constinit thread_local Announcement* current_announcement = nullptr;

/// This thread rejects waits of the host and copies from or to it.
constinit thread_local bool is_rejecting = false;

constinit std::mutex observers_mutex;
/// Set by set_action_observer().
constinit std::atomic<ActionObserver> outer_observer{nullptr};
int rejections = 0;  ///< of all threads

std::shared_ptr<ActionRecord> reject_or_observe(const HostAction& action) {
  const bool is_of_host =
      action.kind == ActionKind::transfer && (is_host(action.source) || is_host(action.target));
  if (is_rejecting && action.is_rejectable && (action.waits || is_of_host)) {
    std::string text = action.cause;
    if (action.nbytes != 0) text += ", " + byte_text(action.nbytes);
    throw GuardError(
        "a captured function can't make the host wait, or exchange values with it: " + text + ", " +
        to_string(is_host(action.source) ? action.target : action.source) +
        "; do it before or after the capture, or keep the values on the device");
  }
  const ActionObserver observer = outer_observer.load(std::memory_order_acquire);
  return observer != nullptr ? observer(action) : nullptr;
}

/// Requires the lock.
void choose_observer() noexcept {
  detail::action_observer.store(rejections != 0 ? reject_or_observe : outer_observer.load(),
                                std::memory_order_release);
}

}  // namespace

void set_action_observer(ActionObserver observer, bool observes_allocations) noexcept {
  const std::lock_guard lock(observers_mutex);
  detail::announce_allocations(observer != nullptr && observes_allocations);
  outer_observer.store(observer, std::memory_order_release);
  choose_observer();
}

HostActionRejection::HostActionRejection() noexcept {
  const std::lock_guard lock(observers_mutex);
  ++rejections;
  choose_observer();
  is_rejecting = true;
}

HostActionRejection::~HostActionRejection() {
  is_rejecting = false;
  const std::lock_guard lock(observers_mutex);
  --rejections;
  choose_observer();
}

HostActionAllowance::HostActionAllowance() noexcept
    : was_rejecting_(std::exchange(is_rejecting, false)) {}

HostActionAllowance::~HostActionAllowance() { is_rejecting = was_rejecting_; }

void Announcement::begin(ActionObserver observer, const HostAction& action) {
  if (action.is_rejectable) {
    record_ = observer(action);
  } else {
    // A wait inside an announced one is part of it.
    if (current_announcement != nullptr && current_announcement->record_->action.waits) return;
    try {
      record_ = observer(action);
    } catch (...) {
      return;  // no memory for a record: go on without one
    }
  }
  if (record_ == nullptr) return;
  exceptions_ = std::uncaught_exceptions();
  outer_ = std::exchange(current_announcement, this);
}

void Announcement::end() noexcept {
  current_announcement = outer_;
  record_->end.store(host_time(), std::memory_order_relaxed);
  if (std::uncaught_exceptions() > exceptions_) record_->has_failed.store(true);
}

void detail::count_wait_slow() noexcept {
  if (current_announcement != nullptr)
    current_announcement->record_->waits.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace skerry
