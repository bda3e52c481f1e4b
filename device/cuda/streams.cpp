// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/streams.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

std::shared_ptr<void> StreamSet::create() {
  const DeviceGuard guard(device_state_);
  void* handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // Reuse a stream whose work has ended, so that a new stream starts idle.
    for (auto idle_stream = idle_.begin(); idle_stream != idle_.end(); ++idle_stream) {
      if (!is_done(call<&Api::stream_query>(*idle_stream), device_state_, "stream")) continue;
      handle = *idle_stream;
      idle_.erase(idle_stream);
      break;
    }
  }
  if (handle == nullptr) {
    check(call<&Api::stream_create>(&handle), device_state_, "stream");
    const std::lock_guard lock(mutex_);
    all_.push_back(std::make_unique<Member>(device_state_, handle, false));
  }
  return {handle, [this](void* last) { give_back(last); }};
}

bool StreamSet::owns_handle(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  const Member* const member = find_member(handle);
  return member != nullptr && !member->is_foreign;
}

void StreamSet::give_back(void* handle) noexcept {
  if (!alive()) return;
  try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  } catch (const std::bad_alloc&) {
    // The stream leaks, which costs some driver memory.
  }
}

/// Returns the member with this handle; null if there is none, and for the per-thread handle, which
/// does not identify a stream. The set's own streams take precedence: a new one may have the handle
/// of a foreign one that is gone. Requires the lock.
StreamSet::Member* StreamSet::find_member(void* handle) noexcept {
  if (handle == per_thread_stream) return nullptr;
  Member* member = nullptr;
  for (const auto& candidate : all_) {
    if (candidate->stream_state.handle() != handle) continue;
    if (!candidate->is_foreign) return candidate.get();
    member = candidate.get();
  }
  return member;
}

/// Returns a member for a foreign stream that has none. Requires the lock.
StreamSet::Member& StreamSet::take_member(void* handle) {
  for (const auto& member : all_) {
    if (member->is_foreign && member->entered == 0 && member->stream_state.try_reopen(handle))
      return *member;
  }
  all_.push_back(std::make_unique<Member>(device_state_, handle, true));
  return *all_.back();
}

StreamState& StreamSet::enter(void* handle) {
  if (handle == legacy_stream) return legacy_;
  const std::lock_guard lock(mutex_);
  Member* member = find_member(handle);
  if (member == nullptr) {
    member = &take_member(handle);
  } else if (member->is_foreign && member->entered == 0) {
    member->stream_state.reopen();
  }
  if (member->is_foreign) ++member->entered;
  return member->stream_state;
}

void StreamSet::exit(StreamState& entered) noexcept {
  if (&entered == &legacy_ || !alive()) return;
  bool is_closed = true;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& member : all_) {
      if (&member->stream_state != &entered) continue;
      if (member->is_foreign && --member->entered == 0) is_closed = entered.close();
      break;
    }
  }
  // The owner may destroy the stream after this returns. If finish() fails, the device stays lost.
  if (!is_closed) static_cast<void>(entered.finish());
}

StreamState* StreamSet::find(void* handle) noexcept {
  if (handle == legacy_stream) return &legacy_;
  const std::lock_guard lock(mutex_);
  Member* const member = find_member(handle);
  return member == nullptr ? nullptr : &member->stream_state;
}

std::vector<StreamUse> StreamSet::end_epochs() {
  const std::lock_guard lock(mutex_);
  std::vector<StreamUse> ended;
  ended.reserve(all_.size() + 1);
  ended.push_back({&legacy_, legacy_.end_epoch()});
  for (const auto& member : all_)
    ended.push_back({&member->stream_state, member->stream_state.end_epoch()});
  return ended;
}

int StreamSet::take_event(SharedEvent*& event) noexcept {
  {
    const std::lock_guard lock(events_mutex_);
    if (!free_events_.empty()) {
      event = free_events_.back();
      free_events_.pop_back();
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
    free_events_.push_back(event);
  } catch (const std::bad_alloc&) {
    const DeviceGuard guard(device_state_, std::nothrow);
    if (guard.ok()) note_failure(call<&Api::event_destroy>(event->handle), device_state_, "event");
    delete event;
  }
}

std::shared_ptr<void> StreamSet::create_timed_event() {
  const DeviceGuard guard(device_state_);
  void* handle = nullptr;
  check(call<&Api::event_create_timed>(&handle), device_state_, "event");
  DeviceState* device_state = &device_state_;
  return {handle, [device_state](void* last) {
            if (!alive() || device_state->lost()) return;
            const DeviceGuard inside(*device_state, std::nothrow);
            if (inside.ok()) note_failure(call<&Api::event_destroy>(last), *device_state, "event");
          }};
}

void join(DeviceState& waiting, void* later, DeviceState& earlier_state, void* earlier) {
  constexpr const char* joining = "stream";
  note_dependency(waiting, earlier_state);
  SharedEvent* event = nullptr;
  {
    const DeviceGuard guard(earlier_state);
    check(earlier_state.streams->take_event(event), earlier_state, joining);
  }
  // A wait copies the recorded point, so the event is free for reuse.
  struct Giver {
    ~Giver() { stream_set.give_event(event); }
    StreamSet& stream_set;
    SharedEvent* event;
  } const giving{*earlier_state.streams, event};
  {
    const DeviceGuard guard(earlier_state);
    check(call<&Api::event_record>(event->handle, earlier), earlier_state, joining);
  }
  const DeviceGuard guard(waiting);
  check(call<&Api::stream_wait_event>(later, event->handle), waiting, joining);
}

bool is_done(int code, DeviceState& device_state, const char* operation) {
  if (code == not_ready) {
    clear_last_error();
    return false;
  }
  check(code, device_state, operation);
  return true;
}

}  // namespace skerry::cuda
