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

struct pinned_pool {
  std::mutex mutex;
  std::multimap<std::size_t, void*> cached;
  std::size_t cached_bytes = 0;
  std::array<memory_statistics, most_devices> of_device;
};

/// What is cached belongs to nobody, and is charged to this device.
constexpr int account_of_cached = 0;

/// Never destroyed.
pinned_pool& the_pool() {
  static pinned_pool* const created = [] {
    cpu::set_trim_elsewhere([]() noexcept { trim_pinned(); });
    return new pinned_pool;
  }();
  return *created;
}

void free_block(void* data) noexcept {
  device_state* const on = first_in_use();
  if (on == nullptr) return;
  // Once more if it fails, as that may be the failure of an earlier call.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const device_guard guard(*on, std::nothrow);
    const int code = guard.ok() ? call<&api::host_deallocate>(data) : guard.code();
    if (succeeded(code, *on, "freeing pinned memory")) return;
  }
}

void give_back(void* data, std::size_t block_bytes, device where) noexcept {
  if (!alive()) return;
  pinned_pool& pool = the_pool();
  {
    const std::lock_guard lock(pool.mutex);
    memory_statistics& counts = pool.of_device[static_cast<std::size_t>(where.index)];
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
class pinned_storage final : public storage {
 public:
  pinned_storage(void* data, std::size_t nbytes, std::size_t block_bytes, device where) noexcept
      : storage(data, nbytes, where), block_bytes_(block_bytes) {}
  [[nodiscard]] bool pinned() const noexcept override { return true; }

 private:
  void destroy() noexcept override {
    if (data() != nullptr) give_back(data(), block_bytes_, where());
    delete this;
  }

  std::size_t block_bytes_;
};

void* take_cached(std::size_t block_bytes) {
  pinned_pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const auto found = pool.cached.find(block_bytes);
  if (found == pool.cached.end()) return nullptr;
  void* data = found->second;
  pool.cached.erase(found);
  pool.cached_bytes -= block_bytes;
  cpu::discharge_elsewhere(account_of_cached, block_bytes);
  return data;
}

void* new_block(device_state& on, device where, std::size_t nbytes, std::size_t block_bytes) {
  const device_guard guard(on);
  for (int attempt = 0;; ++attempt) {
    void* data = nullptr;
    const int code = call<&api::host_allocate>(&data, block_bytes);
    if (code == success) return data;
    if (code != memory_allocation) check(code, on, "allocate_pinned");
    note_failure(code, on, "allocate_pinned");
    if (attempt == 1) break;
    trim_pinned();
  }
  throw out_of_memory_error(
      "allocate_pinned: cannot lock " + byte_text(nbytes) + " of host memory for " +
          to_string(where) + "; use ordinary memory, or free arrays that are not needed any more",
      where, nbytes);
}

[[noreturn]] void throw_over_limit(device where, std::size_t nbytes) {
  const memory_statistics now = host_statistics(where);
  throw out_of_memory_error(
      "allocate_pinned: cannot lock " + byte_text(nbytes) + " of host memory for " +
          to_string(where) + ": " + byte_text(now.live_bytes) + " live, " +
          byte_text(now.cached_bytes) + " cached, limit " + byte_text(now.limit_bytes) +
          "; tried giving back cached blocks, then collecting garbage; free "
          "arrays that are not needed any more",
      where, nbytes);
}

struct taken_block {
  void* data;
  bool is_fresh;
};

/// Charged to `where`.
taken_block take_block(device_state& on, device where, std::size_t nbytes,
                       std::size_t block_bytes) {
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

storage_ref allocate_pinned(device where, std::size_t nbytes) {
  device_state* const found = first_in_use();
  device_state& on = found != nullptr ? *found : use({cuda_kind, 0});
  if (nbytes == 0) return storage_ref(new pinned_storage(nullptr, 0, 0, where));
  if (nbytes > SIZE_MAX / 4) {
    throw out_of_memory_error("allocate_pinned: cannot lock " + byte_text(nbytes), where, nbytes);
  }
  const std::size_t block_bytes = whole_pages(size_class::of(nbytes).nbytes);
  const taken_block taken = take_block(on, where, nbytes, block_bytes);
  storage* made = nullptr;
  try {
    made = new pinned_storage(taken.data, nbytes, block_bytes, where);
  } catch (const std::bad_alloc&) {
    cpu::discharge_elsewhere(where.index, block_bytes);
    free_block(taken.data);
    throw;
  }
  pinned_pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  memory_statistics& counts = pool.of_device[static_cast<std::size_t>(where.index)];
  counts.live_bytes += block_bytes;
  ++counts.live_blocks;
  ++counts.allocations;
  if (taken.is_fresh) ++counts.system_allocations;
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return storage_ref(made);
}

memory_statistics host_statistics(device where) {
  memory_statistics result = cpu::statistics(where.index);
  pinned_pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const memory_statistics& pinned = pool.of_device[static_cast<std::size_t>(where.index)];
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
  pinned_pool& pool = the_pool();
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
