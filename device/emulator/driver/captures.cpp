// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/captures.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "device/emulator/driver/calls.hpp"
#include "device/rehearsal/captures.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

namespace status_of {
constexpr int illegal_state = 401;
constexpr int invalidated = 901;
constexpr int merge = 902;
constexpr int unmatched = 903;
constexpr int unjoined = 904;
constexpr int isolation = 905;
constexpr int implicit = 906;
}  // namespace status_of

/// A capture, and the graph that it fills.
struct CaptureInProgress {
  Graph* graph = nullptr;
  std::uint64_t id = 0;
  void* origin = nullptr;
  bool is_own_graph = true;  ///< created by the capture
  bool is_invalid = false;
};

/// Position of a captured stream or a recorded event in a graph.
struct CapturePoint {
  std::shared_ptr<CaptureInProgress> capture;
  std::vector<GraphNode*> last;
};

struct AllCaptures {
  std::unordered_map<void*, CapturePoint> streams;
  std::unordered_map<void*, CapturePoint> events;
  std::uint64_t next_id = 1;
};

AllCaptures& captures() noexcept {
  static auto* const all = new AllCaptures;
  return *all;
}

CapturePoint* find_capture_point(void* stream) noexcept {
  const auto entry = captures().streams.find(stream);
  return entry != captures().streams.end() ? &entry->second : nullptr;
}

void add_capture_point(void* stream, CapturePoint point) {
  captures().streams[stream] = std::move(point);
  captured_streams.store(static_cast<int>(captures().streams.size()));
}

void end(const CaptureInProgress& capture) noexcept {
  const auto is_its = [&](const auto& one) { return one.second.capture.get() == &capture; };
  std::erase_if(captures().streams, is_its);
  std::erase_if(captures().events, is_its);
  captured_streams.store(static_cast<int>(captures().streams.size()));
  rehearsal::set_captured(nullptr);
}

[[nodiscard]] bool is_default(const void* stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

[[nodiscard]] bool is_legacy(const void* stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 1;
}

/// True if a stream that the legacy stream of the current device would wait for is captured.
[[nodiscard]] bool is_blocking_stream_captured() {
  return std::ranges::any_of(captures().streams, [](const auto& entry) {
    const auto queue = rehearsal::System::instance().stream(entry.first);
    return queue != nullptr && queue->options().is_blocking &&
           queue->ordinal() == rehearsal::current_ordinal();
  });
}

/// CUstreamCaptureStatus
[[nodiscard]] int status_of_capture(const CapturePoint* point) noexcept {
  constexpr int none = 0;
  constexpr int active = 1;
  constexpr int invalid = 2;
  if (point == nullptr) return none;
  return point->capture->is_invalid ? invalid : active;
}

/// True if `end_point`, the position of the stream that began the capture, depends on the last
/// nodes of all streams of the capture.
bool is_joined(const CaptureInProgress& capture, const CapturePoint& end_point) {
  std::unordered_set<const GraphNode*> visited;
  std::vector<const GraphNode*> open(end_point.last.begin(), end_point.last.end());
  while (!open.empty()) {
    const GraphNode* const one = open.back();
    open.pop_back();
    if (visited.insert(one).second)
      open.insert(open.end(), one->dependencies.begin(), one->dependencies.end());
  }
  return std::ranges::all_of(captures().streams, [&](const auto& entry) {
    return entry.second.capture.get() != &capture ||
           std::ranges::all_of(entry.second.last,
                               [&](auto* node) { return visited.contains(node); });
  });
}

int begin(void* stream, int mode, Graph* graph, std::vector<GraphNode*> dependencies) {
  constexpr int last_mode = 2;
  if (mode < 0 || mode > last_mode) return code::invalid_value;
  if (is_default(stream)) return capture_unsupported;
  if (rehearsal::System::instance().stream(stream) == nullptr) return code::invalid_handle;
  if (find_capture_point(stream) != nullptr) return status_of::illegal_state;
  auto new_capture = std::make_shared<CaptureInProgress>();
  new_capture->is_own_graph = graph == nullptr;
  new_capture->graph = graph != nullptr ? graph : add_graph();
  new_capture->id = captures().next_id++;
  new_capture->origin = stream;
  add_capture_point(stream, {std::move(new_capture), std::move(dependencies)});
  rehearsal::set_captured(stream);
  return code::success;
}

template <class Body>
int with_lock(Body body) noexcept {
  return in_context([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    return body();
  });
}

/// Appends the nodes of these handles to `nodes`, without duplicates. False if one is not a node of
/// this graph.
bool take_nodes(const Graph& in, void* const* handles, std::size_t count,
                std::vector<GraphNode*>& nodes) {
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const one = find_node(handles[i]);
    if (one == nullptr || one->owner != &in) return false;
    if (std::ranges::find(nodes, one) == nodes.end()) nodes.push_back(one);
  }
  return true;
}

}  // namespace

bool is_in_capture(void* stream) noexcept {
  const std::lock_guard lock(graphs_mutex());
  return find_capture_point(stream) != nullptr;
}

int device_of_capture(void* stream) noexcept {
  if (!is_captured(stream)) return -1;
  const std::lock_guard lock(graphs_mutex());
  const CapturePoint* const point = find_capture_point(stream);
  if (point == nullptr) return -1;
  const auto origin = rehearsal::System::instance().stream(point->capture->origin);
  return origin != nullptr ? origin->ordinal() : -1;
}

int invalidate_capture(void* stream) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const CapturePoint* const point = find_capture_point(stream);
  if (point != nullptr) point->capture->is_invalid = true;
  return capture_unsupported;
}

int capture(void* stream, NodeKind kind, node_operation operation) {
  const std::lock_guard lock(graphs_mutex());
  CapturePoint* const point = find_capture_point(stream);
  if (point == nullptr) return status_of::illegal_state;
  point->last = {add_node(*point->capture->graph, kind, point->last, std::move(operation))};
  return code::success;
}

int capture_retain(void* stream, std::shared_ptr<void> resource) {
  const std::lock_guard lock(graphs_mutex());
  const CapturePoint* const point = find_capture_point(stream);
  if (point == nullptr) return status_of::illegal_state;
  point->capture->graph->resources.push_back(std::move(resource));
  return code::success;
}

int capture_allocation(void* stream, address* data, std::size_t nbytes) {
  const std::lock_guard lock(graphs_mutex());
  CapturePoint* const point = find_capture_point(stream);
  if (point == nullptr) return status_of::illegal_state;
  const int status = allocate_for_graph(*point->capture->graph, data, nbytes);
  return status != code::success ? status : capture(stream, NodeKind::allocation, {});
}

bool capture_record(void* event, void* stream, int* status) {
  if (captured_streams.load() == 0) return false;
  const std::lock_guard lock(graphs_mutex());
  captures().events.erase(event);
  const CapturePoint* const point = find_capture_point(stream);
  if (point == nullptr) return false;
  captures().events.emplace(event, *point);
  *status = code::success;
  return true;
}

bool capture_wait(void* stream, void* event, int* status) {
  if (captured_streams.load() == 0) return false;
  const std::lock_guard lock(graphs_mutex());
  const auto point = captures().events.find(event);
  CapturePoint* const stream_point = find_capture_point(stream);
  if (point == captures().events.end()) {
    // Nodes of a graph can't depend on work that is not captured.
    *status = status_of::isolation;
    return stream_point != nullptr;
  }
  *status = code::success;
  if (stream_point == nullptr) {
    add_capture_point(stream, point->second);
  } else if (stream_point->capture != point->second.capture) {
    *status = status_of::merge;
  } else {
    for (GraphNode* const one : point->second.last) {
      if (std::ranges::find(stream_point->last, one) == stream_point->last.end())
        stream_point->last.push_back(one);
    }
  }
  return true;
}

int stream_begin_capture_v1(void* stream) { return stream_begin_capture(stream, 0); }

int stream_begin_capture(void* stream, int mode) {
  return with_lock([&] { return begin(stream, mode, nullptr, {}); });
}

int stream_begin_capture_to(void* stream, void* handle, void* const* nodes, const abi::EdgeData*,
                            std::size_t count, int mode) {
  return with_lock([&]() -> int {
    Graph* const graph = find_graph(handle);
    std::vector<GraphNode*> dependencies;
    if (graph == nullptr || (count != 0 && has_null(nodes))) return code::invalid_value;
    if (!take_nodes(*graph, nodes, count, dependencies)) return code::invalid_value;
    return begin(stream, mode, graph, std::move(dependencies));
  });
}

int stream_end_capture(void* stream, void** handle) {
  return with_lock([&]() -> int {
    if (has_null(handle)) return code::invalid_value;
    *handle = nullptr;
    const CapturePoint* const point = find_capture_point(stream);
    if (point == nullptr) return status_of::illegal_state;
    const CapturePoint end_point = *point;
    const std::shared_ptr<CaptureInProgress> capture = end_point.capture;
    if (capture->origin != stream) {
      capture->is_invalid = true;
      return status_of::unmatched;
    }
    const bool is_whole = is_joined(*capture, end_point);
    end(*capture);
    if (capture->is_invalid || !is_whole) {
      if (capture->is_own_graph) static_cast<void>(remove_graph(capture->graph));
      return capture->is_invalid ? status_of::invalidated : status_of::unjoined;
    }
    *handle = capture->graph;
    return code::success;
  });
}

int stream_is_capturing(void* stream, int* status) {
  return with_lock([&]() -> int {
    if (has_null(status)) return code::invalid_value;
    const auto queue = rehearsal::System::instance().stream(stream);
    if (queue == nullptr) return code::invalid_handle;
    if (is_legacy(stream) && is_blocking_stream_captured()) return status_of::implicit;
    constexpr int active = 1;
    *status =
        rehearsal::is_captured(*queue) ? active : status_of_capture(find_capture_point(stream));
    return code::success;
  });
}

int stream_get_capture_info_v1(void* stream, int* status, std::uint64_t* id) {
  return stream_get_capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

int stream_get_capture_info_v2(void* stream, int* status, std::uint64_t* id, void** graph,
                               const void** nodes, std::size_t* count) {
  return stream_get_capture_info(stream, status, id, graph, nodes, nullptr, count);
}

int stream_get_capture_info(void* stream, int* status, std::uint64_t* id, void** graph,
                            const void** nodes, const void** edges, std::size_t* count) {
  return with_lock([&]() -> int {
    if (has_null(status)) return code::invalid_value;
    if (rehearsal::System::instance().stream(stream) == nullptr) return code::invalid_handle;
    const CapturePoint* const point = find_capture_point(stream);
    *status = status_of_capture(point);
    if (id != nullptr) *id = point != nullptr ? point->capture->id : 0;
    if (graph != nullptr) *graph = point != nullptr ? point->capture->graph : nullptr;
    if (nodes != nullptr) {
      *nodes = point != nullptr ? static_cast<const void*>(point->last.data()) : nullptr;
    }
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = point != nullptr ? point->last.size() : 0;
    return code::success;
  });
}

int stream_update_capture_v1(void* stream, void* const* nodes, std::size_t count, unsigned flags) {
  return stream_update_capture(stream, nodes, nullptr, count, flags);
}

int stream_update_capture(void* stream, void* const* nodes, const abi::EdgeData*, std::size_t count,
                          unsigned flags) {
  constexpr unsigned set = 1;  // replaces the dependencies instead of adding to them
  return with_lock([&]() -> int {
    CapturePoint* const point = find_capture_point(stream);
    if (point == nullptr) return status_of::illegal_state;
    if (flags > set || (count != 0 && has_null(nodes))) return code::invalid_value;
    std::vector<GraphNode*> last;
    if (flags != set) last = point->last;
    if (!take_nodes(*point->capture->graph, nodes, count, last)) return code::invalid_value;
    point->last = std::move(last);
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
