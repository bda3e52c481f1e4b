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

/// Enqueues what a node does on the stream that its graph is launched on. A status.
using node_operation = std::function<int(void* stream)>;

struct Graph;

struct GraphNode {
  Graph* owner = nullptr;
  NodeKind kind = NodeKind::empty;
  node_operation operation{};  ///< empty where nothing is to be done
  std::vector<GraphNode*> dependencies{};
};

struct Graph {
  /// In the order in which they were added.
  std::vector<std::unique_ptr<GraphNode>> nodes;
  /// What nodes use and the graph holds: memory that they allocate, objects of the program.
  std::vector<std::shared_ptr<void>> resources;
};

/// What a launch does, one step after the other: a stream's order is one that the nodes allow.
struct ExecutableGraph {
  struct Step {
    const GraphNode* node = nullptr;
    NodeKind kind = NodeKind::empty;
    node_operation operation{};
    std::vector<std::size_t> dependencies{};  ///< places of steps
  };
  std::vector<Step> steps;
  std::vector<std::shared_ptr<void>> resources;
};

/// Guards all graphs and captures. What nodes do is never called under it.
[[nodiscard]] std::recursive_mutex& graphs_mutex() noexcept;

[[nodiscard]] Graph* add_graph();
/// False if there is none.
[[nodiscard]] bool remove_graph(const void* handle) noexcept;
/// Null for what is none.
[[nodiscard]] Graph* find_graph(const void* handle) noexcept;
[[nodiscard]] GraphNode* find_node(const void* handle) noexcept;

/// Throws bad_alloc.
GraphNode* add_node(Graph& graph, NodeKind kind, std::span<GraphNode* const> dependencies,
                    node_operation operation);
/// The steps of a graph; none where its nodes wait for each other.
[[nodiscard]] std::vector<ExecutableGraph::Step> ordered_steps(const Graph& graph);
/// Those of another graph in the place of steps, on a stream. A status.
[[nodiscard]] int run_steps(std::span<const ExecutableGraph::Step> steps, void* stream);

/// Null for what is none.
[[nodiscard]] std::shared_ptr<ExecutableGraph> find_executable(const void* handle) noexcept;

/// Memory of a device that a graph's node allocates: it is there as long as somebody holds it, and
/// nobody has freed it. A status.
[[nodiscard]] int allocate_for_graph(Graph& graph, address* data, std::size_t nbytes);

}  // namespace skerry::emulation::driver
