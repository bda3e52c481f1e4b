// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/pools.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/pools.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr int first_number = 5;  ///< CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT; lower ones are settings
constexpr int last_number = 8;

constinit std::array<std::atomic<MemoryPool*>, cuda::max_devices> current_pools{};

/// Blocks from pools that programs created, and from all pools of host memory.
struct PooledBlocks {
  std::mutex mutex;
  std::unordered_map<address, MemoryPool*> owners;
};
PooledBlocks& blocks() noexcept {
  static auto* const all = new PooledBlocks;
  return *all;
}

[[nodiscard]] MemoryPool* current_pool(int ordinal) noexcept {
  MemoryPool* const set = current_pools[static_cast<std::size_t>(ordinal)].load();
  return set != nullptr ? set : default_pool(ordinal);
}

[[nodiscard]] std::uint64_t used_bytes(const MemoryPool& pool) noexcept {
  if (pool.memory != PoolMemory::device) return pool.host_bytes.load();
  return rehearsal::System::instance().device(pool.ordinal).memory.live_bytes();
}

void note_use(MemoryPool& pool, address data) {
  if (!pool.is_default || pool.memory != PoolMemory::device) {
    PooledBlocks& all = blocks();
    const std::lock_guard lock(all.mutex);
    all.owners[data] = &pool;
  }
  const std::uint64_t used = used_bytes(pool);
  std::uint64_t peak = pool.peak_used.load();
  while (used > peak && !pool.peak_used.compare_exchange_weak(peak, used)) {
  }
}

int allocate_on_host(MemoryPool& pool, address* data, std::size_t nbytes) {
  void* new_data = nullptr;
  const int status = driver_api().host_allocate(&new_data, nbytes);
  if (status != code::success) return status;
  if (pool.memory == PoolMemory::managed) {
    rehearsal::System::instance().pinned.set_use(
        new_data, {.is_managed = true, .ordinal = rehearsal::current_ordinal()});
  }
  pool.host_bytes.fetch_add(nbytes);
  note_allocation(new_data);
  *data = address_of(new_data);
  note_use(pool, *data);
  return code::success;
}

/// Removes a block of host memory from its pool. Returns that pool, or null for other memory.
MemoryPool* take_from_host(address data) noexcept {
  if (rehearsal::System::instance().owner(pointer(data)) >= 0) return nullptr;
  PooledBlocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.owners.find(data);
  if (entry == all.owners.end()) return nullptr;
  MemoryPool* const pool = entry->second;
  all.owners.erase(entry);
  return pool;
}

/// Frees in stream order. Releases the block directly, as a free that waits for streams would wait
/// for itself.
int free_on_host(MemoryPool& pool, address data, void* stream) {
  pool.host_bytes.fetch_sub(rehearsal::System::instance().pinned.find(pointer(data)).nbytes);
  const auto release = [](void* block) {
    static_cast<void>(rehearsal::System::instance().pinned.release(block));
  };
  return driver_api().launch_host_function(stream, release, pointer(data));
}

/// Allocates from a pool, or captures the allocation. Device memory is allocated in the order of
/// `stream`, or of the legacy stream of the pool's device if `stream` belongs to another device.
int allocate_from(MemoryPool& pool, address* data, std::size_t nbytes, void* stream) {
  int ordinal = 0;
  if (const int status = driver_api().stream_device(stream, &ordinal); status != 0) {
    return status;
  }
  if (is_captured(stream)) return capture_allocation(stream, data, nbytes);
  if (pool.memory != PoolMemory::device) return allocate_on_host(pool, data, nbytes);
  void* new_data = nullptr;
  int status = code::success;
  if (ordinal == pool.ordinal) {
    status = driver_api().allocate_async(&new_data, nbytes, stream);
  } else {
    if (!rehearsal::push_device(pool.ordinal)) return code::invalid_value;
    status = driver_api().allocate_async(&new_data, nbytes, cuda::legacy_stream);
    static_cast<void>(rehearsal::pop_device());
  }
  if (status != code::success) return status;
  note_allocation(new_data);
  *data = address_of(new_data);
  note_use(pool, *data);
  return code::success;
}

template <class Body>
int with_pool(const void* handle, Body body) noexcept {
  return run_entry_point([&]() -> int {
    MemoryPool* const pool = find_pool(handle);
    return pool != nullptr ? body(*pool) : code::invalid_value;
  });
}

[[nodiscard]] std::atomic<std::uint64_t>* setting(MemoryPool& pool, int attribute) noexcept {
  return attribute >= 1 && attribute < first_number
             ? &pool.settings[static_cast<std::size_t>(attribute - 1)]
             : nullptr;
}

constexpr int release_threshold = 4;  ///< 64-bit, like the counters; other settings are int

}  // namespace

void* pool_of(address base) noexcept {
  rehearsal::System& all = rehearsal::System::instance();
  PooledBlocks& pooled_blocks = blocks();
  const std::lock_guard lock(pooled_blocks.mutex);
  const auto entry = pooled_blocks.owners.find(base);
  if (entry == pooled_blocks.owners.end() && !all.is_pooled(pointer(base))) return nullptr;
  return entry != pooled_blocks.owners.end() ? entry->second
                                             : default_pool(all.owner(pointer(base)));
}

int pool_allocate(address* data, std::size_t nbytes, void* stream) {
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    int ordinal = 0;
    const int status = driver_api().stream_device(stream, &ordinal);
    return status != code::success ? status
                                   : allocate_from(*current_pool(ordinal), data, nbytes, stream);
  });
}

int pool_allocate_from(address* data, std::size_t nbytes, void* pool, void* stream) {
  return in_context([&]() -> int {
    MemoryPool* const memory_pool = find_pool(pool);
    if (has_null(data, memory_pool) || nbytes == 0) return code::invalid_value;
    return allocate_from(*memory_pool, data, nbytes, stream);
  });
}

int pool_free(address data, void* stream) {
  return release_in_context([&]() -> int {
    if (is_captured(stream)) return capture(stream, NodeKind::release, {});
    if (MemoryPool* const host_pool = take_from_host(data))
      return free_on_host(*host_pool, data, stream);
    const int status = driver_api().deallocate_async(pointer(data), stream);
    if (status != code::success) return status;
    PooledBlocks& all = blocks();
    const std::lock_guard lock(all.mutex);
    all.owners.erase(data);
    return code::success;
  });
}

int pool_get_default(void** pool, int device) {
  return run_entry_point([&]() -> int {
    if (has_null(pool)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    *pool = default_pool(device);
    return code::success;
  });
}

int pool_get_current(void** pool, int device) {
  return run_entry_point([&]() -> int {
    if (has_null(pool)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    *pool = current_pool(device);
    return code::success;
  });
}

int pool_set_current(int device, void* pool) {
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (!exists(device)) return code::invalid_device;
    if (memory_pool.ordinal != device || memory_pool.memory != PoolMemory::device)
      return code::invalid_value;
    current_pools[static_cast<std::size_t>(device)].store(&memory_pool);
    return code::success;
  });
}

namespace {

/// Finds the kind of memory that a pool with these properties allocates; false if there is none.
bool find_memory(int allocation_type, const abi::MemoryLocation& location, PoolMemory* memory) {
  constexpr int pinned = 1;
  constexpr int managed = 2;
  constexpr int last_location = 4;  // host memory of the current NUMA node
  if (location.kind < 0 || location.kind > last_location) return false;
  const bool is_devices = location.kind == abi::location_of_device;
  if (is_devices && !exists(location.number)) return false;
  if (allocation_type == managed) {
    *memory = PoolMemory::managed;
    return true;
  }
  *memory = is_devices ? PoolMemory::device : PoolMemory::pinned;
  return allocation_type == pinned && location.kind != 0;
}

}  // namespace

int pool_get_default_at(void** pool, const abi::MemoryLocation* location, int allocation_type) {
  return run_entry_point([&]() -> int {
    PoolMemory memory{};
    if (has_null(pool, location) || !find_memory(allocation_type, *location, &memory)) {
      return code::invalid_value;
    }
    *pool = memory == PoolMemory::device ? default_pool(location->number) : default_pool(memory);
    return code::success;
  });
}

int pool_get_current_at(void** pool, const abi::MemoryLocation* location, int allocation_type) {
  return run_entry_point([&]() -> int {
    const int status = pool_get_default_at(pool, location, allocation_type);
    if (status != code::success) return status;
    const auto* const memory_pool = static_cast<const MemoryPool*>(*pool);
    if (memory_pool->memory == PoolMemory::device) *pool = current_pool(memory_pool->ordinal);
    return code::success;
  });
}

int pool_create(void** pool, const abi::PoolProperties* properties) {
  return run_entry_point([&]() -> int {
    PoolMemory memory{};
    if (has_null(pool, properties) ||
        !find_memory(properties->allocation_type, properties->location, &memory)) {
      return code::invalid_value;
    }
    if (properties->handle_types != 0) {
      return unsupported("cuMemPoolCreate with handle types for other processes");
    }
    *pool = add_pool(memory == PoolMemory::device ? properties->location.number : 0, memory);
    return code::success;
  });
}

int pool_destroy(void* pool) {
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (memory_pool.is_default) return code::invalid_value;
    MemoryPool* expected = &memory_pool;
    current_pools[static_cast<std::size_t>(memory_pool.ordinal)].compare_exchange_strong(expected,
                                                                                         nullptr);
    {
      // Live blocks stay usable. On a device they count as the default pool's.
      PooledBlocks& all = blocks();
      const std::lock_guard lock(all.mutex);
      std::erase_if(all.owners, [&](const auto& entry) { return entry.second == &memory_pool; });
    }
    return remove_pool(pool) ? code::success : code::invalid_value;
  });
}

int pool_trim(void* pool, std::size_t keep) {
  return with_pool(pool, [&](MemoryPool& memory_pool) {
    return memory_pool.memory != PoolMemory::device
               ? code::success
               : driver_api().pool_trim(memory_pool.ordinal, keep);
  });
}

int pool_set_attribute(void* pool, int attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (has_null(value)) return code::invalid_value;
    if (std::atomic<std::uint64_t>* const setting_value = setting(memory_pool, attribute)) {
      setting_value->store(attribute == release_threshold
                               ? *static_cast<const std::uint64_t*>(value)
                               : static_cast<std::uint64_t>(*static_cast<const int*>(value) != 0));
      return code::success;
    }
    // Only the peaks can be set, and only to 0.
    const bool is_high = attribute == first_number + 1 || attribute == last_number;
    if (!is_high || *static_cast<const std::uint64_t*>(value) != 0) return code::invalid_value;
    memory_pool.peak_used.store(0);
    return code::success;
  });
}

int pool_get_attribute(void* pool, int attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (has_null(value)) return code::invalid_value;
    if (const std::atomic<std::uint64_t>* const setting_value = setting(memory_pool, attribute)) {
      if (attribute == release_threshold) {
        *static_cast<std::uint64_t*>(value) = setting_value->load();
      } else {
        *static_cast<int*>(value) = static_cast<int>(setting_value->load());
      }
      return code::success;
    }
    if (attribute < first_number || attribute > last_number) return code::invalid_value;
    const std::uint64_t used = used_bytes(memory_pool);
    const bool is_current = attribute == first_number || attribute == first_number + 2;
    *static_cast<std::uint64_t*>(value) =
        is_current ? used : std::max(used, memory_pool.peak_used.load());
    return code::success;
  });
}

int pool_set_access(void* pool, const abi::AccessDescription* list, std::size_t count) {
  constexpr int read_write = 3;
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (has_null(list)) return code::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      const abi::AccessDescription& one = list[i];
      if (memory_pool.memory != PoolMemory::device) continue;  // accessible to all
      if (one.location_type != abi::location_of_device || !exists(one.location)) {
        return code::invalid_value;
      }
      if (one.flags != read_write) {
        return unsupported("cuMemPoolSetAccess with access other than read-write");
      }
      if (one.location == memory_pool.ordinal) continue;
      const int status = driver_api().pool_allow_reader(memory_pool.ordinal, one.location);
      if (status != code::success) return status;
    }
    return code::success;
  });
}

int pool_get_access(int* flags, void* pool, const abi::MemoryLocation* location) {
  constexpr int read_write = 3;
  return with_pool(pool, [&](MemoryPool& memory_pool) -> int {
    if (has_null(flags, location)) return code::invalid_value;
    if (memory_pool.memory != PoolMemory::device) {
      *flags = read_write;
      return code::success;
    }
    if (location->kind != abi::location_of_device || !exists(location->number)) {
      return code::invalid_value;
    }
    const bool has_access =
        location->number == memory_pool.ordinal ||
        rehearsal::System::instance().is_pool_reader(location->number, memory_pool.ordinal);
    *flags = has_access ? read_write : 0;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
