// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/streams.hpp"

#include <algorithm>
#include <new>

#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

std::shared_ptr<void> stream_set::create() {
  const device_guard guard(on_);
  void* handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // One whose old work has ended, so that a new stream starts idle.
    for (auto each = idle_.begin(); each != idle_.end(); ++each) {
      if (!is_done(calls().stream_query(*each), on_, "stream")) continue;
      handle = *each;
      idle_.erase(each);
      break;
    }
  }
  if (handle == nullptr) {
    check(calls().stream_create(&handle), on_, "stream");
    const std::lock_guard lock(mutex_);
    all_.push_back(std::make_unique<member>(on_, handle, false));
  }
  return {handle, [this](void* last) { give_back(last); }};
}

bool stream_set::made(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  const member* const found = find_member(handle);
  return found != nullptr && !found->is_foreign;
}

void stream_set::give_back(void* handle) noexcept {
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
stream_set::member* stream_set::find_member(void* handle) noexcept {
  if (handle == per_thread_stream) return nullptr;
  member* found = nullptr;
  for (const auto& each : all_) {
    if (each->work.handle() != handle) continue;
    if (!each->is_foreign) return each.get();
    found = each.get();
  }
  return found;
}

/// For a foreign stream that has none. With the lock held.
stream_set::member& stream_set::take_member(void* handle) {
  for (const auto& each : all_) {
    if (each->is_foreign && each->entered == 0 && each->work.try_reopen(handle)) return *each;
  }
  all_.push_back(std::make_unique<member>(on_, handle, true));
  return *all_.back();
}

timeline& stream_set::enter(void* handle) {
  if (handle == legacy_stream) return legacy_;
  const std::lock_guard lock(mutex_);
  member* found = find_member(handle);
  if (found == nullptr) {
    found = &take_member(handle);
  } else if (found->is_foreign && found->entered == 0) {
    found->work.reopen();
  }
  if (found->is_foreign) ++found->entered;
  return found->work;
}

void stream_set::leave(timeline& entered) noexcept {
  if (&entered == &legacy_ || !alive()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& each : all_) {
    if (&each->work != &entered) continue;
    if (each->is_foreign && --each->entered == 0) entered.close();
    return;
  }
}

timeline* stream_set::find(void* handle) noexcept {
  if (handle == legacy_stream) return &legacy_;
  const std::lock_guard lock(mutex_);
  member* const found = find_member(handle);
  return found == nullptr ? nullptr : &found->work;
}

std::vector<stream_use> stream_set::end_stretches() {
  const std::lock_guard lock(mutex_);
  std::vector<stream_use> ended;
  ended.reserve(all_.size() + 1);
  ended.push_back({&legacy_, legacy_.end_stretch()});
  for (const auto& each : all_) ended.push_back({&each->work, each->work.end_stretch()});
  return ended;
}

void* stream_set::take_event() noexcept {
  const std::lock_guard lock(events_mutex_);
  if (spare_events_.empty()) return nullptr;
  void* const event = spare_events_.back();
  spare_events_.pop_back();
  return event;
}

void stream_set::give_event(void* event) noexcept {
  try {
    const std::lock_guard lock(events_mutex_);
    spare_events_.push_back(event);
  } catch (const std::bad_alloc&) {
    const device_guard guard(on_, std::nothrow);
    if (guard.ok()) check_silently(calls().event_destroy(event), on_, "event");
  }
}

std::shared_ptr<void> stream_set::create_timed_event() {
  const device_guard guard(on_);
  void* handle = nullptr;
  check(calls().event_create_timed(&handle), on_, "event");
  device_state* on = &on_;
  return {handle, [on](void* last) {
            if (!alive() || on->lost()) return;
            const device_guard inside(*on, std::nothrow);
            if (inside.ok()) check_silently(calls().event_destroy(last), *on, "event");
          }};
}

void join(device_state& waiting, void* later, device_state& on, void* earlier) {
  constexpr const char* joining = "stream";
  void* event = nullptr;
  {
    const device_guard guard(on);
    event = on.streams->take_event();
    if (event == nullptr) check(calls().event_create(&event), on, joining);
  }
  // A wait takes a copy of the recorded point, so that the event is free again.
  struct giver {
    ~giver() { to.give_event(event); }
    stream_set& to;
    void* event;
  } const giving{*on.streams, event};
  {
    const device_guard guard(on);
    check(calls().event_record(event, earlier), on, joining);
  }
  const device_guard guard(waiting);
  check(calls().stream_wait_event(later, event), waiting, joining);
}

bool is_done(int code, device_state& on, const char* what) {
  if (code == not_ready) {
    static_cast<void>(calls().get_last_error());
    return false;
  }
  check(code, on, what);
  return true;
}

}  // namespace skerry::cuda
