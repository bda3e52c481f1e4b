// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/cpu/memory.hpp"
#include "device/cuda/page_lock.hpp"
#include "device/cuda/pinned.hpp"
#include "device/cuda/runtime.hpp"
#include "device/fault.hpp"
#include "device/foreign_storage.hpp"
#include "device/host_pages.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

/// Nothing to free: arrays of no bytes.
class EmptyStorage final : public Storage {
 public:
  explicit EmptyStorage(Device where) noexcept : Storage(nullptr, 0, where) {}

 private:
  void destroy() noexcept override { delete this; }
};

[[noreturn]] void throw_planned_failure(const char* what, Device where, std::size_t nbytes) {
  throw OutOfMemoryError(std::string(what) + ": cannot allocate " + byte_text(nbytes) + " on " +
                             to_string(where) + ": fail_allocation asked for this failure",
                         where, nbytes);
}

/// Empty where memory can't be pinned, which is no error: ordinary memory does.
StorageRef try_pinned(Device where, std::size_t nbytes) noexcept {
  cuda::probe();
  if (nbytes == 0 || !cuda::alive()) return {};
  try {
    return cuda::allocate_pinned(where, nbytes);
  } catch (...) {
    return {};
  }
}

}  // namespace

StorageRef allocate(Device where, std::size_t nbytes) {
  if (is_host(where)) [[likely]] {
    require(where);
    if (detail::count_allocation()) [[unlikely]]
      throw_planned_failure("allocate", where, nbytes);
    if (cuda::chosen_host_memory() == cuda::HostMemory::all_pinned) [[unlikely]] {
      if (StorageRef pinned = try_pinned(where, nbytes)) return pinned;
    }
    return cpu::allocate(where.index, nbytes);
  }
  if (detail::count_allocation()) [[unlikely]]
    throw_planned_failure("allocate", where, nbytes);
  const Backend& kind = backend_of(where);
  // Who can say more than how many devices there are says it in allocate.
  if (nbytes == 0 || kind.devices.require == nullptr) require(where);
  if (nbytes == 0 && kind.memory.allocate_empty != nullptr)
    return kind.memory.allocate_empty(where);
  if (nbytes == 0) return StorageRef(new EmptyStorage(where));
  return kind.memory.allocate(where, nbytes);
}

StorageRef allocate_pinned(Device where, std::size_t nbytes) {
  require(where);
  if (!is_host(where)) {
    throw ValueError("allocate_pinned: " + to_string(where) +
                     " is not a CPU device: only host memory can be pinned");
  }
  if (detail::count_allocation()) [[unlikely]] {
    throw_planned_failure("allocate_pinned", where, nbytes);
  }
  return cuda::allocate_pinned(where, nbytes);
}

namespace {

MemoryStatistics statistics_of_host(Device where) {
  require(where);
  return cuda::used() ? cuda::host_statistics(where) : cpu::statistics(where.index);
}

}  // namespace

MemoryStatistics statistics(Device where) {
  if (is_host(where)) return statistics_of_host(where);
  if (const auto read = backend_of(where).memory.statistics) return read(where);
  require(where);
  return {};
}

void reset_peak(Device where) {
  if (const auto reset = backend_of(where).memory.reset_peak) return reset(where);
  require(where);
  if (is_host(where)) cpu::reset_peak(where.index);
}

void set_memory_limit(Device where, std::optional<std::size_t> nbytes) {
  const std::size_t most = nbytes.value_or(SIZE_MAX);
  if (const auto set = backend_of(where).memory.set_limit) return set(where, most);
  require(where);
  if (is_host(where)) return cpu::set_memory_limit(where.index, most);
  throw NotImplementedError("set_memory_limit: " + to_string(where) +
                            " keeps no account of its memory");
}

std::size_t trim(Device where) {
  if (const auto give_back = backend_of(where).memory.trim) return give_back(where);
  require(where);
  if (!is_host(where)) return 0;
  const std::size_t pinned = where.index == 0 && cuda::alive() ? cuda::trim_pinned() : 0;
  return cpu::trim(where.index) + pinned;
}

bool lock_pages(void* data, std::size_t nbytes) noexcept { return cuda::lock_pages(data, nbytes); }
bool unlock_pages(void* data, std::size_t nbytes) noexcept {
  return cuda::unlock_pages(data, nbytes);
}
PageLockStatistics page_locks() noexcept { return cuda::page_locks(); }

StorageRef adopt(Device where, const ForeignMemory& from) {
  require(where);
  if (const auto take = backend_of(where).memory.adopt) return take(where, from);
  return StorageRef(new ForeignStorage(where, from));
}

StorageRef adopt(Device where, void* data, std::size_t nbytes, bool read_only, void* owner,
                 void (*release)(void* owner) noexcept, bool pinned) {
  return adopt(where, {.data = data,
                       .nbytes = nbytes,
                       .read_only = read_only,
                       .pinned = pinned,
                       .owner = owner,
                       .release = release});
}

}  // namespace skerry
