// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/pools.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "device/emulator/runtime/settings.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::emulation {

namespace {

class AllPools {
 public:
  AllPools() {
    for (int ordinal = 0; ordinal < rehearsal::max_devices; ++ordinal) {
      MemoryPool& pool = defaults[static_cast<std::size_t>(ordinal)];
      pool.ordinal = ordinal;
      pool.is_default = true;
    }
  }
  std::array<MemoryPool, rehearsal::max_devices> defaults;
  MemoryPool pinned{.is_default = true, .memory = PoolMemory::pinned};
  MemoryPool managed{.is_default = true, .memory = PoolMemory::managed};
  std::mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<MemoryPool>> program_pools;
};

AllPools& pools() noexcept {
  static auto* const all = new AllPools;  // leaked: may be used during process exit
  return *all;
}

}  // namespace

MemoryPool* default_pool(int ordinal) noexcept {
  return &pools().defaults[static_cast<std::size_t>(ordinal)];
}

MemoryPool* default_pool(PoolMemory memory) noexcept {
  return memory == PoolMemory::pinned ? &pools().pinned : &pools().managed;
}

MemoryPool* add_pool(int ordinal, PoolMemory memory) {
  auto new_pool = std::make_unique<MemoryPool>();
  new_pool->memory = memory;
  new_pool->ordinal = ordinal;
  MemoryPool* const handle = new_pool.get();
  AllPools& all = pools();
  const std::lock_guard lock(all.mutex);
  all.program_pools.emplace(handle, std::move(new_pool));
  return handle;
}

bool remove_pool(const void* handle) noexcept {
  AllPools& all = pools();
  const std::lock_guard lock(all.mutex);
  return all.program_pools.erase(handle) == 1;
}

MemoryPool* find_pool(const void* handle) noexcept {
  AllPools& all = pools();
  for (int ordinal = 0; ordinal < current_emulator_settings().devices; ++ordinal) {
    if (default_pool(ordinal) == handle) return default_pool(ordinal);
  }
  for (MemoryPool* const pool : {&all.pinned, &all.managed}) {
    if (pool == handle) return pool;
  }
  const std::lock_guard lock(all.mutex);
  const auto entry = all.program_pools.find(handle);
  return entry != all.program_pools.end() ? entry->second.get() : nullptr;
}

}  // namespace skerry::emulation
