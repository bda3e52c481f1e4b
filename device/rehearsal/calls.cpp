// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Entry points of cuda::Api on simulated devices: versions, devices, memory. Streams and events are
// in stream_calls.cpp; copies, fills and launches in work.cpp.

#include <algorithm>
#include <cstdio>

#include "device/rehearsal/captures.hpp"
#include "device/rehearsal/errors.hpp"
#include "device/rehearsal/ipc.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::rehearsal {

namespace {

constexpr int simulated_version = 13000;

[[nodiscard]] bool exists(int ordinal) {
  return ordinal >= 0 && ordinal < System::instance().count();
}

int driver_version(int* version) {
  return enter(&cuda::Api::driver_version, [&](System&) {
    *version = simulated_version;
    return cuda::success;
  });
}

int runtime_version(int* version) {
  return enter(&cuda::Api::runtime_version, [&](System&) {
    *version = simulated_version;
    return cuda::success;
  });
}

int device_count(int* count) {
  return enter(&cuda::Api::device_count, [&](System& all) {
    *count = all.count();
    return cuda::success;
  });
}

int get_device(int* ordinal) {
  return enter(&cuda::Api::get_device, [&](System&) {
    *ordinal = current_ordinal();
    return cuda::success;
  });
}

int push_context(int ordinal) {
  return enter(&cuda::Api::push_device, [&](System&) {
    if (!exists(ordinal)) return cuda::invalid_device;
    return push_device(ordinal) ? cuda::success : cuda::invalid_value;
  });
}

int pop_context() {
  return enter(&cuda::Api::pop_device,
               [&](System&) { return pop_device() ? cuda::success : cuda::invalid_value; });
}

int get_properties(cuda::DeviceProperties* properties, int ordinal) {
  return enter(&cuda::Api::get_properties, [&](System&) {
    if (!exists(ordinal)) return cuda::invalid_device;
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "rehearsal device");
    properties->total_bytes = current_settings().memory_bytes.load();
    properties->compute_capability = 90;
    properties->multiprocessors = 1;
    properties->supports_pools = current_settings().supports_pools ? 1 : 0;
    properties->supports_managed_memory = current_settings().supports_managed_memory ? 1 : 0;
    return cuda::success;
  });
}

int memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  return enter(&cuda::Api::memory_info, [&](System& all) {
    *total_bytes = current_settings().memory_bytes.load();
    *free_bytes = *total_bytes - std::min(*total_bytes, all.live_bytes(current_ordinal()));
    return cuda::success;
  });
}

bool peers(int reader, int owner) {
  return reader != owner &&
         current_settings()
             .peers[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
}

int can_access_peer(int* can, int reader, int owner) {
  return enter(&cuda::Api::can_access_peer, [&](System&) {
    if (!exists(reader) || !exists(owner)) return cuda::invalid_device;
    *can = peers(reader, owner) ? 1 : 0;
    return cuda::success;
  });
}

int enable_peer_access(int owner) {
  return enter(&cuda::Api::enable_peer_access, [&](System& all) {
    if (!exists(owner)) return cuda::invalid_device;
    if (!peers(current_ordinal(), owner)) return cuda::peer_access_unsupported;
    if (!all.enable_peer(current_ordinal(), owner)) return cuda::peer_access_already_enabled;
    return cuda::success;
  });
}

int pool_allow_reader(int owner, int reader) {
  return enter(&cuda::Api::pool_allow_reader, [&](System& all) {
    if (!exists(owner) || !exists(reader)) return cuda::invalid_device;
    if (!peers(reader, owner)) return cuda::invalid_device;
    all.allow_pool_reader(reader, owner);
    return cuda::success;
  });
}

int device_synchronize() {
  return enter(&cuda::Api::device_synchronize, [&](System& all) {
    if (invalidate_captures(current_ordinal())) return cuda::stream_capture_unsupported;
    all.wait_for_device(current_ordinal());
    return all.traffic.count_wait(returned_error(current_ordinal()));
  });
}

int allocate_on(System& all, int ordinal, void** data, std::size_t nbytes) {
  *data = nullptr;
  if (nbytes == 0) return cuda::success;
  const std::size_t total = current_settings().memory_bytes.load();
  const std::size_t mapped = std::min(total, all.mapped.live_bytes(ordinal));
  return all.device(ordinal).memory.allocate(data, nbytes, total - mapped);
}

int allocate(void** data, std::size_t nbytes) {
  return enter(&cuda::Api::allocate,
               [&](System& all) { return allocate_on(all, current_ordinal(), data, nbytes); });
}

int allocate_managed(void** data, std::size_t nbytes) {
  return enter(&cuda::Api::allocate_managed, [&](System& all) {
    if (!current_settings().supports_managed_memory) return cuda::not_supported;
    if (nbytes == 0) return cuda::invalid_value;
    const int code = all.pinned.allocate(data, nbytes);
    if (code == cuda::success)
      all.pinned.set_use(*data, {.is_managed = true, .ordinal = current_ordinal()});
    return code;
  });
}

int deallocate_managed(System& all, void* data) {
  all.drain_all();
  return all.pinned.release(data) ? cuda::success : cuda::invalid_value;
}

int deallocate(void* data) {
  return enter(&cuda::Api::deallocate, [&](System& all) {
    if (data == nullptr) return cuda::success;
    if (all.pinned.use_of(data).is_managed) return deallocate_managed(all, data);
    const int owner = all.owner(data);
    if (owner < 0 || is_opened(data)) return cuda::invalid_value;
    if (!all.device(owner).memory.retire(data)) return cuda::invalid_value;
    if (!all.discard_pooled(data)) all.drain(owner);
    if (all.device(owner).memory.reclaim(data)) return cuda::success;
    set_sticky_error(owner, cuda::illegal_address);
    return cuda::illegal_address;
  });
}

int allocate_async(void** data, std::size_t nbytes, void* handle) {
  return enter(&cuda::Api::allocate_async, [&](System& all) {
    if (!current_settings().supports_pools) return cuda::not_supported;
    const auto queue = all.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    const int code = allocate_on(all, queue->ordinal(), data, nbytes);
    if (code == cuda::success && *data != nullptr) all.note_pooled(*data);
    return code;
  });
}

int deallocate_async(void* data, void* handle) {
  return enter(&cuda::Api::deallocate_async, [&](System& all) {
    if (!current_settings().supports_pools) return cuda::not_supported;
    const auto queue = all.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    if (data == nullptr) return cuda::success;
    if (all.owner(data) != queue->ordinal() || is_opened(data)) return cuda::invalid_value;
    const bool was_pooled = all.discard_pooled(data);
    const int code = submit_free(all, *queue, data, wait_for_default_stream(all, *queue));
    if (code != cuda::success && was_pooled) all.note_pooled(data);
    return code;
  });
}

int pool_set_release_threshold(int ordinal, std::uint64_t) {
  return enter(&cuda::Api::pool_set_release_threshold,
               [&](System&) { return exists(ordinal) ? cuda::success : cuda::invalid_device; });
}

int pool_trim(int ordinal, std::size_t) {
  return enter(&cuda::Api::pool_trim, [&](System& all) {
    if (!exists(ordinal)) return cuda::invalid_device;
    all.device(ordinal).memory.trim();
    return cuda::success;
  });
}

int host_allocate(void** data, std::size_t nbytes) {
  return enter(&cuda::Api::host_allocate,
               [&](System& all) { return all.pinned.allocate(data, nbytes); });
}

int host_deallocate(void* data) {
  return enter(&cuda::Api::host_deallocate, [&](System& all) {
    // Waits for all devices, as cudaFreeHost does in practice.
    all.drain_all();
    return all.traffic.count_wait(all.pinned.release(data) ? cuda::success : cuda::invalid_value);
  });
}

int host_register(void* data, std::size_t nbytes) {
  return enter(&cuda::Api::host_register,
               [&](System& all) { return all.pinned.add(data, nbytes); });
}

int host_unregister(void* data) {
  return enter(&cuda::Api::host_unregister, [&](System& all) {
    all.drain_all();
    return all.traffic.count_wait(all.pinned.remove(data) ? cuda::success : cuda::invalid_value);
  });
}

int get_pointer_attributes(cuda::PointerAttributes* attributes, const void* data) {
  return enter(&cuda::Api::get_pointer_attributes, [&](System& all) {
    void* const address = const_cast<void*>(data);
    *attributes = {cuda::MemoryType::unregistered, -2, nullptr, address, nullptr, 0};
    if (const int owner = all.owner(data); owner >= 0) {
      attributes->host_pointer = nullptr;
      if (const MemoryBlock block = all.find(data, false)) {
        *attributes = {cuda::MemoryType::device, owner, address, nullptr, block.data, block.nbytes};
      }
    } else if (const MemoryBlock block = all.pinned.find(data)) {
      const HostUse use = all.pinned.use_of(data);
      const auto type = use.is_managed ? cuda::MemoryType::managed : cuda::MemoryType::host;
      const int ordinal = use.is_managed ? use.ordinal : current_ordinal();
      *attributes = {type, ordinal, address, address, block.data, block.nbytes};
    }
    return cuda::success;
  });
}

int get_last_error() {
  if (const int code = gate(&cuda::Api::get_last_error); code != cuda::success) return code;
  return take_last_error();
}

constexpr cuda::Api simulated_calls{
    .driver_version = driver_version,
    .runtime_version = runtime_version,
    .device_count = device_count,
    .get_device = get_device,
    .push_device = push_context,
    .pop_device = pop_context,
    .get_properties = get_properties,
    .memory_info = memory_info,
    .can_access_peer = can_access_peer,
    .enable_peer_access = enable_peer_access,
    .pool_allow_reader = pool_allow_reader,
    .device_synchronize = device_synchronize,
    .allocate = allocate,
    .allocate_managed = allocate_managed,
    .deallocate = deallocate,
    .allocate_async = allocate_async,
    .deallocate_async = deallocate_async,
    .pool_set_release_threshold = pool_set_release_threshold,
    .pool_trim = pool_trim,
    .host_allocate = host_allocate,
    .host_deallocate = host_deallocate,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .get_pointer_attributes = get_pointer_attributes,
    .copy_async = copy_async,
    .copy_peer_async = copy_peer_async,
    .fill_async = fill_async,
    .launch_host_function = launch_host_function,
    .launch_host_kernel = launch_host_kernel,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .stream_query = stream_query,
    .stream_wait_event = stream_wait_event,
    .stream_is_capturing = stream_is_capturing,
    .stream_device = stream_device,
    .stream_begin_capture = stream_begin_capture,
    .stream_end_capture = stream_end_capture,
    .stream_capture_retain = stream_capture_retain,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .event_create = event_create,
    .event_create_timed = event_create_timed,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_elapsed = event_elapsed,
    .ipc_export_memory = ipc_export_memory,
    .ipc_open_memory = ipc_open_memory,
    .ipc_close_memory = ipc_close_memory,
    .event_create_shared = event_create_shared,
    .ipc_export_event = ipc_export_event,
    .ipc_open_event = ipc_open_event,
    .get_last_error = get_last_error,
    .error_name = error_name,
    .error_string = error_string,
};

}  // namespace

int set_device(int ordinal) noexcept {
  if (!exists(ordinal)) return cuda::invalid_device;
  set_current_device(ordinal);
  return cuda::success;
}

const cuda::Api* calls_table() noexcept {
  static_cast<void>(current_settings());
  return &simulated_calls;
}

}  // namespace skerry::rehearsal
