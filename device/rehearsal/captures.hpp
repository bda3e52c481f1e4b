// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "device/rehearsal/queue.hpp"

namespace skerry::rehearsal {

// Stream capture: work items of a captured stream are kept in a graph instead of being run. A
// stream that waits for an event of a captured stream joins the capture.

/// The work of a graph, in the order in which it was captured: a launch runs it in that order.
struct CapturedWork {
  struct Step {
    std::unique_ptr<WorkItem> item;
    int ordinal = 0;
  };
  std::vector<Step> steps;
  bool is_the_threads = false;  ///< as WorkItem::is_the_threads
  std::vector<std::shared_ptr<void>> resources;
};

/// Number of captured streams and events. It is usually zero, which makes queries cheap.
inline constinit std::atomic<int> captured_count{0};

[[nodiscard]] bool is_in_capture(const Queue& queue) noexcept;
[[nodiscard]] inline bool is_captured(const Queue& queue) noexcept {
  return captured_count.load(std::memory_order_relaxed) != 0 && is_in_capture(queue);
}
/// Takes a work item of a captured stream.
void capture(const Queue& queue, WorkItem* item);
/// Makes the capture of a stream fail at its end, for a call that a graph can't contain. Returns
/// that call's status.
[[nodiscard]] int invalidate_capture(const Queue& queue) noexcept;
/// The same for all captures with a stream of a device; false if there is none.
[[nodiscard]] bool invalidate_captures(int ordinal) noexcept;

/// Records an event at the end of a captured stream's work. Returns false if the stream is not
/// captured; then the event is not part of a capture any more.
[[nodiscard]] bool capture_record(const Queue& queue, void* event);
[[nodiscard]] bool is_captured_event(void* event) noexcept;
/// Orders later work of a stream after an event of a capture, which the stream joins. Returns a
/// status.
[[nodiscard]] int capture_wait(const std::shared_ptr<Queue>& queue, void* event);
void discard_captured_event(void* event) noexcept;

/// Makes another handle of a graph, to be destroyed like the first. Returns a status.
[[nodiscard]] int graph_share(void** other_graph, void* graph);

}  // namespace skerry::rehearsal
