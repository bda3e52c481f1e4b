// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/streams.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

std::shared_ptr<void> StreamSet::create() {
  const DeviceGuard guard(on_);
  void* handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // One whose old work has ended, so that a new stream starts idle.
    for (auto each = idle_.begin(); each != idle_.end(); ++each) {
      if (!is_done(call<&Api::stream_query>(*each), on_, "stream")) continue;
      handle = *each;
      idle_.erase(each);
      break;
    }
  }
  if (handle == nullptr) {
    check(call<&Api::stream_create>(&handle), on_, "stream");
    const std::lock_guard lock(mutex_);
    all_.push_back(std::make_unique<Member>(on_, handle, false));
  }
  return {handle, [this](void* last) { give_back(last); }};
}

bool StreamSet::made(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  const Member* const found = find_member(handle);
  return found != nullptr && !found->is_foreign;
}

void StreamSet::give_back(void* handle) noexcept {
  if (!alive()) return;
  try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  } catch (const std::bad_alloc&) {
    // The stream is lost, which costs some memory of the driver.
  }
}

/// Never one of a per-thread stream, whose handle says nothing. A new stream may have the handle of
/// a foreign one that is gone. With the lock held.
StreamSet::Member* StreamSet::find_member(void* handle) noexcept {
  if (handle == per_thread_stream) return nullptr;
  Member* found = nullptr;
  for (const auto& each : all_) {
    if (each->work.handle() != handle) continue;
    if (!each->is_foreign) return each.get();
    found = each.get();
  }
  return found;
}

/// For a foreign stream that has none. With the lock held.
StreamSet::Member& StreamSet::take_member(void* handle) {
  for (const auto& each : all_) {
    if (each->is_foreign && each->entered == 0 && each->work.try_reopen(handle)) return *each;
  }
  all_.push_back(std::make_unique<Member>(on_, handle, true));
  return *all_.back();
}

Timeline& StreamSet::enter(void* handle) {
  if (handle == legacy_stream) return legacy_;
  const std::lock_guard lock(mutex_);
  Member* found = find_member(handle);
  if (found == nullptr) {
    found = &take_member(handle);
  } else if (found->is_foreign && found->entered == 0) {
    found->work.reopen();
  }
  if (found->is_foreign) ++found->entered;
  return found->work;
}

void StreamSet::leave(Timeline& entered) noexcept {
  if (&entered == &legacy_ || !alive()) return;
  bool is_closed = true;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : all_) {
      if (&each->work != &entered) continue;
      if (each->is_foreign && --each->entered == 0) is_closed = entered.close();
      break;
    }
  }
  // Its owner may destroy the stream when this has returned. What is lost stays so.
  if (!is_closed) static_cast<void>(entered.finish());
}

Timeline* StreamSet::find(void* handle) noexcept {
  if (handle == legacy_stream) return &legacy_;
  const std::lock_guard lock(mutex_);
  Member* const found = find_member(handle);
  return found == nullptr ? nullptr : &found->work;
}

std::vector<StreamUse> StreamSet::end_stretches() {
  const std::lock_guard lock(mutex_);
  std::vector<StreamUse> ended;
  ended.reserve(all_.size() + 1);
  ended.push_back({&legacy_, legacy_.end_stretch()});
  for (const auto& each : all_) ended.push_back({&each->work, each->work.end_stretch()});
  return ended;
}

int StreamSet::take_event(SharedEvent*& event) noexcept {
  {
    const std::lock_guard lock(events_mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
      event->holders.store(1);
      return success;
    }
  }
  event = new (std::nothrow) SharedEvent;
  if (event == nullptr) return memory_allocation;
  const int code = call<&Api::event_create>(&event->handle);
  if (code != success) delete std::exchange(event, nullptr);
  return code;
}

void StreamSet::give_event(SharedEvent* event) noexcept {
  if (event->holders.fetch_sub(1) != 1) return;
  try {
    const std::lock_guard lock(events_mutex_);
    spare_events_.push_back(event);
  } catch (const std::bad_alloc&) {
    const DeviceGuard guard(on_, std::nothrow);
    if (guard.ok()) note_failure(call<&Api::event_destroy>(event->handle), on_, "event");
    delete event;
  }
}

std::shared_ptr<void> StreamSet::create_timed_event() {
  const DeviceGuard guard(on_);
  void* handle = nullptr;
  check(call<&Api::event_create_timed>(&handle), on_, "event");
  DeviceState* on = &on_;
  return {handle, [on](void* last) {
            if (!alive() || on->lost()) return;
            const DeviceGuard inside(*on, std::nothrow);
            if (inside.ok()) note_failure(call<&Api::event_destroy>(last), *on, "event");
          }};
}

void join(DeviceState& waiting, void* later, DeviceState& on, void* earlier) {
  constexpr const char* joining = "stream";
  note_source(waiting, on);
  SharedEvent* event = nullptr;
  {
    const DeviceGuard guard(on);
    check(on.streams->take_event(event), on, joining);
  }
  // A wait takes a copy of the recorded point, so that the event is free again.
  struct Giver {
    ~Giver() { to.give_event(event); }
    StreamSet& to;
    SharedEvent* event;
  } const giving{*on.streams, event};
  {
    const DeviceGuard guard(on);
    check(call<&Api::event_record>(event->handle, earlier), on, joining);
  }
  const DeviceGuard guard(waiting);
  check(call<&Api::stream_wait_event>(later, event->handle), waiting, joining);
}

bool is_done(int code, DeviceState& on, const char* what) {
  if (code == not_ready) {
    forget_last_error();
    return false;
  }
  check(code, on, what);
  return true;
}

}  // namespace skerry::cuda
