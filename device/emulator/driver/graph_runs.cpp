// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Executable graphs: a launch enqueues their steps on its stream.

#include <unordered_map>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/graphs.hpp"

namespace skerry::emulation::driver {

namespace {

std::unordered_map<const void*, std::shared_ptr<ExecutableGraph>>& executables() noexcept {
  static auto* const all = new std::unordered_map<const void*, std::shared_ptr<ExecutableGraph>>;
  return *all;
}

int instantiate(void** executable, const void* handle) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const graph = find_graph(handle);
  if (has_null(executable, graph)) return code::invalid_value;
  auto new_executable = std::make_shared<ExecutableGraph>();
  new_executable->steps = ordered_steps(*graph);
  new_executable->resources = graph->resources;
  if (new_executable->steps.size() != graph->nodes.size()) return code::invalid_value;
  *executable = new_executable.get();
  executables().emplace(*executable, std::move(new_executable));
  return code::success;
}

// CUgraphExecUpdateResult
constexpr int updated = 0;
constexpr int topology_changed = 2;
constexpr int kind_changed = 3;

/// Compares an executable graph with the steps of another graph. Returns a CUgraphExecUpdateResult
/// and the first node that prevents the update.
int difference(const ExecutableGraph& executable, const std::vector<ExecutableGraph::Step>& other,
               const GraphNode** error_node) {
  if (executable.steps.size() != other.size()) return topology_changed;
  for (std::size_t k = 0; k < other.size(); ++k) {
    *error_node = other[k].node;
    if (executable.steps[k].kind != other[k].kind) return kind_changed;
    if (executable.steps[k].dependencies != other[k].dependencies) return topology_changed;
  }
  *error_node = nullptr;
  return updated;
}

}  // namespace

std::shared_ptr<ExecutableGraph> find_executable(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto entry = executables().find(handle);
  return entry != executables().end() ? entry->second : nullptr;
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

int graph_instantiate_with(void** executable, void* graph,
                           abi::GraphInstantiation* instantiate_params) {
  return in_context([&]() -> int {
    if (has_null(instantiate_params)) return code::invalid_value;
    instantiate_params->error_node = nullptr;
    const int status = instantiate(executable, graph);
    instantiate_params->result = status == code::success ? 0 : 1;
    return status;
  });
}

int executable_destroy(void* executable) {
  return run_entry_point([&]() -> int {
    std::shared_ptr<ExecutableGraph> executable_graph = find_executable(executable);
    const std::lock_guard lock(graphs_mutex());
    return executables().erase(executable) == 1 ? code::success : code::invalid_value;
  });
}

int executable_update(void* executable, void* handle, abi::GraphUpdate* result) {
  constexpr int update_failure = 910;
  return in_context([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    const auto executable_graph = find_executable(executable);
    const Graph* const graph = find_graph(handle);
    if (has_null(graph) || executable_graph == nullptr) return code::invalid_value;
    std::vector<ExecutableGraph::Step> steps = ordered_steps(*graph);
    const GraphNode* error_node = nullptr;
    const int update_result = difference(*executable_graph, steps, &error_node);
    if (result != nullptr) *result = {update_result, const_cast<GraphNode*>(error_node), nullptr};
    if (update_result != updated) return update_failure;
    // Steps keep the nodes of the original graph, which later calls refer to.
    for (std::size_t k = 0; k < steps.size(); ++k)
      executable_graph->steps[k].operation = std::move(steps[k].operation);
    executable_graph->resources.insert(executable_graph->resources.end(), graph->resources.begin(),
                                       graph->resources.end());
    return code::success;
  });
}

int executable_update_v1(void* executable, void* handle, void** error_node, int* update_result) {
  abi::GraphUpdate result{};
  const int status = executable_update(executable, handle, &result);
  if (error_node != nullptr) *error_node = result.error_node;
  if (update_result != nullptr) *update_result = result.result;
  return status;
}

int graph_launch(void* executable, void* stream) {
  return in_context([&]() -> int {
    const auto executable_graph = find_executable(executable);
    if (executable_graph == nullptr) return code::invalid_value;
    std::vector<ExecutableGraph::Step> steps;
    {
      const std::lock_guard lock(graphs_mutex());
      steps = executable_graph->steps;
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
  return run_entry_point([&]() -> int {
    if (has_null(flags) || find_executable(executable) == nullptr) return code::invalid_value;
    *flags = 0;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
