// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Creation, destruction and queries of graphs and their nodes.

#include "device/emulator/driver/graphs.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

struct AllGraphs {
  std::recursive_mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<Graph>> graphs;
  std::unordered_set<const void*> nodes;
};

AllGraphs& tables() noexcept {
  static auto* const all = new AllGraphs;  // leaked: may be used during process exit
  return *all;
}

/// Writes up to `*count` handles, or only their number if `output` is null.
template <class Handle>
int give_list(std::span<Handle* const> handles, void** output, std::size_t* count) {
  if (has_null(count)) return code::invalid_value;
  if (output != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) output[i] = i < handles.size() ? handles[i] : nullptr;
    *count = std::min(*count, handles.size());
  } else {
    *count = handles.size();
  }
  return code::success;
}

template <class Body>
int with_graph(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const graph = find_graph(handle);
    return graph != nullptr ? body(*graph) : code::invalid_value;
  });
}

template <class Body>
int with_node(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    GraphNode* const node = find_node(handle);
    return node != nullptr ? body(*node) : code::invalid_value;
  });
}

std::vector<GraphNode*> nodes_of(const Graph& in) {
  std::vector<GraphNode*> nodes;
  nodes.reserve(in.nodes.size());
  for (const auto& node : in.nodes) nodes.push_back(node.get());
  return nodes;
}

void clone_into(const Graph& source, Graph& clone) {
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : source.nodes)
    copies[node.get()] = add_node(clone, node->kind, {}, node->operation);
  for (const auto& node : source.nodes) {
    for (const GraphNode* one : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[one]);
  }
  clone.resources = source.resources;
}

}  // namespace

std::recursive_mutex& graphs_mutex() noexcept { return tables().mutex; }

Graph* add_graph() {
  auto new_graph = std::make_unique<Graph>();
  Graph* const handle = new_graph.get();
  const std::lock_guard lock(graphs_mutex());
  tables().graphs.emplace(handle, std::move(new_graph));
  return handle;
}

bool remove_graph(const void* handle) noexcept {
  std::unique_ptr<Graph> removed;  // destroyed after the lock: its resources may call the driver
  const std::lock_guard lock(graphs_mutex());
  const auto entry = tables().graphs.find(handle);
  if (entry == tables().graphs.end()) return false;
  removed = std::move(entry->second);
  tables().graphs.erase(entry);
  for (const auto& node : removed->nodes) tables().nodes.erase(node.get());
  return true;
}

Graph* find_graph(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto entry = tables().graphs.find(handle);
  return entry != tables().graphs.end() ? entry->second.get() : nullptr;
}

GraphNode* find_node(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const bool is_known = tables().nodes.contains(handle);
  return is_known ? static_cast<GraphNode*>(const_cast<void*>(handle)) : nullptr;
}

GraphNode* add_node(Graph& graph, NodeKind kind, std::span<GraphNode* const> dependencies,
                    node_operation operation) {
  const std::lock_guard lock(graphs_mutex());
  graph.nodes.push_back(std::make_unique<GraphNode>(
      GraphNode{&graph, kind, std::move(operation), {dependencies.begin(), dependencies.end()}}));
  tables().nodes.insert(graph.nodes.back().get());
  return graph.nodes.back().get();
}

std::vector<ExecutableGraph::Step> ordered_steps(const Graph& graph) {
  const std::lock_guard lock(graphs_mutex());
  std::vector<ExecutableGraph::Step> steps;
  std::unordered_map<const GraphNode*, std::size_t> positions;
  const auto is_placed = [&](const GraphNode* one) { return positions.contains(one); };
  for (std::size_t previous_count = 0; steps.size() < graph.nodes.size();
       previous_count = steps.size()) {
    for (const auto& node : graph.nodes) {
      if (is_placed(node.get()) || !std::ranges::all_of(node->dependencies, is_placed)) continue;
      positions[node.get()] = steps.size();
      steps.push_back({node.get(), node->kind, node->operation, {}});
      for (const GraphNode* one : node->dependencies)
        steps.back().dependencies.push_back(positions[one]);
    }
    if (steps.size() == previous_count) return {};
  }
  return steps;
}

int run_steps(std::span<const ExecutableGraph::Step> steps, void* stream) {
  for (const ExecutableGraph::Step& step : steps) {
    const int status = step.operation ? step.operation(stream) : code::success;
    if (status != code::success) return status;
  }
  return code::success;
}

int graph_create(void** handle, unsigned flags) {
  return run_entry_point([&]() -> int {
    if (has_null(handle) || flags != 0) return code::invalid_value;
    *handle = add_graph();
    return code::success;
  });
}

int graph_destroy(void* handle) {
  return run_entry_point(
      [&] { return remove_graph(handle) ? code::success : code::invalid_value; });
}

int graph_clone(void** clone, void* handle) {
  return with_graph(handle, [&](const Graph& source) -> int {
    if (has_null(clone)) return code::invalid_value;
    Graph* const new_graph = add_graph();
    clone_into(source, *new_graph);
    *clone = new_graph;
    return code::success;
  });
}

int graph_get_nodes(void* handle, void** nodes, std::size_t* count) {
  return with_graph(
      handle, [&](const Graph& in) { return give_list<GraphNode>(nodes_of(in), nodes, count); });
}

int graph_get_root_nodes(void* handle, void** nodes, std::size_t* count) {
  return with_graph(handle, [&](const Graph& in) {
    std::vector<GraphNode*> roots = nodes_of(in);
    std::erase_if(roots, [](const GraphNode* one) { return !one->dependencies.empty(); });
    return give_list<GraphNode>(roots, nodes, count);
  });
}

int graph_get_edges_v1(void* handle, void** from_nodes, void** to_nodes, std::size_t* count) {
  return graph_get_edges(handle, from_nodes, to_nodes, nullptr, count);
}

int graph_get_edges(void* handle, void** from_nodes, void** to_nodes, abi::EdgeData* edges,
                    std::size_t* count) {
  return with_graph(handle, [&](const Graph& in) -> int {
    if (has_null(count) || (from_nodes == nullptr) != (to_nodes == nullptr))
      return code::invalid_value;
    std::vector<GraphNode*> begins;
    std::vector<GraphNode*> ends;
    for (const auto& node : in.nodes) {
      begins.insert(begins.end(), node->dependencies.begin(), node->dependencies.end());
      ends.insert(ends.end(), node->dependencies.size(), node.get());
    }
    if (edges != nullptr && from_nodes != nullptr) {
      std::fill_n(edges, std::min(*count, begins.size()), abi::EdgeData{});
    }
    std::size_t same = *count;
    static_cast<void>(give_list<GraphNode>(ends, to_nodes, &same));
    return give_list<GraphNode>(begins, from_nodes, count);
  });
}

int graph_add_dependencies_v1(void* handle, void* const* from_nodes, void* const* to_nodes,
                              std::size_t count) {
  return graph_add_dependencies(handle, from_nodes, to_nodes, nullptr, count);
}

int graph_add_dependencies(void* handle, void* const* from_nodes, void* const* to_nodes,
                           const abi::EdgeData*, std::size_t count) {
  return with_graph(handle, [&](const Graph& in) -> int {
    if (count != 0 && has_null(from_nodes, to_nodes)) return code::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode* const begin = find_node(from_nodes[i]);
      GraphNode* const end = find_node(to_nodes[i]);
      if (has_null(begin, end) || begin->owner != &in || end->owner != &in) {
        return code::invalid_value;
      }
      end->dependencies.push_back(begin);
    }
    return code::success;
  });
}

int graph_node_get_type(void* handle, int* type) {
  return with_node(handle, [&](const GraphNode& node) -> int {
    if (has_null(type)) return code::invalid_value;
    *type = static_cast<int>(node.kind);
    return code::success;
  });
}

int graph_node_get_dependencies_v1(void* handle, void** nodes, std::size_t* count) {
  return graph_node_get_dependencies(handle, nodes, nullptr, count);
}

int graph_node_get_dependencies(void* handle, void** nodes, abi::EdgeData* edges,
                                std::size_t* count) {
  return with_node(handle, [&](const GraphNode& node) -> int {
    if (has_null(count)) return code::invalid_value;
    if (edges != nullptr && nodes != nullptr) std::fill_n(edges, *count, abi::EdgeData{});
    return give_list<GraphNode>(node.dependencies, nodes, count);
  });
}

int graph_node_get_dependents_v1(void* handle, void** nodes, std::size_t* count) {
  return graph_node_get_dependents(handle, nodes, nullptr, count);
}

int graph_node_get_dependents(void* handle, void** nodes, abi::EdgeData* edges,
                              std::size_t* count) {
  return with_node(handle, [&](GraphNode& node) -> int {
    if (has_null(count)) return code::invalid_value;
    if (edges != nullptr && nodes != nullptr) std::fill_n(edges, *count, abi::EdgeData{});
    std::vector<GraphNode*> dependents = nodes_of(*node.owner);
    std::erase_if(dependents, [&](const GraphNode* one) {
      return std::ranges::find(one->dependencies, &node) == one->dependencies.end();
    });
    return give_list<GraphNode>(dependents, nodes, count);
  });
}

int graph_destroy_node(void* handle) {
  return with_node(handle, [&](GraphNode& node) {
    Graph& owner = *node.owner;
    for (const auto& other_node : owner.nodes) std::erase(other_node->dependencies, &node);
    tables().nodes.erase(&node);
    std::erase_if(owner.nodes, [&](const auto& one) { return one.get() == &node; });
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
