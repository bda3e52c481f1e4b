// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/host_action.hpp"

#include <exception>
#include <utility>

#include "device/fault.hpp"

namespace skerry {

namespace {

/// The innermost announcement of this thread that is recorded.
constinit thread_local Announcement* current_announcement = nullptr;

}  // namespace

void set_action_observer(ActionObserver observer, bool observes_allocations) noexcept {
  detail::announce_allocations(observer != nullptr && observes_allocations);
  detail::action_observer.store(observer, std::memory_order_release);
}

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
  if (std::uncaught_exceptions() > exceptions_) record_->has_failed.store(true);
}

void detail::count_wait_slow() noexcept {
  if (current_announcement != nullptr)
    current_announcement->record_->waits.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace skerry
