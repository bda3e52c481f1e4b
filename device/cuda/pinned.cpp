// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pinned.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "device/cpu/memory.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/size_class.hpp"
#include "device/memory_pressure.hpp"
#include "device/page_size.hpp"
#include "device/storage_attachment.hpp"

namespace skerry::cuda {

namespace {

/// Locking pages takes about 0.3 ms per MiB, so freed blocks are cached up to this total.
constexpr std::size_t max_cached_bytes = std::size_t{256} << 20;

struct PinnedPool {
  std::mutex mutex;
  std::multimap<std::size_t, void*> cached;
  std::size_t cached_bytes = 0;
  std::array<MemoryStatistics, max_devices> of_device;
};

/// Index of the CPU device to which cached blocks, which have no owner, are charged.
constexpr int cache_device_index = 0;

/// Returns the pool, created by the first call and never destroyed.
PinnedPool& the_pool() {
  static PinnedPool* const created = [] {
    cpu::set_external_trim([]() noexcept { trim_pinned(); });
    return new PinnedPool;
  }();
  return *created;
}

void free_block(void* data) noexcept {
  DeviceState* const device_state = first_in_use();
  if (device_state == nullptr) return;
  // Retries once, since the failure may be that of an earlier call.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const DeviceGuard guard(*device_state, std::nothrow);
    const int code = guard.ok() ? call<&Api::host_deallocate>(data) : guard.code();
    if (succeeded(code, *device_state, "freeing pinned memory")) return;
  }
}

void give_back(void* data, std::size_t block_bytes, Device device) noexcept {
  if (!alive()) return;
  PinnedPool& pool = the_pool();
  {
    const std::lock_guard lock(pool.mutex);
    MemoryStatistics& counts = pool.of_device[static_cast<std::size_t>(device.index)];
    counts.live_bytes -= block_bytes;
    --counts.live_blocks;
    cpu::discharge_external(device.index, block_bytes);
    if (pool.cached_bytes + block_bytes <= max_cached_bytes &&
        cpu::charge_external(cache_device_index, block_bytes)) {
      try {
        pool.cached.emplace(block_bytes, data);
        pool.cached_bytes += block_bytes;
        return;
      } catch (const std::bad_alloc&) {
        cpu::discharge_external(cache_device_index, block_bytes);
      }
    }
  }
  free_block(data);
}

constexpr StorageAttachment pinned_pages{.pages = HostPages::pinned};

/// Pinned host memory. Copies between it and a GPU are complete when a call returns.
class PinnedStorage final : public Storage {
 public:
  PinnedStorage(void* data, std::size_t nbytes, std::size_t block_bytes, Device device) noexcept
      : Storage(data, nbytes, device, false, &pinned_pages), block_bytes_(block_bytes) {}

 private:
  void destroy() noexcept override {
    if (data() != nullptr) give_back(data(), block_bytes_, device());
    delete this;
  }

  std::size_t block_bytes_;
};

void* take_cached(std::size_t block_bytes) {
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const auto entry = pool.cached.find(block_bytes);
  if (entry == pool.cached.end()) return nullptr;
  void* data = entry->second;
  pool.cached.erase(entry);
  pool.cached_bytes -= block_bytes;
  cpu::discharge_external(cache_device_index, block_bytes);
  return data;
}

void* new_block(DeviceState& device_state, Device device, std::size_t nbytes,
                std::size_t block_bytes) {
  const DeviceGuard guard(device_state);
  for (int attempt = 0;; ++attempt) {
    void* data = nullptr;
    const int code = call<&Api::host_allocate>(&data, block_bytes);
    if (code == success) return data;
    if (code != memory_allocation) check(code, device_state, "allocate_pinned");
    note_failure(code, device_state, "allocate_pinned");
    if (attempt == 1) break;
    trim_pinned();
  }
  throw OutOfMemoryError("cannot lock " + byte_text(nbytes) + " of host memory for " +
                             to_string(device) +
                             "; use pageable memory, or free arrays that are not needed any more",
                         device, nbytes);
}

[[noreturn]] void throw_over_limit(Device device, std::size_t nbytes) {
  const MemoryStatistics now = host_statistics(device);
  throw OutOfMemoryError("cannot lock " + byte_text(nbytes) + " of host memory for " +
                             to_string(device) + ": " + byte_text(now.live_bytes) + " live, " +
                             byte_text(now.cached_bytes) + " cached, limit " +
                             byte_text(now.limit_bytes) +
                             "; tried releasing cached blocks, then collecting garbage; free "
                             "arrays that are not needed any more",
                         device, nbytes);
}

struct TakenBlock {
  void* data;
  bool is_new;
};

/// Takes a cached or new block and charges it to `device`.
TakenBlock take_block(DeviceState& device_state, Device device, std::size_t nbytes,
                      std::size_t block_bytes) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt == 2) collect_garbage();
    if (attempt > 0) {
      trim_pinned();
      cpu::trim(device.index);
    }
    void* const cached = take_cached(block_bytes);
    if (cpu::charge_external(device.index, block_bytes)) {
      if (cached != nullptr) return {cached, false};
      try {
        return {new_block(device_state, device, nbytes, block_bytes), true};
      } catch (...) {
        cpu::discharge_external(device.index, block_bytes);
        throw;
      }
    }
    if (cached != nullptr) free_block(cached);
  }
  throw_over_limit(device, nbytes);
}

}  // namespace

StorageRef allocate_pinned(Device device, std::size_t nbytes) {
  DeviceState* const state_in_use = first_in_use();
  DeviceState& device_state =
      state_in_use != nullptr ? *state_in_use : usable_state({cuda_kind, 0});
  if (nbytes == 0) return StorageRef(new PinnedStorage(nullptr, 0, 0, device));
  if (nbytes > SIZE_MAX / 4) {
    throw OutOfMemoryError("cannot lock " + byte_text(nbytes), device, nbytes);
  }
  const std::size_t block_bytes = whole_pages(SizeClass::round_up(nbytes).nbytes);
  const TakenBlock block = take_block(device_state, device, nbytes, block_bytes);
  Storage* storage = nullptr;
  try {
    storage = new PinnedStorage(block.data, nbytes, block_bytes, device);
  } catch (const std::bad_alloc&) {
    cpu::discharge_external(device.index, block_bytes);
    free_block(block.data);
    throw;
  }
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  MemoryStatistics& counts = pool.of_device[static_cast<std::size_t>(device.index)];
  counts.live_bytes += block_bytes;
  ++counts.live_blocks;
  ++counts.allocations;
  if (block.is_new) ++counts.system_allocations;
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return StorageRef(storage);
}

MemoryStatistics host_statistics(Device device) {
  MemoryStatistics result = cpu::statistics(device.index);
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const MemoryStatistics& pinned = pool.of_device[static_cast<std::size_t>(device.index)];
  result.live_bytes += pinned.live_bytes;
  result.live_blocks += pinned.live_blocks;
  result.peak_bytes = std::max(result.peak_bytes, result.live_bytes);
  if (device.index == 0) result.cached_bytes += pool.cached_bytes;
  result.allocations += pinned.allocations;
  result.system_allocations += pinned.system_allocations;
  return result;
}

std::size_t trim_pinned() {
  if (!alive()) return 0;
  PinnedPool& pool = the_pool();
  std::multimap<std::size_t, void*> old;
  {
    const std::lock_guard lock(pool.mutex);
    old.swap(pool.cached);
    cpu::discharge_external(cache_device_index, pool.cached_bytes);
    pool.cached_bytes = 0;
  }
  std::size_t released = 0;
  for (const auto& [nbytes, data] : old) {
    free_block(data);
    released += nbytes;
  }
  return released;
}

}  // namespace skerry::cuda
