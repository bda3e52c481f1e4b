// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Nodes that programs add to graphs, and updates of their parameters.

#include "device/emulator/driver/graph_nodes.hpp"

#include <cstring>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/libraries.hpp"

namespace skerry::emulation::driver {

namespace {

template <class Body>
int with_lock(Body body) noexcept {
  return in_context([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    return body();
  });
}

int make(const abi::KernelNode& node_params, void* function, node_operation* operation) {
  const auto named = Registry::instance().kernel_at(function);
  if (named == nullptr) return code::invalid_handle;
  if (node_params.extra != nullptr) return unsupported("a kernel node with parameters in `extra`");
  const LaunchRequest request{.grid = node_params.grid,
                              .block = node_params.block,
                              .dynamic_shared_bytes = node_params.shared_bytes,
                              .arguments = node_params.arguments};
  if (node_params.arguments == nullptr && !named->find().code->parameters().empty()) {
    return code::invalid_value;
  }
  *operation = deferred_launch(named, request);
  return code::success;
}

int make(const abi::KernelNode& node_params, node_operation* operation) {
  return make(node_params,
              node_params.function != nullptr ? node_params.function : node_params.kernel,
              operation);
}

int make(const abi::FillNode& node_params, node_operation* operation) {
  const abi::FillNode params = node_params;
  switch (params.element_bytes) {
    case 1:
      *operation = [params](void* stream) {
        return fill_bytes_2d_async(params.target, params.pitch,
                                   static_cast<unsigned char>(params.value), params.width,
                                   params.height, stream);
      };
      return code::success;
    case 2:
      *operation = [params](void* stream) {
        return fill_shorts_2d_async(params.target, params.pitch,
                                    static_cast<unsigned short>(params.value), params.width,
                                    params.height, stream);
      };
      return code::success;
    case 4:
      *operation = [params](void* stream) {
        return fill_words_2d_async(params.target, params.pitch, params.value, params.width,
                                   params.height, stream);
      };
      return code::success;
    default:
      return code::invalid_value;
  }
}

int make(const abi::Copy3d& node_params, node_operation* operation) {
  *operation = [params = node_params](void* stream) { return copy_3d_async(&params, stream); };
  return code::success;
}

int make(const abi::HostNode& node_params, node_operation* operation) {
  if (node_params.function == nullptr) return code::invalid_value;
  *operation = [params = node_params](void* stream) {
    return launch_host_function(stream, params.function, params.data);
  };
  return code::success;
}

int make_child(const Graph& child, Graph& in, node_operation* operation) {
  const auto steps =
      std::make_shared<const std::vector<ExecutableGraph::Step>>(ordered_steps(child));
  if (steps->size() != child.nodes.size()) return code::invalid_value;
  in.resources.insert(in.resources.end(), child.resources.begin(), child.resources.end());
  *operation = [steps](void* stream) { return run_steps(*steps, stream); };
  return code::success;
}

int add(void** node, void* handle, void* const* dependencies, std::size_t count, NodeKind kind,
        node_operation operation) {
  Graph* const graph = find_graph(handle);
  if (has_null(node, graph) || (count != 0 && has_null(dependencies))) return code::invalid_value;
  std::vector<GraphNode*> dependency_nodes;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const one = find_node(dependencies[i]);
    if (one == nullptr || one->owner != graph) return code::invalid_value;
    dependency_nodes.push_back(one);
  }
  *node = add_node(*graph, kind, dependency_nodes, std::move(operation));
  return code::success;
}

/// Implements the functions that add nodes of one kind, such as cuGraphAddKernelNode. CUDA
/// before 12.2 has only these.
template <class From>
int add_typed_node(void** node, void* handle, void* const* dependencies, std::size_t count,
                   NodeKind kind, const From* node_params) noexcept {
  return with_lock([&]() -> int {
    if (has_null(node_params)) return code::invalid_value;
    node_operation operation;
    const int status = make(*node_params, &operation);
    return status != code::success
               ? status
               : add(node, handle, dependencies, count, kind, std::move(operation));
  });
}

/// Replaces a node's operation in an executable graph.
template <class From>
int set_step(void* executable, const void* node, const From* node_params) noexcept {
  return with_lock([&]() -> int {
    const auto executable_graph = find_executable(executable);
    if (has_null(node_params) || executable_graph == nullptr) return code::invalid_value;
    for (ExecutableGraph::Step& step : executable_graph->steps) {
      if (step.node == node) return make(*node_params, &step.operation);
    }
    return code::invalid_value;
  });
}

/// Calls `function` with the newer structure, which begins with the older one.
template <class Function>
int with_whole(const abi::KernelNodeV1* node_params, Function&& function) {
  if (has_null(node_params)) return code::invalid_value;
  abi::KernelNode whole{};
  std::memcpy(static_cast<void*>(&whole), node_params, sizeof *node_params);
  return function(&whole);
}

template <class From>
int set_node(const void* handle, NodeKind kind, const From* node_params) noexcept {
  return with_lock([&]() -> int {
    GraphNode* const node = find_node(handle);
    if (has_null(node_params, node) || node->kind != kind) return code::invalid_value;
    return make(*node_params, &node->operation);
  });
}

int add_any(void** node, void* handle, void* const* dependencies, std::size_t count,
            abi::NodeParameters& node_params) {
  node_operation operation;
  int status = code::success;
  Graph* const graph = find_graph(handle);
  if (graph == nullptr) return code::invalid_value;
  const auto kind = static_cast<NodeKind>(node_params.kind);
  switch (kind) {
    case NodeKind::kernel:
      status = make(node_params.kernel, &operation);
      break;
    case NodeKind::copy:
      status = make(node_params.copy.copy_params, &operation);
      break;
    case NodeKind::fill:
      status = make(node_params.fill, &operation);
      break;
    case NodeKind::host:
      status = make(node_params.host, &operation);
      break;
    case NodeKind::graph: {
      const Graph* const child = find_graph(node_params.child);
      status = child != nullptr ? make_child(*child, *graph, &operation) : code::invalid_value;
      break;
    }
    case NodeKind::empty:
      break;
    case NodeKind::event_wait:
      operation = [event = node_params.event](void* stream) {
        return stream_wait_event(stream, event, 0);
      };
      break;
    case NodeKind::event_record:
      operation = [event = node_params.event](void* stream) { return event_record(event, stream); };
      break;
    case NodeKind::allocation:
      status =
          allocate_for_graph(*graph, &node_params.allocation.data, node_params.allocation.nbytes);
      break;
    case NodeKind::release:
      break;  // the graph owns the memory
    default:
      return unsupported("cuGraphAddNode with this type of node");
  }
  return status != code::success
             ? status
             : add(node, handle, dependencies, count, kind, std::move(operation));
}

}  // namespace

node_operation deferred_launch(std::shared_ptr<RegisteredKernel> kernel,
                               const LaunchRequest& request) {
  using argument = std::vector<std::byte>;
  const auto arguments = std::make_shared<std::vector<argument>>();
  const FoundKernel found_kernel = kernel->find();
  std::size_t index = 0;
  for (const Parameter& parameter : found_kernel.code->parameters()) {
    const auto* const data = static_cast<const std::byte*>(request.arguments[index++]);
    arguments->emplace_back(data, data + parameter.nbytes);
  }
  return [kernel = std::move(kernel), request, arguments](void* stream) {
    std::vector<void*> argument_pointers;
    for (argument& bytes : *arguments) argument_pointers.push_back(bytes.data());
    LaunchRequest launch_request = request;
    launch_request.stream = stream;
    launch_request.arguments = argument_pointers.data();
    return enqueue(kernel, launch_request);
  };
}

int graph_add_kernel_v1(void** node, void* graph, void* const* dependencies, std::size_t count,
                        const abi::KernelNodeV1* node_params) {
  return with_whole(node_params, [&](const abi::KernelNode* whole) {
    return graph_add_kernel(node, graph, dependencies, count, whole);
  });
}
int graph_add_kernel(void** node, void* graph, void* const* dependencies, std::size_t count,
                     const abi::KernelNode* node_params) {
  return add_typed_node(node, graph, dependencies, count, NodeKind::kernel, node_params);
}
int graph_add_copy(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::Copy3d* copy_params, void*) {
  return add_typed_node(node, graph, dependencies, count, NodeKind::copy, copy_params);
}
int graph_add_fill(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::FillNode* memset_params, void*) {
  return add_typed_node(node, graph, dependencies, count, NodeKind::fill, memset_params);
}
int graph_add_host(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::HostNode* node_params) {
  return add_typed_node(node, graph, dependencies, count, NodeKind::host, node_params);
}
int graph_add_empty(void** node, void* graph, void* const* dependencies, std::size_t count) {
  return with_lock([&] { return add(node, graph, dependencies, count, NodeKind::empty, {}); });
}
int graph_add_child(void** node, void* graph, void* const* dependencies, std::size_t count,
                    void* child) {
  abi::NodeParameters node_params{};
  node_params.kind = static_cast<int>(NodeKind::graph);
  node_params.child = child;
  return graph_add_node(node, graph, dependencies, nullptr, count, &node_params);
}

int graph_add_node_v1(void** node, void* graph, void* const* dependencies, std::size_t count,
                      abi::NodeParameters* node_params) {
  return graph_add_node(node, graph, dependencies, nullptr, count, node_params);
}
int graph_add_node(void** node, void* graph, void* const* dependencies, const abi::EdgeData*,
                   std::size_t count, abi::NodeParameters* node_params) {
  return with_lock([&]() -> int {
    return has_null(node_params) ? code::invalid_value
                                 : add_any(node, graph, dependencies, count, *node_params);
  });
}

int graph_set_kernel_v1(void* node, const abi::KernelNodeV1* node_params) {
  return with_whole(node_params,
                    [&](const abi::KernelNode* whole) { return graph_set_kernel(node, whole); });
}
int graph_set_kernel(void* node, const abi::KernelNode* node_params) {
  return set_node(node, NodeKind::kernel, node_params);
}
int graph_set_fill(void* node, const abi::FillNode* node_params) {
  return set_node(node, NodeKind::fill, node_params);
}
int graph_set_copy(void* node, const abi::Copy3d* node_params) {
  return set_node(node, NodeKind::copy, node_params);
}
int graph_set_host(void* node, const abi::HostNode* node_params) {
  return set_node(node, NodeKind::host, node_params);
}

int executable_set_kernel_v1(void* executable, void* node, const abi::KernelNodeV1* node_params) {
  return with_whole(node_params, [&](const abi::KernelNode* whole) {
    return executable_set_kernel(executable, node, whole);
  });
}
int executable_set_kernel(void* executable, void* node, const abi::KernelNode* node_params) {
  return set_step(executable, node, node_params);
}
int executable_set_copy(void* executable, void* node, const abi::Copy3d* copy_params, void*) {
  return set_step(executable, node, copy_params);
}
int executable_set_fill(void* executable, void* node, const abi::FillNode* memset_params, void*) {
  return set_step(executable, node, memset_params);
}
int executable_set_host(void* executable, void* node, const abi::HostNode* node_params) {
  return set_step(executable, node, node_params);
}

}  // namespace skerry::emulation::driver
