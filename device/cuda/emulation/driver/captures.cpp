// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/driver/captures.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/rehearsal/control.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation::driver {

namespace {

namespace status_of {
constexpr int illegal_state = 401;
constexpr int capture_unsupported = 900;
constexpr int merge = 902;
constexpr int unmatched = 903;
constexpr int unjoined = 904;
constexpr int isolation = 905;
}  // namespace status_of

/// What streams are captured for.
struct CaptureInProgress {
  Graph* into = nullptr;
  std::uint64_t id = 0;
  void* origin = nullptr;
  bool is_own_graph = true;  ///< begun with the capture
};

/// A place in a graph: of a stream, or where an event was recorded.
struct CapturedPlace {
  std::shared_ptr<CaptureInProgress> of;
  std::vector<GraphNode*> last;
};

struct AllCaptures {
  std::unordered_map<void*, CapturedPlace> streams;
  std::unordered_map<void*, CapturedPlace> events;
  std::uint64_t next_id = 1;
};

AllCaptures& captures() noexcept {
  static auto* const all = new AllCaptures;
  return *all;
}

CapturedPlace* place_of(void* stream) noexcept {
  const auto found = captures().streams.find(stream);
  return found != captures().streams.end() ? &found->second : nullptr;
}

void add_place(void* stream, CapturedPlace place) {
  captures().streams[stream] = std::move(place);
  captured_streams.store(static_cast<int>(captures().streams.size()));
}

void end(const CaptureInProgress& what) noexcept {
  const auto is_its = [&](const auto& one) { return one.second.of.get() == &what; };
  std::erase_if(captures().streams, is_its);
  std::erase_if(captures().events, is_its);
  captured_streams.store(static_cast<int>(captures().streams.size()));
  rehearsal::set_captured(nullptr);
}

[[nodiscard]] bool is_default(const void* stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

/// Whether all that other streams of the capture have done is before the origin's end.
bool is_joined(const CaptureInProgress& what, const CapturedPlace& at) {
  std::unordered_set<const GraphNode*> seen;
  std::vector<const GraphNode*> open(at.last.begin(), at.last.end());
  while (!open.empty()) {
    const GraphNode* const one = open.back();
    open.pop_back();
    if (seen.insert(one).second) open.insert(open.end(), one->after.begin(), one->after.end());
  }
  return std::ranges::all_of(captures().streams, [&](const auto& each) {
    return each.second.of.get() != &what ||
           std::ranges::all_of(each.second.last, [&](auto* node) { return seen.contains(node); });
  });
}

int begin(void* stream, int mode, Graph* into, std::vector<GraphNode*> after) {
  constexpr int last_mode = 2;
  if (mode < 0 || mode > last_mode) return code::invalid_value;
  if (is_default(stream)) return status_of::capture_unsupported;
  if (rehearsal::Machine::instance().stream(stream) == nullptr) return code::invalid_handle;
  if (place_of(stream) != nullptr) return status_of::illegal_state;
  auto fresh = std::make_shared<CaptureInProgress>();
  fresh->is_own_graph = into == nullptr;
  fresh->into = into != nullptr ? into : add_graph();
  fresh->id = captures().next_id++;
  fresh->origin = stream;
  add_place(stream, {std::move(fresh), std::move(after)});
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

/// Nodes of a graph by their handles; false if one is none.
bool take_nodes(const Graph& in, void* const* handles, std::size_t count,
                std::vector<GraphNode*>& into) {
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const one = find_node(handles[i]);
    if (one == nullptr || one->owner != &in) return false;
    if (std::ranges::find(into, one) == into.end()) into.push_back(one);
  }
  return true;
}

}  // namespace

bool is_in_capture(void* stream) noexcept {
  const std::lock_guard lock(graphs_mutex());
  return place_of(stream) != nullptr;
}

int capture(void* stream, NodeKind kind, node_work work) {
  const std::lock_guard lock(graphs_mutex());
  CapturedPlace* const at = place_of(stream);
  if (at == nullptr) return status_of::illegal_state;
  at->last = {add_node(*at->of->into, kind, at->last, std::move(work))};
  return code::success;
}

int capture_allocation(void* stream, address* data, std::size_t nbytes) {
  const std::lock_guard lock(graphs_mutex());
  CapturedPlace* const at = place_of(stream);
  if (at == nullptr) return status_of::illegal_state;
  const int status = allocate_for_graph(*at->of->into, data, nbytes);
  return status != code::success ? status : capture(stream, NodeKind::allocation, {});
}

bool capture_record(void* event, void* stream, int* status) {
  if (captured_streams.load() == 0) return false;
  const std::lock_guard lock(graphs_mutex());
  captures().events.erase(event);
  const CapturedPlace* const at = place_of(stream);
  if (at == nullptr) return false;
  captures().events.emplace(event, *at);
  *status = code::success;
  return true;
}

bool capture_wait(void* stream, void* event, int* status) {
  if (captured_streams.load() == 0) return false;
  const std::lock_guard lock(graphs_mutex());
  const auto point = captures().events.find(event);
  CapturedPlace* const at = place_of(stream);
  if (point == captures().events.end()) {
    // Work that nobody captures can't be before work in a graph.
    *status = status_of::isolation;
    return at != nullptr;
  }
  *status = code::success;
  if (at == nullptr) {
    add_place(stream, point->second);
  } else if (at->of != point->second.of) {
    *status = status_of::merge;
  } else {
    for (GraphNode* const one : point->second.last) {
      if (std::ranges::find(at->last, one) == at->last.end()) at->last.push_back(one);
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
    Graph* const into = find_graph(handle);
    std::vector<GraphNode*> after;
    if (into == nullptr || (count != 0 && has_null(nodes))) return code::invalid_value;
    if (!take_nodes(*into, nodes, count, after)) return code::invalid_value;
    return begin(stream, mode, into, std::move(after));
  });
}

int stream_end_capture(void* stream, void** handle) {
  return with_lock([&]() -> int {
    if (has_null(handle)) return code::invalid_value;
    *handle = nullptr;
    const CapturedPlace* const found = place_of(stream);
    if (found == nullptr) return status_of::illegal_state;
    const CapturedPlace at = *found;
    const std::shared_ptr<CaptureInProgress> what = at.of;
    if (what->origin != stream) return status_of::unmatched;
    const bool is_whole = is_joined(*what, at);
    end(*what);
    if (!is_whole) {
      if (what->is_own_graph) static_cast<void>(remove_graph(what->into));
      return status_of::unjoined;
    }
    *handle = what->into;
    return code::success;
  });
}

int stream_is_capturing(void* stream, int* status) {
  return with_lock([&]() -> int {
    if (has_null(status)) return code::invalid_value;
    if (rehearsal::Machine::instance().stream(stream) == nullptr) return code::invalid_handle;
    *status = place_of(stream) != nullptr ? 1 : 0;
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
    if (rehearsal::Machine::instance().stream(stream) == nullptr) return code::invalid_handle;
    const CapturedPlace* const at = place_of(stream);
    *status = at != nullptr ? 1 : 0;
    if (id != nullptr) *id = at != nullptr ? at->of->id : 0;
    if (graph != nullptr) *graph = at != nullptr ? at->of->into : nullptr;
    if (nodes != nullptr) {
      *nodes = at != nullptr ? static_cast<const void*>(at->last.data()) : nullptr;
    }
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = at != nullptr ? at->last.size() : 0;
    return code::success;
  });
}

int stream_update_capture_v1(void* stream, void* const* nodes, std::size_t count, unsigned flags) {
  return stream_update_capture(stream, nodes, nullptr, count, flags);
}

int stream_update_capture(void* stream, void* const* nodes, const abi::EdgeData*, std::size_t count,
                          unsigned flags) {
  constexpr unsigned set = 1;  // in the place of those that there are
  return with_lock([&]() -> int {
    CapturedPlace* const at = place_of(stream);
    if (at == nullptr) return status_of::illegal_state;
    if (flags > set || (count != 0 && has_null(nodes))) return code::invalid_value;
    std::vector<GraphNode*> last;
    if (flags != set) last = at->last;
    if (!take_nodes(*at->of->into, nodes, count, last)) return code::invalid_value;
    at->last = std::move(last);
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
