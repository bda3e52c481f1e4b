// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/emulator/driver/entry_points.hpp"

namespace skerry::emulation::driver {

/// CUgraphNodeType
enum class NodeKind : int {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  graph = 4,
  empty = 5,
  event_wait = 6,
  event_record = 7,
  allocation = 10,
  release = 11,
};

/// Enqueues a node's work on the stream that its graph is launched on. Returns a status.
using node_operation = std::function<int(void* stream)>;

struct Graph;

struct GraphNode {
  Graph* owner = nullptr;
  NodeKind kind = NodeKind::empty;
  node_operation operation{};  ///< empty if the node does no work
  std::vector<GraphNode*> dependencies{};
};

struct Graph {
  /// In insertion order.
  std::vector<std::unique_ptr<GraphNode>> nodes;
  /// Owned by the graph for its nodes: memory that they allocate, user objects.
  std::vector<std::shared_ptr<void>> resources;
};

/// Nodes in topological order, which a launch runs one after the other.
struct ExecutableGraph {
  struct Step {
    const GraphNode* node = nullptr;
    NodeKind kind = NodeKind::empty;
    node_operation operation{};
    std::vector<std::size_t> dependencies{};  ///< indices of steps
  };
  std::vector<Step> steps;
  std::vector<std::shared_ptr<void>> resources;
};

/// Guards all graphs and captures. Node operations are never called while it is locked.
[[nodiscard]] std::recursive_mutex& graphs_mutex() noexcept;

[[nodiscard]] Graph* add_graph();
/// False if there is no such graph.
[[nodiscard]] bool remove_graph(const void* handle) noexcept;
/// Returns null if there is no such graph or node.
[[nodiscard]] Graph* find_graph(const void* handle) noexcept;
[[nodiscard]] GraphNode* find_node(const void* handle) noexcept;

/// Throws bad_alloc.
GraphNode* add_node(Graph& graph, NodeKind kind, std::span<GraphNode* const> dependencies,
                    node_operation operation);
/// Returns the steps of a graph, or none if its dependencies have a cycle.
[[nodiscard]] std::vector<ExecutableGraph::Step> ordered_steps(const Graph& graph);
/// Enqueues the steps on a stream. Returns a status.
[[nodiscard]] int run_steps(std::span<const ExecutableGraph::Step> steps, void* stream);

/// Returns null if there is no such executable graph.
[[nodiscard]] std::shared_ptr<ExecutableGraph> find_executable(const void* handle) noexcept;

/// Allocates device memory for a graph's node. The graph and its executables own it, unless it is
/// freed earlier. Returns a status.
[[nodiscard]] int allocate_for_graph(Graph& graph, address* data, std::size_t nbytes);

}  // namespace skerry::emulation::driver
