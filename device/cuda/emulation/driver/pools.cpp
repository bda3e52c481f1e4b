// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/pools.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/captures.hpp"
#include "device/cuda/emulation/driver/pools.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr int first_number = 5;  ///< CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: settings are before it
constexpr int last_number = 8;

constinit std::array<std::atomic<MemoryPool*>, cuda::most_devices> chosen{};

/// What came from pools that programs made.
struct PooledBlocks {
  std::mutex mutex;
  std::unordered_map<address, MemoryPool*> of;
};
PooledBlocks& blocks() noexcept {
  static auto* const all = new PooledBlocks;
  return *all;
}

[[nodiscard]] MemoryPool* current_pool(int ordinal) noexcept {
  MemoryPool* const set = chosen[static_cast<std::size_t>(ordinal)].load();
  return set != nullptr ? set : default_pool(ordinal);
}

[[nodiscard]] std::uint64_t used_bytes(const MemoryPool& of) noexcept {
  if (of.memory != PoolMemory::device) return of.host_bytes.load();
  return rehearsal::Machine::instance().at(of.ordinal).memory.live_bytes();
}

void note_use(MemoryPool& from, address data) {
  if (!from.is_default || from.memory != PoolMemory::device) {
    PooledBlocks& all = blocks();
    const std::lock_guard lock(all.mutex);
    all.of[data] = &from;
  }
  const std::uint64_t used = used_bytes(from);
  std::uint64_t most = from.most_used.load();
  while (used > most && !from.most_used.compare_exchange_weak(most, used)) {
  }
}

int allocate_on_host(MemoryPool& from, address* data, std::size_t nbytes) {
  void* fresh = nullptr;
  const int status = machine_calls().host_allocate(&fresh, nbytes);
  if (status != code::success) return status;
  rehearsal::Machine::instance().pinned.set_use(fresh,
                                                {.is_managed = from.memory == PoolMemory::managed});
  from.host_bytes.fetch_add(nbytes);
  *data = address_of(fresh);
  note_use(from, *data);
  return code::success;
}

/// The pool of a block of the host's, which it leaves; null for other memory.
MemoryPool* take_from_host(address data) noexcept {
  if (rehearsal::Machine::instance().owner(pointer(data)) >= 0) return nullptr;
  PooledBlocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  const auto found = all.of.find(data);
  if (found == all.of.end()) return nullptr;
  MemoryPool* const from = found->second;
  all.of.erase(found);
  return from;
}

/// When the stream comes there: a free that waited for streams would wait for itself.
int free_on_host(MemoryPool& from, address data, void* stream) {
  from.host_bytes.fetch_sub(rehearsal::Machine::instance().pinned.find(pointer(data)).nbytes);
  const auto release = [](void* block) {
    static_cast<void>(rehearsal::Machine::instance().pinned.release(block));
  };
  return machine_calls().launch_host_function(stream, release, pointer(data));
}

/// Memory of the pool's device, whose legacy stream says so where the stream is another device's.
int allocate_from(MemoryPool& from, address* data, std::size_t nbytes, void* stream) {
  int ordinal = 0;
  if (const int status = machine_calls().stream_device(stream, &ordinal); status != 0) {
    return status;
  }
  if (is_captured(stream)) return capture_allocation(stream, data, nbytes);
  if (from.memory != PoolMemory::device) return allocate_on_host(from, data, nbytes);
  void* fresh = nullptr;
  int status = code::success;
  if (ordinal == from.ordinal) {
    status = machine_calls().allocate_async(&fresh, nbytes, stream);
  } else {
    if (!rehearsal::push_device(from.ordinal)) return code::invalid_value;
    status = machine_calls().allocate_async(&fresh, nbytes, cuda::legacy_stream);
    static_cast<void>(rehearsal::pop_device());
  }
  if (status != code::success) return status;
  *data = address_of(fresh);
  note_use(from, *data);
  return code::success;
}

template <class Body>
int with_pool(const void* handle, Body body) noexcept {
  return answer([&]() -> int {
    MemoryPool* const found = find_pool(handle);
    return found != nullptr ? body(*found) : code::invalid_value;
  });
}

[[nodiscard]] std::atomic<std::uint64_t>* setting(MemoryPool& of, int attribute) noexcept {
  return attribute >= 1 && attribute < first_number
             ? &of.settings[static_cast<std::size_t>(attribute - 1)]
             : nullptr;
}

constexpr int release_threshold = 4;  ///< 64 bits, as what is counted; the others are ints

}  // namespace

void* pool_of(address base) noexcept {
  rehearsal::Machine& all = rehearsal::Machine::instance();
  PooledBlocks& known = blocks();
  const std::lock_guard lock(known.mutex);
  const auto found = known.of.find(base);
  if (found == known.of.end() && !all.is_pooled(pointer(base))) return nullptr;
  return found != known.of.end() ? found->second : default_pool(all.owner(pointer(base)));
}

int pool_allocate(address* data, std::size_t nbytes, void* stream) {
  return in_context([&]() -> int {
    if (has_null(data) || nbytes == 0) return code::invalid_value;
    int ordinal = 0;
    const int status = machine_calls().stream_device(stream, &ordinal);
    return status != code::success ? status
                                   : allocate_from(*current_pool(ordinal), data, nbytes, stream);
  });
}

int pool_allocate_from(address* data, std::size_t nbytes, void* pool, void* stream) {
  return in_context([&]() -> int {
    MemoryPool* const from = find_pool(pool);
    if (has_null(data, from) || nbytes == 0) return code::invalid_value;
    return allocate_from(*from, data, nbytes, stream);
  });
}

int pool_free(address data, void* stream) {
  return in_context([&]() -> int {
    if (is_captured(stream)) return capture(stream, NodeKind::release, {});
    if (MemoryPool* const from = take_from_host(data)) return free_on_host(*from, data, stream);
    const int status = machine_calls().deallocate_async(pointer(data), stream);
    if (status != code::success) return status;
    PooledBlocks& all = blocks();
    const std::lock_guard lock(all.mutex);
    all.of.erase(data);
    return code::success;
  });
}

int pool_get_default(void** pool, int device) {
  return answer([&]() -> int {
    if (has_null(pool)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    *pool = default_pool(device);
    return code::success;
  });
}

int pool_get_current(void** pool, int device) {
  return answer([&]() -> int {
    if (has_null(pool)) return code::invalid_value;
    if (!exists(device)) return code::invalid_device;
    *pool = current_pool(device);
    return code::success;
  });
}

int pool_set_current(int device, void* pool) {
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (!exists(device)) return code::invalid_device;
    if (found.ordinal != device || found.memory != PoolMemory::device) return code::invalid_value;
    chosen[static_cast<std::size_t>(device)].store(&found);
    return code::success;
  });
}

namespace {

/// What a pool of these properties gives; false for what there is not.
bool find_memory(int allocation_type, const abi::MemoryLocation& at, PoolMemory* memory) {
  constexpr int pinned = 1;
  constexpr int managed = 2;
  constexpr int last_location = 4;  // of the host's, by its NUMA nodes
  if (at.kind < 0 || at.kind > last_location) return false;
  const bool is_devices = at.kind == abi::location_of_device;
  if (is_devices && !exists(at.number)) return false;
  if (allocation_type == managed) {
    *memory = PoolMemory::managed;
    return true;
  }
  *memory = is_devices ? PoolMemory::device : PoolMemory::pinned;
  return allocation_type == pinned && at.kind != 0;
}

}  // namespace

int pool_get_default_at(void** pool, const abi::MemoryLocation* at, int allocation_type) {
  return answer([&]() -> int {
    PoolMemory memory{};
    if (has_null(pool, at) || !find_memory(allocation_type, *at, &memory)) {
      return code::invalid_value;
    }
    *pool = memory == PoolMemory::device ? default_pool(at->number) : default_pool(memory);
    return code::success;
  });
}

int pool_get_current_at(void** pool, const abi::MemoryLocation* at, int allocation_type) {
  return answer([&]() -> int {
    const int status = pool_get_default_at(pool, at, allocation_type);
    if (status != code::success) return status;
    const auto* const found = static_cast<const MemoryPool*>(*pool);
    if (found->memory == PoolMemory::device) *pool = current_pool(found->ordinal);
    return code::success;
  });
}

int pool_create(void** pool, const abi::PoolProperties* properties) {
  return answer([&]() -> int {
    PoolMemory memory{};
    if (has_null(pool, properties) ||
        !find_memory(properties->allocation_type, properties->location, &memory)) {
      return code::invalid_value;
    }
    if (properties->handle_types != 0) {
      return unsupported("cuMemPoolCreate of memory for other processes");
    }
    *pool = add_pool(memory == PoolMemory::device ? properties->location.number : 0, memory);
    return code::success;
  });
}

int pool_destroy(void* pool) {
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (found.is_default) return code::invalid_value;
    MemoryPool* expected = &found;
    chosen[static_cast<std::size_t>(found.ordinal)].compare_exchange_strong(expected, nullptr);
    {
      // What is still out stays usable; it counts as the default pool's.
      PooledBlocks& all = blocks();
      const std::lock_guard lock(all.mutex);
      std::erase_if(all.of, [&](const auto& each) { return each.second == &found; });
    }
    return remove_pool(pool) ? code::success : code::invalid_value;
  });
}

int pool_trim(void* pool, std::size_t keep) {
  return with_pool(pool, [&](MemoryPool& found) {
    return found.memory != PoolMemory::device ? code::success
                                              : machine_calls().pool_trim(found.ordinal, keep);
  });
}

int pool_set_attribute(void* pool, int attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (has_null(value)) return code::invalid_value;
    if (std::atomic<std::uint64_t>* const into = setting(found, attribute)) {
      into->store(attribute == release_threshold
                      ? *static_cast<const std::uint64_t*>(value)
                      : static_cast<std::uint64_t>(*static_cast<const int*>(value) != 0));
      return code::success;
    }
    // The highest figures alone can be set, to start again from 0.
    const bool is_high = attribute == first_number + 1 || attribute == last_number;
    if (!is_high || *static_cast<const std::uint64_t*>(value) != 0) return code::invalid_value;
    found.most_used.store(0);
    return code::success;
  });
}

int pool_get_attribute(void* pool, int attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (has_null(value)) return code::invalid_value;
    if (const std::atomic<std::uint64_t>* const from = setting(found, attribute)) {
      if (attribute == release_threshold) {
        *static_cast<std::uint64_t*>(value) = from->load();
      } else {
        *static_cast<int*>(value) = static_cast<int>(from->load());
      }
      return code::success;
    }
    if (attribute < first_number || attribute > last_number) return code::invalid_value;
    const std::uint64_t used = used_bytes(found);
    const bool is_current = attribute == first_number || attribute == first_number + 2;
    *static_cast<std::uint64_t*>(value) =
        is_current ? used : std::max(used, found.most_used.load());
    return code::success;
  });
}

int pool_set_access(void* pool, const abi::AccessDescription* list, std::size_t count) {
  constexpr int read_write = 3;
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (has_null(list)) return code::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      const abi::AccessDescription& one = list[i];
      if (found.memory != PoolMemory::device) continue;  // which everybody has
      if (one.location_type != abi::location_of_device || !exists(one.location)) {
        return code::invalid_value;
      }
      if (one.flags != read_write) {
        return unsupported("cuMemPoolSetAccess that takes access away");
      }
      if (one.location == found.ordinal) continue;
      const int status = machine_calls().pool_allow_reader(found.ordinal, one.location);
      if (status != code::success) return status;
    }
    return code::success;
  });
}

int pool_get_access(int* flags, void* pool, const abi::MemoryLocation* location) {
  constexpr int read_write = 3;
  return with_pool(pool, [&](MemoryPool& found) -> int {
    if (has_null(flags, location)) return code::invalid_value;
    if (found.memory != PoolMemory::device) {
      *flags = read_write;
      return code::success;
    }
    if (location->kind != abi::location_of_device || !exists(location->number)) {
      return code::invalid_value;
    }
    const bool has_access =
        location->number == found.ordinal ||
        rehearsal::Machine::instance().is_pool_reader(location->number, found.ordinal);
    *flags = has_access ? read_write : 0;
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
