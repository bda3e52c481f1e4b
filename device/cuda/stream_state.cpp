// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/stream_state.hpp"

#include <algorithm>
#include <new>

#include "core/errors.hpp"
#include "device/host_action.hpp"

#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* ordering = "stream";
/// Maximum marks of one stream. More are useless, since each covers all work before it.
constexpr std::size_t max_marks = 16;

constinit std::atomic<std::uint64_t> last_epoch{0};

std::uint64_t next_epoch() noexcept { return last_epoch.fetch_add(1) + 1; }

}  // namespace

std::uint64_t StreamState::newest() noexcept { return last_epoch.load(); }

StreamState::StreamState(DeviceState& device_state, void* handle)
    : device_state_(device_state), handle_(handle), epoch_(next_epoch()) {
  marks_.reserve(max_marks);
}

std::uint64_t StreamState::end_epoch() noexcept {
  const std::lock_guard lock(mutex_);
  submissions_.store(0, std::memory_order_relaxed);
  checkpoint_.store(0);
  return epoch_.exchange(next_epoch());
}

/// Waits until the work submitted before the previous checkpoint has ended.
void StreamState::pass_checkpoint() noexcept {
  submissions_.store(0, std::memory_order_relaxed);
  const std::uint64_t epoch = now();
  mark(epoch);
  const std::uint64_t earlier = checkpoint_.exchange(epoch);
  if (earlier == 0) return;
  static_cast<void>(wait(earlier, "length of the queue"));  // if it fails, so does the next call
}

void StreamState::note_done(std::uint64_t last) noexcept {
  const std::lock_guard lock(mutex_);
  if (last <= done_.load()) return;
  done_.store(last, std::memory_order_release);
  drop_passed_marks();
}

void StreamState::drop_passed_marks() noexcept {
  const auto first_pending = std::find_if(
      marks_.begin(), marks_.end(), [&](const Marked& point) { return point.last > done_.load(); });
  std::for_each(marks_.begin(), first_pending,
                [&](const Marked& point) { device_state_.streams->give_event(point.event); });
  marks_.erase(marks_.begin(), first_pending);
}

/// Returns true if the two streams are ordered implicitly: CUDA orders the legacy stream and
/// per-thread streams with each other.
bool StreamState::needs_no_event(const DeviceState& waiting, const void* stream) const noexcept {
  if (device_state_.ordinal != waiting.ordinal) return false;
  const void* const own_handle = handle();
  if (own_handle == per_thread_stream) return stream == legacy_stream;
  return own_handle == stream || (own_handle == legacy_stream && stream == per_thread_stream);
}

bool StreamState::has_waited_for(const StreamState& earlier, std::uint64_t epoch) noexcept {
  const std::lock_guard lock(mutex_);
  return std::any_of(waited_.begin(), waited_.end(), [&](const Waited& entry) {
    return entry.stream_state == &earlier && entry.last >= epoch;
  });
}

void StreamState::note_wait_for(const StreamState& earlier, std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  const auto entry = std::find_if(waited_.begin(), waited_.end(), [&](const Waited& candidate) {
    return candidate.stream_state == &earlier;
  });
  if (entry != waited_.end()) {
    entry->last = std::max(entry->last, last);
  } else {
    waited_.push_back({&earlier, last});
  }
}

void StreamState::require(const Outcome& outcome) const {
  if (outcome.is_captured) {
    throw ValueError("earlier work on an array is on a stream of " +
                     to_string(device_state_.device) +
                     " that is being captured into a graph, so nothing can wait for it; end the "
                     "capture");
  }
  if (outcome.device_state != nullptr) check(outcome.code, *outcome.device_state, ordering);
}

void StreamState::precede(StreamState& later, std::uint64_t epoch) {
  if (&later == this || known_done(epoch)) return;
  if (needs_no_event(later.device_state_, later.handle()) || later.has_waited_for(*this, epoch))
    return;
  Marked point;
  require(make_wait(later.device_state_, later.handle(), epoch, point));
  if (point.event == nullptr) return;
  later.note_wait_for(*this, point.last);
  static_cast<void>(later.count_submission());
}

void StreamState::precede(DeviceState& waiting, void* stream, std::uint64_t epoch) {
  if (known_done(epoch) || needs_no_event(waiting, stream)) return;
  Marked point;
  const Outcome result = make_wait(waiting, stream, epoch, point);
  if (!result.is_captured) require(result);
}

bool StreamState::try_precede(DeviceState& waiting, void* stream, std::uint64_t epoch) noexcept {
  if (known_done(epoch) || needs_no_event(waiting, stream)) return true;
  Marked point;
  const Outcome result = make_wait(waiting, stream, epoch, point);
  if (result.is_captured) return false;
  return result.device_state == nullptr || succeeded(result.code, *result.device_state, ordering) ||
         finish();
}

/// Holds the lock until the wait is enqueued, so that the event is not reused before.
StreamState::Outcome StreamState::make_wait(DeviceState& waiting, void* stream, std::uint64_t epoch,
                                            Marked& point) noexcept {
  const std::lock_guard lock(mutex_);
  {
    const DeviceGuard guard(device_state_, std::nothrow);
    if (!guard.ok()) return {.code = guard.code(), .device_state = &device_state_};
    const Outcome result = find_mark(epoch, point);
    if (result.is_captured || result.code != success) return result;
  }
  if (point.event == nullptr) return {};
  const DeviceGuard guard(waiting, std::nothrow);
  const int code =
      guard.ok() ? call<&Api::stream_wait_event>(stream, point.event->handle) : guard.code();
  return {.code = code, .device_state = &waiting};
}

/// Requires the lock, and the device to be current. `point` has no event if all work is done.
StreamState::Outcome StreamState::find_mark(std::uint64_t epoch, Marked& point) noexcept {
  for (const Marked& candidate : marks_) {
    if (candidate.last < epoch) continue;
    point = candidate;
    return {};
  }
  if (!closed_) return add_mark(point);
  if (!marks_.empty()) point = marks_.back();  // after all work submitted so far
  return {};
}

StreamState::Outcome StreamState::add_mark(Marked& added) noexcept {
  if (marks_.size() == max_marks) query_marks();
  // Another thread's per-thread stream has no handle here, but the legacy stream waits for it.
  void* const stream = handle() == per_thread_stream ? legacy_stream : handle();
  const auto failed = [&](int code) {
    return Outcome{.code = code, .device_state = &device_state_};
  };
  // An event recorded on a captured stream would become part of the graph. The legacy stream cannot
  // be captured.
  if (stream != legacy_stream) {
    int capturing = 0;
    const int code = call<&Api::stream_is_capturing>(stream, &capturing);
    if (code != success) return failed(code);
    if (capturing != 0) return {.is_captured = true};
  }
  SharedEvent* event = nullptr;
  if (const int code = device_state_.streams->take_event(event); code != success)
    return failed(code);
  // Advance the epoch before recording the event: a thread that reads the same epoch before and
  // after it submits work knows that the work precedes the event.
  const std::uint64_t last = epoch_.exchange(next_epoch());
  if (const int code = call<&Api::event_record>(event->handle, stream); code != success) {
    device_state_.streams->give_event(event);
    return failed(code);
  }
  static_cast<void>(count_submission());
  // Keep the oldest marks: the stream passes them first.
  if (marks_.size() == max_marks) {
    device_state_.streams->give_event(marks_.back().event);
    marks_.pop_back();
  }
  added = {last, event};
  marks_.push_back(added);
  return {};
}

/// Drops the marks that the stream has passed.
void StreamState::query_marks() noexcept {
  std::uint64_t last = 0;
  for (const Marked& point : marks_) {
    if (!succeeded(call<&Api::event_query>(point.event->handle), device_state_, ordering)) break;
    last = point.last;
  }
  if (last == 0) return;
  done_.store(std::max(last, done_.load()), std::memory_order_release);
  drop_passed_marks();
}

void StreamState::mark(std::uint64_t epoch) noexcept {
  if (known_done(epoch)) return;
  Outcome result;
  {
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(device_state_, std::nothrow);
    Marked point;
    result = guard.ok() ? find_mark(epoch, point) : Outcome{guard.code(), &device_state_};
  }
  if (result.is_captured || succeeded(result.code, device_state_, ordering)) return;
  // If finish() fails too, is_done() stays false.
  static_cast<void>(finish());
}

bool StreamState::is_done(std::uint64_t epoch) noexcept {
  if (known_done(epoch)) return true;
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(device_state_, std::nothrow);
  Marked point;
  if (!guard.ok()) return false;
  const Outcome result = find_mark(epoch, point);
  if (result.is_captured || !succeeded(result.code, device_state_, ordering)) return false;
  query_marks();
  return point.event == nullptr || known_done(epoch);
}

bool StreamState::wait(std::uint64_t epoch, const char* cause) noexcept {
  if (known_done(epoch)) return true;
  Marked point;
  Outcome result;
  {
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(device_state_, std::nothrow);
    result = guard.ok() ? find_mark(epoch, point) : Outcome{guard.code(), &device_state_};
    if (point.event != nullptr) point.event->holders.fetch_add(1);
  }
  if (result.is_captured) return false;
  if (!succeeded(result.code, device_state_, ordering)) return finish();
  // Closed, and all work is done. No note_done(): if the stream is reopened, it continues in this
  // epoch.
  if (point.event == nullptr) return true;
  const Announcement announcement(
      [&] { return internal_wait(cause, device_state_.device, handle()); });
  bool is_over = false;
  {
    const DeviceGuard guard(device_state_, std::nothrow);
    is_over = guard.ok() && succeeded(call<&Api::event_synchronize>(point.event->handle),
                                      device_state_, ordering);
  }
  device_state_.streams->give_event(point.event);
  if (!is_over) return finish();
  note_done(point.last);
  return true;
}

bool StreamState::finish() noexcept {
  const std::uint64_t last = end_epoch();
  if (!finish_work(device_state_)) return false;
  note_done(last);
  return true;
}

bool StreamState::close() noexcept {
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(device_state_, std::nothrow);
  Marked last;
  const Outcome result = guard.ok() ? add_mark(last) : Outcome{guard.code(), &device_state_};
  if (result.is_captured) return true;
  if (!succeeded(result.code, device_state_, ordering)) return false;
  closed_ = true;
  return true;
}

void StreamState::reopen() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

bool StreamState::try_reopen(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (!closed_) return false;
  const DeviceGuard guard(device_state_, std::nothrow);
  if (!guard.ok()) return false;
  query_marks();
  if (!marks_.empty()) return false;
  done_.store(epoch_.exchange(next_epoch()), std::memory_order_release);
  waited_.clear();
  handle_.store(handle, std::memory_order_relaxed);
  closed_ = false;
  return true;
}

}  // namespace skerry::cuda
