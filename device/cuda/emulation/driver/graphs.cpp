// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Graphs: what they are made of, and what programs ask of them.

#include "device/cuda/emulation/driver/graphs.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "device/cuda/emulation/driver/calls.hpp"

namespace skerry::emulation::driver {

namespace {

struct AllGraphs {
  std::recursive_mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<Graph>> graphs;
  std::unordered_set<const void*> nodes;
};

AllGraphs& tables() noexcept {
  static auto* const all = new AllGraphs;  // programs may call while the process ends
  return *all;
}

/// Writes as many handles as there is room for, or says how many there are.
template <class Handle>
int give_list(std::span<Handle* const> found, void** into, std::size_t* count) {
  if (has_null(count)) return code::invalid_value;
  if (into != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) into[i] = i < found.size() ? found[i] : nullptr;
    *count = std::min(*count, found.size());
  } else {
    *count = found.size();
  }
  return code::success;
}

template <class Body>
int with_graph(const void* handle, Body body) noexcept {
  return answer([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const found = find_graph(handle);
    return found != nullptr ? body(*found) : code::invalid_value;
  });
}

template <class Body>
int with_node(const void* handle, Body body) noexcept {
  return answer([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    GraphNode* const found = find_node(handle);
    return found != nullptr ? body(*found) : code::invalid_value;
  });
}

std::vector<GraphNode*> nodes_of(const Graph& in) {
  std::vector<GraphNode*> found;
  found.reserve(in.nodes.size());
  for (const auto& each : in.nodes) found.push_back(each.get());
  return found;
}

void clone_into(const Graph& from, Graph& to) {
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& each : from.nodes) copies[each.get()] = add_node(to, each->kind, {}, each->work);
  for (const auto& each : from.nodes) {
    for (const GraphNode* one : each->after) copies[each.get()]->after.push_back(copies[one]);
  }
  to.held = from.held;
}

}  // namespace

std::recursive_mutex& graphs_mutex() noexcept { return tables().mutex; }

Graph* add_graph() {
  auto fresh = std::make_unique<Graph>();
  Graph* const handle = fresh.get();
  const std::lock_guard lock(graphs_mutex());
  tables().graphs.emplace(handle, std::move(fresh));
  return handle;
}

bool remove_graph(const void* handle) noexcept {
  std::unique_ptr<Graph> removed;  // what it holds may call the driver: after the lock
  const std::lock_guard lock(graphs_mutex());
  const auto found = tables().graphs.find(handle);
  if (found == tables().graphs.end()) return false;
  removed = std::move(found->second);
  tables().graphs.erase(found);
  for (const auto& each : removed->nodes) tables().nodes.erase(each.get());
  return true;
}

Graph* find_graph(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto found = tables().graphs.find(handle);
  return found != tables().graphs.end() ? found->second.get() : nullptr;
}

GraphNode* find_node(const void* handle) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const bool is_known = tables().nodes.contains(handle);
  return is_known ? static_cast<GraphNode*>(const_cast<void*>(handle)) : nullptr;
}

GraphNode* add_node(Graph& to, NodeKind kind, std::span<GraphNode* const> after, node_work work) {
  const std::lock_guard lock(graphs_mutex());
  to.nodes.push_back(std::make_unique<GraphNode>(
      GraphNode{&to, kind, std::move(work), {after.begin(), after.end()}}));
  tables().nodes.insert(to.nodes.back().get());
  return to.nodes.back().get();
}

std::vector<ExecutableGraph::Step> ordered_steps(const Graph& of) {
  const std::lock_guard lock(graphs_mutex());
  std::vector<ExecutableGraph::Step> steps;
  std::unordered_map<const GraphNode*, std::size_t> places;
  const auto is_placed = [&](const GraphNode* one) { return places.contains(one); };
  for (std::size_t before = 0; steps.size() < of.nodes.size(); before = steps.size()) {
    for (const auto& each : of.nodes) {
      if (is_placed(each.get()) || !std::ranges::all_of(each->after, is_placed)) continue;
      places[each.get()] = steps.size();
      steps.push_back({each.get(), each->kind, each->work, {}});
      for (const GraphNode* one : each->after) steps.back().after.push_back(places[one]);
    }
    if (steps.size() == before) return {};
  }
  return steps;
}

int run_steps(std::span<const ExecutableGraph::Step> steps, void* stream) {
  for (const ExecutableGraph::Step& each : steps) {
    const int status = each.work ? each.work(stream) : code::success;
    if (status != code::success) return status;
  }
  return code::success;
}

int graph_create(void** handle, unsigned flags) {
  return answer([&]() -> int {
    if (has_null(handle) || flags != 0) return code::invalid_value;
    *handle = add_graph();
    return code::success;
  });
}

int graph_destroy(void* handle) {
  return answer([&] { return remove_graph(handle) ? code::success : code::invalid_value; });
}

int graph_clone(void** clone, void* handle) {
  return with_graph(handle, [&](const Graph& from) -> int {
    if (has_null(clone)) return code::invalid_value;
    Graph* const to = add_graph();
    clone_into(from, *to);
    *clone = to;
    return code::success;
  });
}

int graph_get_nodes(void* handle, void** nodes, std::size_t* count) {
  return with_graph(
      handle, [&](const Graph& in) { return give_list<GraphNode>(nodes_of(in), nodes, count); });
}

int graph_get_root_nodes(void* handle, void** nodes, std::size_t* count) {
  return with_graph(handle, [&](const Graph& in) {
    std::vector<GraphNode*> found = nodes_of(in);
    std::erase_if(found, [](const GraphNode* one) { return !one->after.empty(); });
    return give_list<GraphNode>(found, nodes, count);
  });
}

int graph_get_edges_v1(void* handle, void** from, void** to, std::size_t* count) {
  return graph_get_edges(handle, from, to, nullptr, count);
}

int graph_get_edges(void* handle, void** from, void** to, abi::EdgeData* edges,
                    std::size_t* count) {
  return with_graph(handle, [&](const Graph& in) -> int {
    if (has_null(count) || (from == nullptr) != (to == nullptr)) return code::invalid_value;
    std::vector<GraphNode*> begins;
    std::vector<GraphNode*> ends;
    for (const auto& each : in.nodes) {
      begins.insert(begins.end(), each->after.begin(), each->after.end());
      ends.insert(ends.end(), each->after.size(), each.get());
    }
    if (edges != nullptr && from != nullptr) {
      std::fill_n(edges, std::min(*count, begins.size()), abi::EdgeData{});
    }
    std::size_t same = *count;
    static_cast<void>(give_list<GraphNode>(ends, to, &same));
    return give_list<GraphNode>(begins, from, count);
  });
}

int graph_add_dependencies_v1(void* handle, void* const* from, void* const* to, std::size_t count) {
  return graph_add_dependencies(handle, from, to, nullptr, count);
}

int graph_add_dependencies(void* handle, void* const* from, void* const* to, const abi::EdgeData*,
                           std::size_t count) {
  return with_graph(handle, [&](const Graph& in) -> int {
    if (count != 0 && has_null(from, to)) return code::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode* const begin = find_node(from[i]);
      GraphNode* const end = find_node(to[i]);
      if (has_null(begin, end) || begin->owner != &in || end->owner != &in) {
        return code::invalid_value;
      }
      end->after.push_back(begin);
    }
    return code::success;
  });
}

int graph_node_get_type(void* handle, int* type) {
  return with_node(handle, [&](const GraphNode& of) -> int {
    if (has_null(type)) return code::invalid_value;
    *type = static_cast<int>(of.kind);
    return code::success;
  });
}

int graph_node_get_dependencies_v1(void* handle, void** nodes, std::size_t* count) {
  return graph_node_get_dependencies(handle, nodes, nullptr, count);
}

int graph_node_get_dependencies(void* handle, void** nodes, abi::EdgeData* edges,
                                std::size_t* count) {
  return with_node(handle, [&](const GraphNode& of) -> int {
    if (has_null(count)) return code::invalid_value;
    if (edges != nullptr && nodes != nullptr) std::fill_n(edges, *count, abi::EdgeData{});
    return give_list<GraphNode>(of.after, nodes, count);
  });
}

int graph_node_get_dependents_v1(void* handle, void** nodes, std::size_t* count) {
  return graph_node_get_dependents(handle, nodes, nullptr, count);
}

int graph_node_get_dependents(void* handle, void** nodes, abi::EdgeData* edges,
                              std::size_t* count) {
  return with_node(handle, [&](GraphNode& of) -> int {
    if (has_null(count)) return code::invalid_value;
    if (edges != nullptr && nodes != nullptr) std::fill_n(edges, *count, abi::EdgeData{});
    std::vector<GraphNode*> found = nodes_of(*of.owner);
    std::erase_if(found, [&](const GraphNode* one) {
      return std::ranges::find(one->after, &of) == one->after.end();
    });
    return give_list<GraphNode>(found, nodes, count);
  });
}

int graph_destroy_node(void* handle) {
  return with_node(handle, [&](GraphNode& of) {
    Graph& owner = *of.owner;
    for (const auto& each : owner.nodes) std::erase(each->after, &of);
    tables().nodes.erase(&of);
    std::erase_if(owner.nodes, [&](const auto& one) { return one.get() == &of; });
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
