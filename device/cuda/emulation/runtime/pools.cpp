// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/pools.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "device/cuda/emulation/runtime/settings.hpp"
#include "device/cuda/rehearsal/settings.hpp"

namespace skerry::emulation {

namespace {

class all_pools {
 public:
  all_pools() {
    for (int ordinal = 0; ordinal < rehearsal::most_devices; ++ordinal) {
      memory_pool& pool = defaults[static_cast<std::size_t>(ordinal)];
      pool.ordinal = ordinal;
      pool.is_default = true;
    }
  }
  std::array<memory_pool, rehearsal::most_devices> defaults;
  memory_pool pinned{.is_default = true, .memory = pool_memory::pinned};
  memory_pool managed{.is_default = true, .memory = pool_memory::managed};
  std::mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<memory_pool>> made;
};

all_pools& pools() noexcept {
  static auto* const all = new all_pools;  // programs may call while the process ends
  return *all;
}

}  // namespace

memory_pool* default_pool(int ordinal) noexcept {
  return &pools().defaults[static_cast<std::size_t>(ordinal)];
}

memory_pool* default_pool(pool_memory memory) noexcept {
  return memory == pool_memory::pinned ? &pools().pinned : &pools().managed;
}

memory_pool* add_pool(int ordinal, pool_memory memory) {
  auto fresh = std::make_unique<memory_pool>();
  fresh->memory = memory;
  fresh->ordinal = ordinal;
  memory_pool* const handle = fresh.get();
  all_pools& all = pools();
  const std::lock_guard lock(all.mutex);
  all.made.emplace(handle, std::move(fresh));
  return handle;
}

bool remove_pool(const void* handle) noexcept {
  all_pools& all = pools();
  const std::lock_guard lock(all.mutex);
  return all.made.erase(handle) == 1;
}

memory_pool* find_pool(const void* handle) noexcept {
  all_pools& all = pools();
  for (int ordinal = 0; ordinal < current_emulator_settings().devices; ++ordinal) {
    if (default_pool(ordinal) == handle) return default_pool(ordinal);
  }
  for (memory_pool* const each : {&all.pinned, &all.managed}) {
    if (each == handle) return each;
  }
  const std::lock_guard lock(all.mutex);
  const auto found = all.made.find(handle);
  return found != all.made.end() ? found->second.get() : nullptr;
}

}  // namespace skerry::emulation
