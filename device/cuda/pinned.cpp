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

namespace skerry::cuda {

namespace {

/// Locking pages takes about 0.3 ms per MiB, so blocks are kept; not more than this.
constexpr std::size_t most_cached_bytes = std::size_t{256} << 20;

struct PinnedPool {
  std::mutex mutex;
  std::multimap<std::size_t, void*> cached;
  std::size_t cached_bytes = 0;
  std::array<MemoryStatistics, most_devices> of_device;
};

/// What is cached belongs to nobody, and is charged to this device.
constexpr int account_of_cached = 0;

/// Never destroyed.
PinnedPool& the_pool() {
  static PinnedPool* const created = [] {
    cpu::set_trim_elsewhere([]() noexcept { trim_pinned(); });
    return new PinnedPool;
  }();
  return *created;
}

void free_block(void* data) noexcept {
  DeviceState* const on = first_in_use();
  if (on == nullptr) return;
  // Once more if it fails, as that may be the failure of an earlier call.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const DeviceGuard guard(*on, std::nothrow);
    const int code = guard.ok() ? call<&Api::host_deallocate>(data) : guard.code();
    if (succeeded(code, *on, "freeing pinned memory")) return;
  }
}

void give_back(void* data, std::size_t block_bytes, Device where) noexcept {
  if (!alive()) return;
  PinnedPool& pool = the_pool();
  {
    const std::lock_guard lock(pool.mutex);
    MemoryStatistics& counts = pool.of_device[static_cast<std::size_t>(where.index)];
    counts.live_bytes -= block_bytes;
    --counts.live_blocks;
    cpu::discharge_elsewhere(where.index, block_bytes);
    if (pool.cached_bytes + block_bytes <= most_cached_bytes &&
        cpu::charge_elsewhere(account_of_cached, block_bytes)) {
      try {
        pool.cached.emplace(block_bytes, data);
        pool.cached_bytes += block_bytes;
        return;
      } catch (const std::bad_alloc&) {
        cpu::discharge_elsewhere(account_of_cached, block_bytes);
      }
    }
  }
  free_block(data);
}

/// Copies between it and a GPU have ended when a call returns.
class PinnedStorage final : public Storage {
 public:
  PinnedStorage(void* data, std::size_t nbytes, std::size_t block_bytes, Device where) noexcept
      : Storage(data, nbytes, where), block_bytes_(block_bytes) {}
  [[nodiscard]] bool pinned() const noexcept override { return true; }

 private:
  void destroy() noexcept override {
    if (data() != nullptr) give_back(data(), block_bytes_, where());
    delete this;
  }

  std::size_t block_bytes_;
};

void* take_cached(std::size_t block_bytes) {
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const auto found = pool.cached.find(block_bytes);
  if (found == pool.cached.end()) return nullptr;
  void* data = found->second;
  pool.cached.erase(found);
  pool.cached_bytes -= block_bytes;
  cpu::discharge_elsewhere(account_of_cached, block_bytes);
  return data;
}

void* new_block(DeviceState& on, Device where, std::size_t nbytes, std::size_t block_bytes) {
  const DeviceGuard guard(on);
  for (int attempt = 0;; ++attempt) {
    void* data = nullptr;
    const int code = call<&Api::host_allocate>(&data, block_bytes);
    if (code == success) return data;
    if (code != memory_allocation) check(code, on, "allocate_pinned");
    note_failure(code, on, "allocate_pinned");
    if (attempt == 1) break;
    trim_pinned();
  }
  throw OutOfMemoryError("allocate_pinned: cannot lock " + byte_text(nbytes) +
                             " of host memory for " + to_string(where) +
                             "; use ordinary memory, or free arrays that are not needed any more",
                         where, nbytes);
}

[[noreturn]] void throw_over_limit(Device where, std::size_t nbytes) {
  const MemoryStatistics now = host_statistics(where);
  throw OutOfMemoryError("allocate_pinned: cannot lock " + byte_text(nbytes) +
                             " of host memory for " + to_string(where) + ": " +
                             byte_text(now.live_bytes) + " live, " + byte_text(now.cached_bytes) +
                             " cached, limit " + byte_text(now.limit_bytes) +
                             "; tried giving back cached blocks, then collecting garbage; free "
                             "arrays that are not needed any more",
                         where, nbytes);
}

struct TakenBlock {
  void* data;
  bool is_fresh;
};

/// Charged to `where`.
TakenBlock take_block(DeviceState& on, Device where, std::size_t nbytes, std::size_t block_bytes) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt == 2) collect_garbage();
    if (attempt > 0) {
      trim_pinned();
      cpu::trim(where.index);
    }
    void* const cached = take_cached(block_bytes);
    if (cpu::charge_elsewhere(where.index, block_bytes)) {
      if (cached != nullptr) return {cached, false};
      try {
        return {new_block(on, where, nbytes, block_bytes), true};
      } catch (...) {
        cpu::discharge_elsewhere(where.index, block_bytes);
        throw;
      }
    }
    if (cached != nullptr) free_block(cached);
  }
  throw_over_limit(where, nbytes);
}

}  // namespace

StorageRef allocate_pinned(Device where, std::size_t nbytes) {
  DeviceState* const found = first_in_use();
  DeviceState& on = found != nullptr ? *found : use({cuda_kind, 0});
  if (nbytes == 0) return StorageRef(new PinnedStorage(nullptr, 0, 0, where));
  if (nbytes > SIZE_MAX / 4) {
    throw OutOfMemoryError("allocate_pinned: cannot lock " + byte_text(nbytes), where, nbytes);
  }
  const std::size_t block_bytes = whole_pages(SizeClass::of(nbytes).nbytes);
  const TakenBlock taken = take_block(on, where, nbytes, block_bytes);
  Storage* made = nullptr;
  try {
    made = new PinnedStorage(taken.data, nbytes, block_bytes, where);
  } catch (const std::bad_alloc&) {
    cpu::discharge_elsewhere(where.index, block_bytes);
    free_block(taken.data);
    throw;
  }
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  MemoryStatistics& counts = pool.of_device[static_cast<std::size_t>(where.index)];
  counts.live_bytes += block_bytes;
  ++counts.live_blocks;
  ++counts.allocations;
  if (taken.is_fresh) ++counts.system_allocations;
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return StorageRef(made);
}

MemoryStatistics host_statistics(Device where) {
  MemoryStatistics result = cpu::statistics(where.index);
  PinnedPool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const MemoryStatistics& pinned = pool.of_device[static_cast<std::size_t>(where.index)];
  result.live_bytes += pinned.live_bytes;
  result.live_blocks += pinned.live_blocks;
  result.peak_bytes = std::max(result.peak_bytes, result.live_bytes);
  if (where.index == 0) result.cached_bytes += pool.cached_bytes;
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
    cpu::discharge_elsewhere(account_of_cached, pool.cached_bytes);
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
