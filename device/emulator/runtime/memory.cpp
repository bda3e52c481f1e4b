// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Device and pinned host memory, by calls of the simulated runtime.

#include "device/emulator/driver/captures.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/emulator/runtime/pools.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int unregistered_device = -2;

int ordinal_of_pool(const void* pool) noexcept {
  const MemoryPool* const memory_pool = find_pool(pool);
  return memory_pool != nullptr ? memory_pool->ordinal : -1;
}

}  // namespace

int allocate(void** data, std::size_t nbytes) {
  const int code = driver_api().allocate(data, nbytes);
  if (code == cuda::success) note_allocation(*data);
  return code;
}
int allocate_managed(void** data, std::size_t nbytes, unsigned) {
  const int code = driver_api().allocate_managed(data, nbytes);
  if (code == cuda::success) note_allocation(*data);
  return code;
}
int deallocate(void* data) { return driver_api().deallocate(data); }
int allocate_async(void** data, std::size_t nbytes, void* stream) {
  const int code = driver_api().allocate_async(data, nbytes, stream);
  if (code == cuda::success) note_allocation(*data);
  return code;
}
int deallocate_async(void* data, void* stream) {
  return driver_api().deallocate_async(data, stream);
}
int host_allocate(void** data, std::size_t nbytes, unsigned) {
  return driver_api().host_allocate(data, nbytes);
}
int host_deallocate(void* data) { return driver_api().host_deallocate(data); }
int host_register(void* data, std::size_t nbytes, unsigned) {
  return driver_api().host_register(data, nbytes);
}
int host_unregister(void* data) { return driver_api().host_unregister(data); }
int memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  return driver_api().memory_info(free_bytes, total_bytes);
}

int get_pointer_attributes(abi::PointerAttributes* attributes, const void* data) {
  cuda::PointerAttributes simulated_attributes{};
  const int code = driver_api().get_pointer_attributes(&simulated_attributes, data);
  if (code != cuda::success) return code;
  *attributes = {};
  attributes->type = static_cast<int>(simulated_attributes.type);
  attributes->device = simulated_attributes.type == cuda::MemoryType::unregistered
                           ? unregistered_device
                           : simulated_attributes.device;
  attributes->device_pointer = simulated_attributes.device_pointer;
  attributes->host_pointer = simulated_attributes.host_pointer;
  return cuda::success;
}

int copy_async(void* target, const void* source, std::size_t nbytes, int kind, void* stream) {
  return driver::on_stream(stream, driver::NodeKind::copy, [=](void* launch_stream) {
    return driver_api().copy_async(target, source, nbytes, static_cast<cuda::CopyKind>(kind),
                                   launch_stream);
  });
}

int copy(void* target, const void* source, std::size_t nbytes, int kind) {
  const int code = copy_async(target, source, nbytes, kind, cuda::legacy_stream);
  return code != cuda::success ? code : driver_api().stream_synchronize(cuda::legacy_stream);
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* stream) {
  return driver::on_stream(stream, driver::NodeKind::copy, [=](void* launch_stream) {
    return driver_api().copy_peer_async(target, target_ordinal, source, source_ordinal, nbytes,
                                        launch_stream);
  });
}

int fill_async(void* target, int value, std::size_t nbytes, void* stream) {
  return driver::on_stream(stream, driver::NodeKind::fill, [=](void* launch_stream) {
    return driver_api().fill_async(target, value, nbytes, launch_stream);
  });
}

int get_default_pool(void** pool, int ordinal) {
  // Fails if the simulated runtime has no pools. It ignores thresholds, so there is no other
  // effect.
  const int code = driver_api().pool_set_release_threshold(ordinal, 0);
  if (code == cuda::success) *pool = default_pool(ordinal);
  return code;
}

int set_pool_access(void* pool, const abi::AccessDescription* list, std::size_t count) {
  constexpr int of_device = 1;   // cudaMemLocationTypeDevice
  constexpr int read_write = 3;  // cudaMemAccessFlagsProtReadWrite
  const int owner = ordinal_of_pool(pool);
  if (owner < 0) return rehearsal::return_code(cuda::invalid_value);
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i].location_type != of_device || list[i].flags != read_write) {
      return rehearsal::return_code(cuda::invalid_value);
    }
    const int code = driver_api().pool_allow_reader(owner, list[i].location);
    if (code != cuda::success) return code;
  }
  return cuda::success;
}

int set_pool_attribute(void* pool, int attribute, void* value) {
  constexpr int release_threshold = 4;  // cudaMemPoolAttrReleaseThreshold
  MemoryPool* const memory_pool = find_pool(pool);
  if (memory_pool == nullptr || attribute != release_threshold)
    return rehearsal::return_code(cuda::invalid_value);
  const std::uint64_t threshold = *static_cast<std::uint64_t*>(value);
  memory_pool->settings[release_threshold - 1].store(threshold);
  return driver_api().pool_set_release_threshold(memory_pool->ordinal, threshold);
}

int trim_pool(void* pool, std::size_t keep_bytes) {
  const int owner = ordinal_of_pool(pool);
  if (owner < 0) return rehearsal::return_code(cuda::invalid_value);
  return driver_api().pool_trim(owner, keep_bytes);
}

int ipc_export_memory(cuda::IpcHandle* handle, void* data) {
  return driver_api().ipc_export_memory(handle, data);
}
int ipc_open_memory(void** data, cuda::IpcHandle handle, unsigned flags) {
  constexpr unsigned lazy_enable_peer_access = 1;
  if (flags != lazy_enable_peer_access) return rehearsal::return_code(cuda::invalid_value);
  return driver_api().ipc_open_memory(data, &handle);
}
int ipc_close_memory(void* data) { return driver_api().ipc_close_memory(data); }

}  // namespace skerry::emulation::entry_points
