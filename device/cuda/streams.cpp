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
    all_.reserve(all_.size() + 1);
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
    all_.push_back(handle);
  }
  return {handle, [this](void* last) { give_back(last); }};
}

bool stream_set::made(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  return std::find(all_.begin(), all_.end(), handle) != all_.end();
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

std::shared_ptr<void> stream_set::create_event() {
  const device_guard guard(on_);
  void* handle = nullptr;
  check(calls().event_create(&handle), on_, "event");
  device_state* on = &on_;
  return {handle, [on](void* last) {
            if (!alive() || on->lost()) return;
            const device_guard inside(*on, std::nothrow);
            if (inside.ok()) check_silently(calls().event_destroy(last), *on, "event");
          }};
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
