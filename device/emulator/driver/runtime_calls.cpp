// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// CUDA's runtime, implemented by calls of the driver. Unlike the driver, it makes the context of
// the thread's device current if there is none, and keeps the last error.

#include "device/emulator/driver/calls.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver::runtime {

#define SKERRY_RUNTIME(name, function, ...) \
  int function(__VA_ARGS__) __asm__("skerry_" #name) __attribute__((visibility("default")));
#include "device/emulator/driver/runtime_calls.inc"
#undef SKERRY_RUNTIME

namespace {

/// Runs a call of the runtime; `body` calls the driver.
template <class Body>
int call(Body body) noexcept {
  static_cast<void>(driver_api());
  static_cast<void>(rehearsal::use_current_device());
  return rehearsal::return_code(body());
}

/// Converts cudaMemcpy3DParms with pitched pointers to CUDA_MEMCPY3D.
abi::Copy3d as_driver(const abi::RuntimeCopy3d& copy_params) noexcept {
  const auto side = [](const abi::RuntimeCopy3d::Side& runtime_side) {
    abi::Copy3d::Side driver_side{};
    driver_side.x_bytes = runtime_side.position[0];
    driver_side.y = runtime_side.position[1];
    driver_side.z = runtime_side.position[2];
    driver_side.kind =
        runtime_side.array != nullptr ? abi::MemoryKind::array : abi::MemoryKind::unified;
    driver_side.array = runtime_side.array;
    driver_side.device = address_of(runtime_side.data);
    driver_side.pitch = runtime_side.pitch;
    driver_side.height = runtime_side.height;
    return driver_side;
  };
  return {side(copy_params.source), side(copy_params.target), copy_params.width_bytes,
          copy_params.height, copy_params.depth};
}

}  // namespace

int set_device_flags(unsigned flags) {
  return call([&] { return context_set_flags(flags); });
}
int get_device_flags(unsigned* flags) {
  return call([&] { return context_get_flags(flags); });
}
int disable_peer(int owner) {
  return call([&]() -> int {
    if (!exists(owner)) return code::invalid_device;
    const bool was_enabled =
        rehearsal::System::instance().disable_peer(rehearsal::current_ordinal(), owner);
    return was_enabled ? code::success : code::peer_access_not_enabled;
  });
}
int device_reset() {
  return call([] { return primary_context_reset(rehearsal::current_ordinal()); });
}

int allocate_managed(address* data, std::size_t nbytes, unsigned flags) {
  return call([&] { return memory_allocate_managed(data, nbytes, flags); });
}
int allocate_host(void** data, std::size_t nbytes) {
  return call([&] { return host_allocate_default(data, nbytes); });
}
int allocate_host_with(void** data, std::size_t nbytes, unsigned flags) {
  return call([&] { return host_allocate(data, nbytes, flags); });
}
int free_host(void* data) {
  return call([&] { return data == nullptr ? code::success : host_free(data); });
}
int host_device_pointer(address* data, void* host, unsigned flags) {
  return call([&] { return host_get_device_pointer(data, host, flags); });
}
int host_flags(unsigned* flags, void* host) {
  return call([&] { return host_get_flags(flags, host); });
}
int free_memory(address data) {
  return call([&] { return memory_free(data); });
}
int allocate_async(address* data, std::size_t nbytes, void* stream) {
  return call([&] { return pool_allocate(data, nbytes, stream); });
}
int free_async(address data, void* stream) {
  return call([&] { return pool_free(data, stream); });
}
int get_pool_attribute(void* pool, int attribute, void* value) {
  return call([&] { return pool_get_attribute(pool, attribute, value); });
}
int prefetch(address data, std::size_t nbytes, abi::MemoryLocation location, unsigned flags,
             void* stream) {
  return call([&] { return memory_prefetch(data, nbytes, location, flags, stream); });
}
int copy_in_stream(address target, address source, std::size_t nbytes, int, void* stream) {
  return call([&] { return copy_async(target, source, nbytes, stream); });
}
int fill_now(address target, int value, std::size_t nbytes) {
  return call([&] { return fill_bytes(target, static_cast<unsigned char>(value), nbytes); });
}
int fill_in_stream(address target, int value, std::size_t nbytes, void* stream) {
  return call(
      [&] { return fill_bytes_async(target, static_cast<unsigned char>(value), nbytes, stream); });
}

int create_stream(void** stream) {
  return call([&] { return stream_create(stream, 0); });
}
int create_stream_with_priority(void** stream, unsigned flags, int priority) {
  return call([&] { return stream_create_with_priority(stream, flags, priority); });
}
int wait_for_stream(void* stream) {
  return call([&] { return stream_synchronize(stream); });
}
int query_stream(void* stream) {
  return call([&] { return stream_query(stream); });
}
int stream_waits(void* stream, void* event, unsigned flags) {
  return call([&] { return stream_wait_event(stream, event, flags); });
}
int record_event(void* event, void* stream) {
  return call([&] { return event_record(event, stream); });
}
int launch_on_host(void* stream, void (*function)(void*), void* data) {
  return call([&] { return launch_host_function(stream, function, data); });
}
int begin_capture(void* stream, int mode) {
  return call([&] { return stream_begin_capture(stream, mode); });
}
int end_capture(void* stream, void** graph) {
  return call([&] { return stream_end_capture(stream, graph); });
}
int is_capturing(void* stream, int* status) {
  return call([&] { return stream_is_capturing(stream, status); });
}

int create_graph(void** graph, unsigned flags) {
  return call([&] { return graph_create(graph, flags); });
}
int destroy_graph(void* graph) {
  return call([&] { return graph_destroy(graph); });
}
int clone_graph(void** clone, void* graph) {
  return call([&] { return graph_clone(clone, graph); });
}
int nodes_of_graph(void* graph, void** nodes, std::size_t* count) {
  return call([&] { return graph_get_nodes(graph, nodes, count); });
}
int add_copy_node(void** node, void* graph, void* const* dependencies, std::size_t count,
                  const abi::RuntimeCopy3d* copy_params) {
  return call([&]() -> int {
    if (has_null(copy_params)) return code::invalid_value;
    const abi::Copy3d driver_params = as_driver(*copy_params);
    return graph_add_copy(node, graph, dependencies, count, &driver_params, nullptr);
  });
}
int add_fill_node(void** node, void* graph, void* const* dependencies, std::size_t count,
                  const abi::FillNode* memset_params) {
  return call(
      [&] { return graph_add_fill(node, graph, dependencies, count, memset_params, nullptr); });
}
int add_host_node(void** node, void* graph, void* const* dependencies, std::size_t count,
                  const abi::HostNode* node_params) {
  return call([&] { return graph_add_host(node, graph, dependencies, count, node_params); });
}
int add_empty_node(void** node, void* graph, void* const* dependencies, std::size_t count) {
  return call([&] { return graph_add_empty(node, graph, dependencies, count); });
}
int instantiate_graph(void** executable, void* graph, unsigned long long flags) {
  return call([&] { return graph_instantiate(executable, graph, flags); });
}
int destroy_executable(void* executable) {
  return call([&] { return executable_destroy(executable); });
}
int launch_graph(void* executable, void* stream) {
  return call([&] { return graph_launch(executable, stream); });
}
int upload_graph(void* executable, void* stream) {
  return call([&] { return graph_upload(executable, stream); });
}

}  // namespace skerry::emulation::driver::runtime
