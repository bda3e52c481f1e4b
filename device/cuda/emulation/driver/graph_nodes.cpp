// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Nodes that programs add to graphs, and what they are changed to.

#include "device/cuda/emulation/driver/graph_nodes.hpp"

#include <cstring>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/libraries.hpp"

namespace skerry::emulation::driver {

namespace {

template <class Body>
int with_lock(Body body) noexcept {
  return in_context([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    return body();
  });
}

int make(const abi::KernelNode& from, void* function, node_work* into) {
  const auto named = Registry::instance().kernel_at(function);
  if (named == nullptr) return code::invalid_handle;
  if (from.extra != nullptr) return unsupported("a graph's kernel with parameters in extra");
  const LaunchRequest request{.grid = from.grid,
                              .block = from.block,
                              .dynamic_shared_bytes = from.shared_bytes,
                              .arguments = from.arguments};
  if (from.arguments == nullptr && !named->find().code->parameters().empty()) {
    return code::invalid_value;
  }
  *into = kept_launch(named, request);
  return code::success;
}

int make(const abi::KernelNode& from, node_work* into) {
  return make(from, from.function != nullptr ? from.function : from.kernel, into);
}

int make(const abi::FillNode& from, node_work* into) {
  const abi::FillNode what = from;
  switch (what.element_bytes) {
    case 1:
      *into = [what](void* on) {
        return fill_bytes_2d_async(what.target, what.pitch, static_cast<unsigned char>(what.value),
                                   what.width, what.height, on);
      };
      return code::success;
    case 2:
      *into = [what](void* on) {
        return fill_shorts_2d_async(what.target, what.pitch,
                                    static_cast<unsigned short>(what.value), what.width,
                                    what.height, on);
      };
      return code::success;
    case 4:
      *into = [what](void* on) {
        return fill_words_2d_async(what.target, what.pitch, what.value, what.width, what.height,
                                   on);
      };
      return code::success;
    default:
      return code::invalid_value;
  }
}

int make(const abi::Copy3d& from, node_work* into) {
  *into = [what = from](void* on) { return copy_3d_async(&what, on); };
  return code::success;
}

int make(const abi::HostNode& from, node_work* into) {
  if (from.function == nullptr) return code::invalid_value;
  *into = [what = from](void* on) { return launch_host_function(on, what.function, what.data); };
  return code::success;
}

int make_child(const Graph& child, Graph& in, node_work* into) {
  const auto steps =
      std::make_shared<const std::vector<ExecutableGraph::Step>>(ordered_steps(child));
  if (steps->size() != child.nodes.size()) return code::invalid_value;
  in.held.insert(in.held.end(), child.held.begin(), child.held.end());
  *into = [steps](void* on) { return run_steps(*steps, on); };
  return code::success;
}

int add(void** node, void* handle, void* const* dependencies, std::size_t count, NodeKind kind,
        node_work work) {
  Graph* const to = find_graph(handle);
  if (has_null(node, to) || (count != 0 && has_null(dependencies))) return code::invalid_value;
  std::vector<GraphNode*> after;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const one = find_node(dependencies[i]);
    if (one == nullptr || one->owner != to) return code::invalid_value;
    after.push_back(one);
  }
  *node = add_node(*to, kind, after, std::move(work));
  return code::success;
}

/// A node of one kind, as programs of before CUDA 12.2 add it.
template <class From>
int add_made(void** node, void* handle, void* const* dependencies, std::size_t count, NodeKind kind,
             const From* from) noexcept {
  return with_lock([&]() -> int {
    if (has_null(from)) return code::invalid_value;
    node_work work;
    const int status = make(*from, &work);
    return status != code::success ? status
                                   : add(node, handle, dependencies, count, kind, std::move(work));
  });
}

/// What a graph that was made executable does in a node's place from now on.
template <class From>
int set_step(void* executable, const void* node, const From* from) noexcept {
  return with_lock([&]() -> int {
    const auto found = find_executable(executable);
    if (has_null(from) || found == nullptr) return code::invalid_value;
    for (ExecutableGraph::Step& each : found->steps) {
      if (each.of == node) return make(*from, &each.work);
    }
    return code::invalid_value;
  });
}

template <class From>
int set_node(const void* handle, NodeKind kind, const From* from) noexcept {
  return with_lock([&]() -> int {
    GraphNode* const node = find_node(handle);
    if (has_null(from, node) || node->kind != kind) return code::invalid_value;
    return make(*from, &node->work);
  });
}

int add_any(void** node, void* handle, void* const* dependencies, std::size_t count,
            abi::NodeParameters& of) {
  node_work work;
  int status = code::success;
  Graph* const to = find_graph(handle);
  if (to == nullptr) return code::invalid_value;
  const auto kind = static_cast<NodeKind>(of.kind);
  switch (kind) {
    case NodeKind::kernel:
      status = make(of.kernel, &work);
      break;
    case NodeKind::copy:
      status = make(of.copy.what, &work);
      break;
    case NodeKind::fill:
      status = make(of.fill, &work);
      break;
    case NodeKind::host:
      status = make(of.host, &work);
      break;
    case NodeKind::graph: {
      const Graph* const child = find_graph(of.child);
      status = child != nullptr ? make_child(*child, *to, &work) : code::invalid_value;
      break;
    }
    case NodeKind::empty:
      break;
    case NodeKind::event_wait:
      work = [event = of.event](void* on) { return stream_wait_event(on, event, 0); };
      break;
    case NodeKind::event_record:
      work = [event = of.event](void* on) { return event_record(event, on); };
      break;
    case NodeKind::allocation:
      status = allocate_for_graph(*to, &of.allocation.data, of.allocation.nbytes);
      break;
    case NodeKind::release:
      break;  // the memory is the graph's
    default:
      return unsupported("cuGraphAddNode of this kind");
  }
  return status != code::success ? status
                                 : add(node, handle, dependencies, count, kind, std::move(work));
}

}  // namespace

node_work kept_launch(std::shared_ptr<RegisteredKernel> what, const LaunchRequest& request) {
  using argument = std::vector<std::byte>;
  const auto arguments = std::make_shared<std::vector<argument>>();
  const FoundKernel found = what->find();
  std::size_t index = 0;
  for (const Parameter& each : found.code->parameters()) {
    const auto* const data = static_cast<const std::byte*>(request.arguments[index++]);
    arguments->emplace_back(data, data + each.nbytes);
  }
  return [what = std::move(what), request, arguments](void* stream) {
    std::vector<void*> places;
    for (argument& each : *arguments) places.push_back(each.data());
    LaunchRequest again = request;
    again.stream = stream;
    again.arguments = places.data();
    return enqueue(what, again);
  };
}

int graph_add_kernel_v1(void** node, void* graph, void* const* dependencies, std::size_t count,
                        const abi::KernelNodeV1* from) {
  if (has_null(from)) return code::invalid_value;
  abi::KernelNode whole{};
  std::memcpy(static_cast<void*>(&whole), from, sizeof *from);
  return graph_add_kernel(node, graph, dependencies, count, &whole);
}
int graph_add_kernel(void** node, void* graph, void* const* dependencies, std::size_t count,
                     const abi::KernelNode* from) {
  return add_made(node, graph, dependencies, count, NodeKind::kernel, from);
}
int graph_add_copy(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::Copy3d* from, void*) {
  return add_made(node, graph, dependencies, count, NodeKind::copy, from);
}
int graph_add_fill(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::FillNode* from, void*) {
  return add_made(node, graph, dependencies, count, NodeKind::fill, from);
}
int graph_add_host(void** node, void* graph, void* const* dependencies, std::size_t count,
                   const abi::HostNode* from) {
  return add_made(node, graph, dependencies, count, NodeKind::host, from);
}
int graph_add_empty(void** node, void* graph, void* const* dependencies, std::size_t count) {
  return with_lock([&] { return add(node, graph, dependencies, count, NodeKind::empty, {}); });
}
int graph_add_child(void** node, void* graph, void* const* dependencies, std::size_t count,
                    void* child) {
  abi::NodeParameters of{};
  of.kind = static_cast<int>(NodeKind::graph);
  of.child = child;
  return graph_add_node(node, graph, dependencies, nullptr, count, &of);
}

int graph_add_node_v1(void** node, void* graph, void* const* dependencies, std::size_t count,
                      abi::NodeParameters* of) {
  return graph_add_node(node, graph, dependencies, nullptr, count, of);
}
int graph_add_node(void** node, void* graph, void* const* dependencies, const abi::EdgeData*,
                   std::size_t count, abi::NodeParameters* of) {
  return with_lock([&]() -> int {
    return has_null(of) ? code::invalid_value : add_any(node, graph, dependencies, count, *of);
  });
}

int graph_set_kernel(void* node, const abi::KernelNode* from) {
  return set_node(node, NodeKind::kernel, from);
}
int graph_set_fill(void* node, const abi::FillNode* from) {
  return set_node(node, NodeKind::fill, from);
}
int graph_set_copy(void* node, const abi::Copy3d* from) {
  return set_node(node, NodeKind::copy, from);
}
int graph_set_host(void* node, const abi::HostNode* from) {
  return set_node(node, NodeKind::host, from);
}

int executable_set_kernel(void* executable, void* node, const abi::KernelNode* from) {
  return set_step(executable, node, from);
}
int executable_set_copy(void* executable, void* node, const abi::Copy3d* from, void*) {
  return set_step(executable, node, from);
}
int executable_set_fill(void* executable, void* node, const abi::FillNode* from, void*) {
  return set_step(executable, node, from);
}
int executable_set_host(void* executable, void* node, const abi::HostNode* from) {
  return set_step(executable, node, from);
}

}  // namespace skerry::emulation::driver
