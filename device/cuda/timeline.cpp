// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/timeline.hpp"

#include <algorithm>
#include <new>

#include "core/errors.hpp"

#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* ordering = "stream";
/// Points of one stream that may be waited for at once; more are of no use, since each stands for
/// all work before it.
constexpr std::size_t most_marks = 16;

constinit std::atomic<std::uint64_t> last_stretch{0};

std::uint64_t next_stretch() noexcept { return last_stretch.fetch_add(1) + 1; }

}  // namespace

std::uint64_t Timeline::newest() noexcept { return last_stretch.load(); }

Timeline::Timeline(DeviceState& on, void* handle)
    : on_(on), handle_(handle), stretch_(next_stretch()) {
  marks_.reserve(most_marks);
}

std::uint64_t Timeline::end_stretch() noexcept {
  const std::lock_guard lock(mutex_);
  pieces_.store(0, std::memory_order_relaxed);
  checkpoint_.store(0);
  return stretch_.exchange(next_stretch());
}

/// What was submitted before the last checkpoint has ended when it returns.
void Timeline::pass_checkpoint() noexcept {
  const std::uint64_t stretch = now();
  mark(stretch);
  const std::uint64_t earlier = checkpoint_.exchange(stretch);
  if (earlier != 0) static_cast<void>(wait(earlier));  // where it can't, the next call fails
}

void Timeline::passed(std::uint64_t last) noexcept {
  const std::lock_guard lock(mutex_);
  if (last <= done_.load()) return;
  done_.store(last, std::memory_order_release);
  drop_passed_marks();
}

void Timeline::drop_passed_marks() noexcept {
  const auto kept = std::find_if(marks_.begin(), marks_.end(),
                                 [&](const Marked& each) { return each.last > done_.load(); });
  std::for_each(marks_.begin(), kept,
                [&](const Marked& each) { on_.streams->give_event(each.event); });
  marks_.erase(marks_.begin(), kept);
}

/// The legacy default stream and the per-thread ones wait for each other by themselves.
bool Timeline::needs_no_event(const DeviceState& waiting, const void* stream) const noexcept {
  if (on_.ordinal != waiting.ordinal) return false;
  const void* const mine = handle();
  if (mine == per_thread_stream) return stream == legacy_stream;
  return mine == stream || (mine == legacy_stream && stream == per_thread_stream);
}

bool Timeline::has_waited_for(const Timeline& earlier, std::uint64_t stretch) noexcept {
  const std::lock_guard lock(mutex_);
  return std::any_of(waited_.begin(), waited_.end(), [&](const Waited& each) {
    return each.by == &earlier && each.last >= stretch;
  });
}

void Timeline::note_wait_for(const Timeline& earlier, std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(waited_.begin(), waited_.end(),
                                  [&](const Waited& each) { return each.by == &earlier; });
  if (known != waited_.end()) {
    known->last = std::max(known->last, last);
  } else {
    waited_.push_back({&earlier, last});
  }
}

void Timeline::require(const Outcome& of) const {
  if (of.is_captured) {
    throw ValueError("stream: earlier work on an array is on a stream of " + to_string(on_.where) +
                     " that is captured into a graph, so that nothing can wait for it; end the "
                     "capture");
  }
  if (of.on != nullptr) check(of.code, *of.on, ordering);
}

void Timeline::come_before(Timeline& later, std::uint64_t stretch) {
  if (&later == this || known_done(stretch)) return;
  if (needs_no_event(later.on_, later.handle()) || later.has_waited_for(*this, stretch)) return;
  Marked point;
  require(make_wait(later.on_, later.handle(), stretch, point));
  if (point.event != nullptr) later.note_wait_for(*this, point.last);
}

void Timeline::come_before(DeviceState& waiting, void* stream, std::uint64_t stretch) {
  if (known_done(stretch) || needs_no_event(waiting, stream)) return;
  Marked point;
  const Outcome result = make_wait(waiting, stream, stretch, point);
  if (!result.is_captured) require(result);
}

bool Timeline::try_come_before(DeviceState& waiting, void* stream, std::uint64_t stretch) noexcept {
  if (known_done(stretch) || needs_no_event(waiting, stream)) return true;
  Marked point;
  const Outcome result = make_wait(waiting, stream, stretch, point);
  if (result.is_captured) return false;
  return result.on == nullptr || succeeded(result.code, *result.on, ordering) || finish();
}

/// With the lock held until the wait is enqueued, so that the event is not used again before.
Timeline::Outcome Timeline::make_wait(DeviceState& waiting, void* stream, std::uint64_t stretch,
                                      Marked& point) noexcept {
  const std::lock_guard lock(mutex_);
  {
    const DeviceGuard guard(on_, std::nothrow);
    if (!guard.ok()) return {.code = guard.code(), .on = &on_};
    const Outcome result = find_mark(stretch, point);
    if (result.is_captured || result.code != success) return result;
  }
  if (point.event == nullptr) return {};
  const DeviceGuard guard(waiting, std::nothrow);
  const int code =
      guard.ok() ? call<&Api::stream_wait_event>(stream, point.event->handle) : guard.code();
  return {.code = code, .on = &waiting};
}

/// With the lock held and the device current. No event where all is done.
Timeline::Outcome Timeline::find_mark(std::uint64_t stretch, Marked& found) noexcept {
  for (const Marked& each : marks_) {
    if (each.last < stretch) continue;
    found = each;
    return {};
  }
  if (!closed_) return add_mark(found);
  if (!marks_.empty()) found = marks_.back();  // behind all that was ever submitted
  return {};
}

Timeline::Outcome Timeline::add_mark(Marked& added) noexcept {
  if (marks_.size() == most_marks) query_marks();
  // Another thread's per-thread stream can't be named, but the legacy one waits for it.
  void* const stream = handle() == per_thread_stream ? legacy_stream : handle();
  const auto failed = [&](int code) { return Outcome{.code = code, .on = &on_}; };
  // An event of a stream that is captured into a graph would be one of the graph. The legacy one
  // can't be captured.
  if (stream != legacy_stream) {
    int capturing = 0;
    const int code = call<&Api::stream_is_capturing>(stream, &capturing);
    if (code != success) return failed(code);
    if (capturing != 0) return {.is_captured = true};
  }
  SharedEvent* event = nullptr;
  if (const int code = on_.streams->take_event(event); code != success) return failed(code);
  // Before the event: who has read the number of this stretch before it submitted work, and reads
  // it again, submitted that work ahead of the event.
  const std::uint64_t last = stretch_.exchange(next_stretch());
  if (const int code = call<&Api::event_record>(event->handle, stream); code != success) {
    on_.streams->give_event(event);
    return failed(code);
  }
  // The oldest are kept: those are the first to pass.
  if (marks_.size() == most_marks) {
    on_.streams->give_event(marks_.back().event);
    marks_.pop_back();
  }
  added = {last, event};
  marks_.push_back(added);
  return {};
}

/// Forgets the points that the stream has passed.
void Timeline::query_marks() noexcept {
  std::uint64_t last = 0;
  for (const Marked& each : marks_) {
    if (!succeeded(call<&Api::event_query>(each.event->handle), on_, ordering)) break;
    last = each.last;
  }
  if (last == 0) return;
  done_.store(std::max(last, done_.load()), std::memory_order_release);
  drop_passed_marks();
}

void Timeline::mark(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return;
  Outcome result;
  {
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(on_, std::nothrow);
    Marked found;
    result = guard.ok() ? find_mark(stretch, found) : Outcome{guard.code(), &on_};
  }
  if (result.is_captured || succeeded(result.code, on_, ordering)) return;
  // Where nobody can wait for it, is_done() is false for ever.
  static_cast<void>(finish());
}

bool Timeline::is_done(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return true;
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(on_, std::nothrow);
  Marked found;
  if (!guard.ok()) return false;
  const Outcome result = find_mark(stretch, found);
  if (result.is_captured || !succeeded(result.code, on_, ordering)) return false;
  query_marks();
  return found.event == nullptr || known_done(stretch);
}

bool Timeline::wait(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return true;
  Marked found;
  Outcome result;
  {
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(on_, std::nothrow);
    result = guard.ok() ? find_mark(stretch, found) : Outcome{guard.code(), &on_};
    if (found.event != nullptr) found.event->holders.fetch_add(1);
  }
  if (result.is_captured) return false;
  if (!succeeded(result.code, on_, ordering)) return finish();
  // Closed, and all is done. Not passed(): opened again, it goes on in this stretch.
  if (found.event == nullptr) return true;
  bool is_over = false;
  {
    const DeviceGuard guard(on_, std::nothrow);
    is_over =
        guard.ok() && succeeded(call<&Api::event_synchronize>(found.event->handle), on_, ordering);
  }
  on_.streams->give_event(found.event);
  if (!is_over) return finish();
  passed(found.last);
  return true;
}

bool Timeline::finish() noexcept {
  const std::uint64_t last = end_stretch();
  if (!finish_work(on_)) return false;
  passed(last);
  return true;
}

bool Timeline::close() noexcept {
  const std::lock_guard lock(mutex_);
  const DeviceGuard guard(on_, std::nothrow);
  Marked last;
  const Outcome result = guard.ok() ? add_mark(last) : Outcome{guard.code(), &on_};
  if (result.is_captured) return true;
  if (!succeeded(result.code, on_, ordering)) return false;
  closed_ = true;
  return true;
}

void Timeline::reopen() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

bool Timeline::try_reopen(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (!closed_) return false;
  const DeviceGuard guard(on_, std::nothrow);
  if (!guard.ok()) return false;
  query_marks();
  if (!marks_.empty()) return false;
  done_.store(stretch_.exchange(next_stretch()), std::memory_order_release);
  waited_.clear();
  handle_.store(handle, std::memory_order_relaxed);
  closed_ = false;
  return true;
}

}  // namespace skerry::cuda
