// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/captures.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "device/rehearsal/work.hpp"

namespace skerry::rehearsal {

namespace {

/// For each stream of a capture, how many of the capture's steps are known to precede a point. A
/// step counts for the stream that added it.
using captured_clock = std::unordered_map<const Queue*, std::size_t>;

struct CaptureInProgress {
  const Queue* origin = nullptr;
  bool is_invalid = false;
  std::shared_ptr<CapturedWork> captured_work = std::make_shared<CapturedWork>();
  captured_clock ends;  ///< the last step of each stream
};

/// Position of a captured stream or of a recorded event.
struct CapturePoint {
  std::shared_ptr<CaptureInProgress> capture;
  captured_clock prior_steps;
  std::shared_ptr<Queue> queue;  ///< null for an event
};

struct AllCaptures {
  std::mutex mutex;
  std::unordered_map<const Queue*, CapturePoint> streams;
  std::unordered_map<void*, CapturePoint> events;
  std::unordered_map<void*, std::shared_ptr<CapturedWork>> graphs;
  std::uintptr_t next_graph = 0x1000;

  void* add_graph(const std::shared_ptr<CapturedWork>& captured_work) {
    void* const handle = reinterpret_cast<void*>(next_graph++);
    graphs.emplace(handle, captured_work);
    return handle;
  }
  void count() const noexcept {
    captured_count.store(static_cast<int>(streams.size() + events.size()));
  }
};

AllCaptures& captures() noexcept {
  static auto* const all = new AllCaptures;
  return *all;
}

[[nodiscard]] bool is_default(const void* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle) <= 2;
}

void join(captured_clock& clock, const captured_clock& other_clock) {
  for (const auto& [queue, step] : other_clock) {
    std::size_t& known_step = clock[queue];
    known_step = std::max(known_step, step);
  }
}

/// True if the last steps of all streams precede the end of the stream that began the capture.
bool is_joined(const CaptureInProgress& capture, const captured_clock& steps_before_end) {
  return std::ranges::all_of(capture.ends, [&](const auto& end) {
    const auto known_step = steps_before_end.find(end.first);
    return known_step != steps_before_end.end() && known_step->second >= end.second;
  });
}

}  // namespace

bool is_in_capture(const Queue& queue) noexcept {
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  return all.streams.contains(&queue);
}

void capture(const Queue& queue, WorkItem* item) {
  std::unique_ptr<WorkItem> owned(item);
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.streams.find(&queue);
  if (entry == all.streams.end()) return;  // another thread has ended the capture
  CaptureInProgress& capture = *entry->second.capture;
  capture.captured_work->is_the_threads |= owned->is_the_threads;
  capture.captured_work->steps.push_back({std::move(owned), queue.ordinal()});
  entry->second.prior_steps[&queue] = capture.ends[&queue] = capture.captured_work->steps.size();
}

int invalidate_capture(const Queue& queue) noexcept {
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.streams.find(&queue);
  if (entry != all.streams.end()) entry->second.capture->is_invalid = true;
  return cuda::stream_capture_unsupported;
}

bool invalidate_captures(int ordinal) noexcept {
  if (captured_count.load(std::memory_order_relaxed) == 0) return false;
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  bool is_any = false;
  for (auto& [queue, point] : all.streams) {
    if (queue->ordinal() != ordinal) continue;
    point.capture->is_invalid = true;
    is_any = true;
  }
  return is_any;
}

bool capture_record(const Queue& queue, void* event) {
  if (captured_count.load(std::memory_order_relaxed) == 0) return false;
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  all.events.erase(event);
  const auto entry = all.streams.find(&queue);
  if (entry != all.streams.end()) {
    all.events.insert_or_assign(
        event, CapturePoint{entry->second.capture, entry->second.prior_steps, nullptr});
  }
  all.count();
  return entry != all.streams.end();
}

bool is_captured_event(void* event) noexcept {
  if (captured_count.load(std::memory_order_relaxed) == 0) return false;
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  return all.events.contains(event);
}

int capture_wait(const std::shared_ptr<Queue>& queue, void* event) {
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto recorded = all.events.find(event);
  if (recorded == all.events.end()) return cuda::stream_capture_invalidated;
  const CapturePoint& point = recorded->second;
  const auto entry = all.streams.find(queue.get());
  if (entry == all.streams.end()) {
    all.streams.emplace(queue.get(), CapturePoint{point.capture, point.prior_steps, queue});
    all.count();
  } else if (entry->second.capture != point.capture) {
    return cuda::stream_capture_merge;
  } else {
    join(entry->second.prior_steps, point.prior_steps);
  }
  return cuda::success;
}

void discard_captured_event(void* event) noexcept {
  if (captured_count.load(std::memory_order_relaxed) == 0) return;
  AllCaptures& all = captures();
  const std::lock_guard lock(all.mutex);
  all.events.erase(event);
  all.count();
}

int stream_begin_capture(void* handle) {
  return enter(&cuda::Api::stream_begin_capture, [&](System& system) {
    if (is_default(handle)) return cuda::stream_capture_unsupported;
    const auto queue = system.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    AllCaptures& all = captures();
    const std::lock_guard lock(all.mutex);
    if (all.streams.contains(queue.get())) return cuda::illegal_state;
    auto capture = std::make_shared<CaptureInProgress>();
    capture->origin = queue.get();
    all.streams.emplace(queue.get(), CapturePoint{std::move(capture), {}, queue});
    all.count();
    return cuda::success;
  });
}

int stream_end_capture(void* handle, void** graph) {
  return enter(&cuda::Api::stream_end_capture, [&](System& system) {
    if (graph != nullptr) *graph = nullptr;
    const auto queue = system.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    AllCaptures& all = captures();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.streams.find(queue.get());
    if (entry == all.streams.end()) return cuda::illegal_state;
    const auto capture = entry->second.capture;
    if (capture->origin != queue.get()) {
      capture->is_invalid = true;
      return cuda::stream_capture_unmatched;
    }
    const bool is_whole = is_joined(*capture, entry->second.prior_steps);
    const auto is_its = [&](const auto& item) { return item.second.capture == capture; };
    std::erase_if(all.events, is_its);
    std::erase_if(all.streams, is_its);
    all.count();
    if (capture->is_invalid) return cuda::stream_capture_invalidated;
    if (!is_whole) return cuda::stream_capture_unjoined;
    if (graph == nullptr) return cuda::success;
    *graph = all.add_graph(capture->captured_work);
    return cuda::success;
  });
}

int stream_capture_retain(void* handle, void* data, void (*release)(void* data)) {
  std::shared_ptr<void> resource(data, release);  // released without the lock
  return enter(&cuda::Api::stream_capture_retain, [&](System& system) {
    const auto queue = system.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    AllCaptures& all = captures();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.streams.find(queue.get());
    if (entry == all.streams.end()) return cuda::illegal_state;
    entry->second.capture->captured_work->resources.push_back(std::move(resource));
    return cuda::success;
  });
}

int graph_share(void** other_graph, void* graph) {
  return enter(&cuda::Api::stream_end_capture, [&](System&) {
    *other_graph = nullptr;
    AllCaptures& all = captures();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.graphs.find(graph);
    if (entry == all.graphs.end()) return cuda::invalid_resource_handle;
    const std::shared_ptr<CapturedWork> captured_work = entry->second;
    *other_graph = all.add_graph(captured_work);
    return cuda::success;
  });
}

int graph_launch(void* graph, void* handle) {
  return enter_with_work(handle, &cuda::Api::graph_launch, [&](System&, Queue& queue) {
    std::shared_ptr<CapturedWork> captured_work;
    {
      AllCaptures& all = captures();
      const std::lock_guard lock(all.mutex);
      const auto entry = all.graphs.find(graph);
      if (entry == all.graphs.end()) return cuda::invalid_resource_handle;
      captured_work = entry->second;
    }
    if (is_captured(queue)) return invalidate_capture(queue);
    return submit_captured(queue, std::move(captured_work));
  });
}

int graph_destroy(void* graph) {
  return enter(&cuda::Api::graph_destroy, [&](System&) {
    std::shared_ptr<CapturedWork> removed;
    AllCaptures& all = captures();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.graphs.find(graph);
    if (entry == all.graphs.end()) return cuda::invalid_resource_handle;
    removed = std::move(entry->second);
    all.graphs.erase(entry);
    return cuda::success;
  });
}

}  // namespace skerry::rehearsal
