// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Graphs that were made executable: a launch enqueues their steps on its stream.

#include <unordered_map>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/graphs.hpp"

namespace skerry::emulation::driver {

namespace {

std::unordered_map<const void*, std::shared_ptr<ExecutableGraph>>& executables() noexcept {
  static auto* const all = new std::unordered_map<const void*, std::shared_ptr<ExecutableGraph>>;
  return *all;
}

int instantiate(void** executable, const void* handle) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const from = find_graph(handle);
  if (has_null(executable, from)) return code::invalid_value;
  auto fresh = std::make_shared<ExecutableGraph>();
  fresh->steps = ordered_steps(*from);
  fresh->held = from->held;
  if (fresh->steps.size() != from->nodes.size()) return code::invalid_value;
  *executable = fresh.get();
  executables().emplace(*executable, std::move(fresh));
  return code::success;
}

// Of CUgraphExecUpdateResult.
constexpr int updated = 0;
constexpr int topology_changed = 2;
constexpr int kind_changed = 3;

/// What keeps a graph from taking another one's place, and at which node.
int difference(const ExecutableGraph& of, const std::vector<ExecutableGraph::Step>& other,
               const GraphNode** at) {
  if (of.steps.size() != other.size()) return topology_changed;
  for (std::size_t k = 0; k < other.size(); ++k) {
    *at = other[k].of;
    if (of.steps[k].kind != other[k].kind) return kind_changed;
    if (of.steps[k].after != other[k].after) return topology_changed;
  }
  *at = nullptr;
  return updated;
}

}  // namespace

std::shared_ptr<ExecutableGraph> find_executable(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto found = executables().find(handle);
  return found != executables().end() ? found->second : nullptr;
}

int graph_instantiate_v1(void** executable, void* graph, void** error_node, char* log,
                         std::size_t nbytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && nbytes != 0) *log = '\0';
  return in_context([&] { return instantiate(executable, graph); });
}

int graph_instantiate(void** executable, void* graph, unsigned long long) {
  return in_context([&] { return instantiate(executable, graph); });
}

int graph_instantiate_with(void** executable, void* graph, abi::GraphInstantiation* how) {
  return in_context([&]() -> int {
    if (has_null(how)) return code::invalid_value;
    how->error_node = nullptr;
    const int status = instantiate(executable, graph);
    how->result = status == code::success ? 0 : 1;
    return status;
  });
}

int executable_destroy(void* executable) {
  return answer([&]() -> int {
    std::shared_ptr<ExecutableGraph> held = find_executable(executable);
    const std::lock_guard lock(graphs_mutex());
    return executables().erase(executable) == 1 ? code::success : code::invalid_value;
  });
}

int executable_update(void* executable, void* handle, abi::GraphUpdate* result) {
  constexpr int update_failure = 910;
  return in_context([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    const auto found = find_executable(executable);
    const Graph* const from = find_graph(handle);
    if (has_null(from) || found == nullptr) return code::invalid_value;
    std::vector<ExecutableGraph::Step> steps = ordered_steps(*from);
    const GraphNode* at = nullptr;
    const int what = difference(*found, steps, &at);
    if (result != nullptr) *result = {what, const_cast<GraphNode*>(at), nullptr};
    if (what != updated) return update_failure;
    // Nodes are still known by those of the graph that it was made of.
    for (std::size_t k = 0; k < steps.size(); ++k) found->steps[k].work = std::move(steps[k].work);
    found->held.insert(found->held.end(), from->held.begin(), from->held.end());
    return code::success;
  });
}

int executable_update_v1(void* executable, void* handle, void** error_node, int* what) {
  abi::GraphUpdate result{};
  const int status = executable_update(executable, handle, &result);
  if (error_node != nullptr) *error_node = result.error_node;
  if (what != nullptr) *what = result.result;
  return status;
}

int graph_launch(void* executable, void* stream) {
  return in_context([&]() -> int {
    const auto found = find_executable(executable);
    if (found == nullptr) return code::invalid_value;
    std::vector<ExecutableGraph::Step> steps;
    {
      const std::lock_guard lock(graphs_mutex());
      steps = found->steps;
    }
    return run_steps(steps, stream);
  });
}

int graph_upload(void* executable, void* stream) {
  return in_context([&]() -> int {
    if (find_executable(executable) == nullptr) return code::invalid_value;
    unsigned flags = 0;
    return stream_get_flags(stream, &flags);
  });
}

int executable_get_flags(void* executable, std::uint64_t* flags) {
  return answer([&]() -> int {
    if (has_null(flags) || find_executable(executable) == nullptr) return code::invalid_value;
    *flags = 0;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
