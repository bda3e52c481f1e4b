// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory of devices and of the host, as the simulated runtime has it.

#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/entry_points.hpp"
#include "device/cuda/emulation/runtime/pools.hpp"
#include "device/cuda/rehearsal/faults.hpp"

namespace skerry::emulation::entry_points {

namespace {

constexpr int unregistered_device = -2;

int ordinal_of_pool(const void* pool) noexcept {
  const MemoryPool* const found = find_pool(pool);
  return found != nullptr ? found->ordinal : -1;
}

}  // namespace

int allocate(void** data, std::size_t nbytes) { return machine_calls().allocate(data, nbytes); }
int deallocate(void* data) { return machine_calls().deallocate(data); }
int allocate_async(void** data, std::size_t nbytes, void* stream) {
  return machine_calls().allocate_async(data, nbytes, stream);
}
int deallocate_async(void* data, void* stream) {
  return machine_calls().deallocate_async(data, stream);
}
int host_allocate(void** data, std::size_t nbytes, unsigned) {
  return machine_calls().host_allocate(data, nbytes);
}
int host_deallocate(void* data) { return machine_calls().host_deallocate(data); }
int host_register(void* data, std::size_t nbytes, unsigned) {
  return machine_calls().host_register(data, nbytes);
}
int host_unregister(void* data) { return machine_calls().host_unregister(data); }
int memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  return machine_calls().memory_info(free_bytes, total_bytes);
}

int get_pointer_attributes(abi::PointerAttributes* attributes, const void* data) {
  cuda::PointerAttributes found{};
  const int code = machine_calls().get_pointer_attributes(&found, data);
  if (code != cuda::success) return code;
  *attributes = {};
  attributes->type = static_cast<int>(found.type);
  attributes->device =
      found.type == cuda::MemoryType::unregistered ? unregistered_device : found.device;
  attributes->device_pointer = found.device_pointer;
  attributes->host_pointer = found.host_pointer;
  return cuda::success;
}

int copy_async(void* target, const void* source, std::size_t nbytes, int kind, void* stream) {
  return machine_calls().copy_async(target, source, nbytes, static_cast<cuda::CopyKind>(kind),
                                    stream);
}

int copy(void* target, const void* source, std::size_t nbytes, int kind) {
  const int code = copy_async(target, source, nbytes, kind, cuda::legacy_stream);
  return code != cuda::success ? code : machine_calls().stream_synchronize(cuda::legacy_stream);
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* stream) {
  return machine_calls().copy_peer_async(target, target_ordinal, source, source_ordinal, nbytes,
                                         stream);
}

int fill_async(void* target, int value, std::size_t nbytes, void* stream) {
  return machine_calls().fill_async(target, value, nbytes, stream);
}

int get_default_pool(void** pool, int ordinal) {
  // Asks the machine, which knows whether there are pools.
  const int code = machine_calls().pool_set_release_threshold(ordinal, 0);
  if (code == cuda::success) *pool = default_pool(ordinal);
  return code;
}

int set_pool_access(void* pool, const abi::AccessDescription* list, std::size_t count) {
  constexpr int of_device = 1;   // cudaMemLocationTypeDevice
  constexpr int read_write = 3;  // cudaMemAccessFlagsProtReadWrite
  const int owner = ordinal_of_pool(pool);
  if (owner < 0) return rehearsal::leave(cuda::invalid_value);
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i].location_type != of_device || list[i].flags != read_write) {
      return rehearsal::leave(cuda::invalid_value);
    }
    const int code = machine_calls().pool_allow_reader(owner, list[i].location);
    if (code != cuda::success) return code;
  }
  return cuda::success;
}

int set_pool_attribute(void* pool, int attribute, void* value) {
  constexpr int release_threshold = 4;  // cudaMemPoolAttrReleaseThreshold
  const int owner = ordinal_of_pool(pool);
  if (owner < 0 || attribute != release_threshold) return rehearsal::leave(cuda::invalid_value);
  return machine_calls().pool_set_release_threshold(owner, *static_cast<std::uint64_t*>(value));
}

int trim_pool(void* pool, std::size_t keep_bytes) {
  const int owner = ordinal_of_pool(pool);
  if (owner < 0) return rehearsal::leave(cuda::invalid_value);
  return machine_calls().pool_trim(owner, keep_bytes);
}

}  // namespace skerry::emulation::entry_points
