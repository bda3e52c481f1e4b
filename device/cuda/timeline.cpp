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

/// An event of a stream that is captured into a graph would be one of the graph.
int refuse_captured(void* stream) noexcept {
  if (stream == legacy_stream) return success;  // can't be captured
  int capturing = 0;
  const int code = calls().stream_is_capturing(stream, &capturing);
  return code == success && capturing != 0 ? stream_capture_unsupported : code;
}

}  // namespace

timeline::timeline(device_state& on, void* handle)
    : on_(on), handle_(handle), stretch_(next_stretch()) {
  marks_.reserve(most_marks);
}

std::uint64_t timeline::end_stretch() noexcept {
  const std::lock_guard lock(mutex_);
  return stretch_.exchange(next_stretch());
}

void timeline::passed(std::uint64_t last) noexcept {
  const std::lock_guard lock(mutex_);
  if (last <= done_.load()) return;
  done_.store(last, std::memory_order_release);
  drop_passed_marks();
}

void timeline::drop_passed_marks() noexcept {
  const auto kept = std::find_if(marks_.begin(), marks_.end(),
                                 [&](const marked& each) { return each.last > done_.load(); });
  std::for_each(marks_.begin(), kept,
                [&](const marked& each) { on_.streams->give_event(each.event); });
  marks_.erase(marks_.begin(), kept);
}

/// The legacy default stream and the per-thread ones wait for each other by themselves.
bool timeline::needs_no_event(const device_state& waiting, const void* stream) const noexcept {
  if (on_.ordinal != waiting.ordinal) return false;
  const void* const mine = handle();
  if (mine == per_thread_stream) return stream == legacy_stream;
  return mine == stream || (mine == legacy_stream && stream == per_thread_stream);
}

bool timeline::has_waited_for(const timeline& earlier, std::uint64_t stretch) noexcept {
  const std::lock_guard lock(mutex_);
  return std::any_of(waited_.begin(), waited_.end(), [&](const waited& each) {
    return each.by == &earlier && each.last >= stretch;
  });
}

void timeline::note_wait_for(const timeline& earlier, std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(waited_.begin(), waited_.end(),
                                  [&](const waited& each) { return each.by == &earlier; });
  if (known != waited_.end()) {
    known->last = std::max(known->last, last);
  } else {
    waited_.push_back({&earlier, last});
  }
}

void timeline::come_before(timeline& later, std::uint64_t stretch) {
  if (&later == this || known_done(stretch)) return;
  if (needs_no_event(later.on_, later.handle()) || later.has_waited_for(*this, stretch)) return;
  marked point{};
  const int code = make_wait(later.on_, later.handle(), stretch, point);
  if (code == stream_capture_unsupported) {
    throw value_error("stream: earlier work on an array is on a stream of " + to_string(on_.where) +
                      " that is captured into a graph, so that nothing can wait for it; end the "
                      "capture");
  }
  check(code, later.on_, ordering);
  if (point.event != nullptr) later.note_wait_for(*this, point.last);
}

void timeline::come_before(device_state& waiting, void* stream, std::uint64_t stretch) noexcept {
  if (known_done(stretch) || needs_no_event(waiting, stream)) return;
  marked point{};
  const int code = make_wait(waiting, stream, stretch, point);
  if (code == stream_capture_unsupported) return;
  if (!check_silently(code, waiting, ordering)) wait_if_used(on_);
}

/// With the lock held until the wait is enqueued, so that the event is not used again before.
int timeline::make_wait(device_state& waiting, void* stream, std::uint64_t stretch,
                        marked& point) noexcept {
  const std::lock_guard lock(mutex_);
  {
    const device_guard guard(on_, std::nothrow);
    if (const int code = guard.ok() ? find_mark(stretch, point) : guard.code(); code != success) {
      return code;
    }
  }
  if (point.event == nullptr) return success;
  const device_guard guard(waiting, std::nothrow);
  return guard.ok() ? calls().stream_wait_event(stream, point.event) : guard.code();
}

/// With the lock held and the device current. No event where all is done.
int timeline::find_mark(std::uint64_t stretch, marked& found) noexcept {
  for (const marked& each : marks_) {
    if (each.last < stretch) continue;
    found = each;
    return success;
  }
  return closed_ ? success : add_mark(found);
}

int timeline::add_mark(marked& added) noexcept {
  if (marks_.size() == most_marks) query_marks();
  // Another thread's per-thread stream can't be named, but the legacy one waits for it.
  void* const stream = handle() == per_thread_stream ? legacy_stream : handle();
  if (const int code = refuse_captured(stream); code != success) return code;
  void* event = on_.streams->take_event();
  if (event == nullptr) {
    if (const int code = calls().event_create(&event); code != success) return code;
  }
  // Before the event: who has read the number of this stretch before it submitted work, and reads
  // it again, submitted that work ahead of the event.
  const std::uint64_t last = stretch_.exchange(next_stretch());
  if (const int code = calls().event_record(event, stream); code != success) {
    on_.streams->give_event(event);
    return code;
  }
  // The oldest are kept: those are the first to pass.
  if (marks_.size() == most_marks) {
    on_.streams->give_event(marks_.back().event);
    marks_.pop_back();
  }
  added = {last, event};
  marks_.push_back(added);
  return success;
}

/// Forgets the points that the stream has passed.
void timeline::query_marks() noexcept {
  std::uint64_t last = 0;
  for (const marked& each : marks_) {
    if (!check_silently(calls().event_query(each.event), on_, ordering)) break;
    last = each.last;
  }
  if (last == 0) return;
  done_.store(std::max(last, done_.load()), std::memory_order_release);
  drop_passed_marks();
}

void timeline::mark(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return;
  int code = success;
  {
    const std::lock_guard lock(mutex_);
    const device_guard guard(on_, std::nothrow);
    marked found{};
    code = guard.ok() ? find_mark(stretch, found) : guard.code();
  }
  if (code == stream_capture_unsupported || check_silently(code, on_, ordering)) return;
  wait_if_used(on_);
  passed(stretch);
}

bool timeline::is_done(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return true;
  const std::lock_guard lock(mutex_);
  const device_guard guard(on_, std::nothrow);
  marked found{};
  if (!guard.ok() || !check_silently(find_mark(stretch, found), on_, ordering)) return false;
  query_marks();
  return found.event == nullptr || known_done(stretch);
}

void timeline::wait(std::uint64_t stretch) noexcept {
  if (known_done(stretch)) return;
  const std::lock_guard lock(mutex_);
  const device_guard guard(on_, std::nothrow);
  marked found{};
  if (!guard.ok() || !check_silently(find_mark(stretch, found), on_, ordering)) return;
  if (found.event == nullptr) return;
  if (check_silently(calls().event_synchronize(found.event), on_, ordering)) query_marks();
}

void timeline::close() noexcept {
  const std::lock_guard lock(mutex_);
  const device_guard guard(on_, std::nothrow);
  marked last{};
  const int code = guard.ok() ? add_mark(last) : success;
  if (code == stream_capture_unsupported) return;
  if (!check_silently(code, on_, ordering)) {
    check_silently(calls().stream_synchronize(handle()), on_, ordering);
  }
  closed_ = true;
}

void timeline::reopen() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

bool timeline::try_reopen(void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (!closed_) return false;
  const device_guard guard(on_, std::nothrow);
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
