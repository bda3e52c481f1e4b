// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/cpu/memory.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/page_lock.hpp"
#include "device/cuda/pinned.hpp"
#include "device/cuda/runtime.hpp"
#include "device/fault.hpp"
#include "device/foreign_storage.hpp"
#include "device/host_pages.hpp"
#include "device/memory_resource.hpp"
#include "device/memory_trace.hpp"
#include "device/registry.hpp"
#include "device/storage_attachment.hpp"

namespace skerry {

namespace {

/// Storage of arrays of 0 bytes.
class EmptyStorage final : public Storage {
 public:
  explicit EmptyStorage(Device device) noexcept : Storage(nullptr, 0, device) {}

 private:
  void destroy() noexcept override { delete this; }
};

[[noreturn]] void throw_planned_failure(Device device, std::size_t nbytes) {
  throw OutOfMemoryError("cannot allocate " + byte_text(nbytes) + " on " + to_string(device) +
                             ": a failure injected by fail_allocation",
                         device, nbytes);
}

/// SKERRY_PINNED_HOST=1. Read when the library is loaded, not by each allocation.
const bool are_host_arrays_pinned = cuda::selected_host_memory() == cuda::HostMemory::all_pinned;

/// Returns pinned memory, or an empty reference if it can't be pinned. That is not an error: the
/// caller falls back to pageable memory.
StorageRef try_pinned(Device device, std::size_t nbytes) noexcept {
  cuda::probe();
  if (nbytes == 0 || !cuda::alive()) return {};
  try {
    return cuda::allocate_pinned(device, nbytes);
  } catch (...) {
    return {};
  }
}

inline StorageRef allocate_uncounted(Device device, std::size_t nbytes) {
  if (is_host(device)) [[likely]] {
    require(device);
    if (are_host_arrays_pinned) [[unlikely]] {
      if (StorageRef pinned = try_pinned(device, nbytes)) return pinned;
    }
    return cpu::allocate(device.index, nbytes);
  }
  const Backend& kind = backend_of(device);
  // A backend with `require` throws the more specific error in its `allocate`.
  if (nbytes == 0 || kind.devices.require == nullptr) require(device);
  if (nbytes == 0 && kind.memory.allocate_empty != nullptr)
    return kind.memory.allocate_empty(device);
  if (nbytes == 0) return StorageRef(new EmptyStorage(device));
  return kind.memory.allocate(device, nbytes);
}

/// Counts, announces and traces the allocation. Not inlined, so that the hot path of allocate()
/// keeps no arguments for it.
[[gnu::noinline]] StorageRef allocate_counted(Device device, std::size_t nbytes) {
  if (detail::count_allocation(device, nbytes)) throw_planned_failure(device, nbytes);
  return detail::trace_storage(allocate_uncounted(device, nbytes), StorageKind::array);
}

}  // namespace

StorageRef allocate(Device device, std::size_t nbytes) {
  if (detail::counting_allocations.load(std::memory_order_relaxed)) [[unlikely]]
    return allocate_counted(device, nbytes);
  return allocate_uncounted(device, nbytes);
}

StorageRef allocate_pinned(Device device, std::size_t nbytes) {
  require(device);
  if (!is_host(device)) {
    throw ValueError(to_string(device) + " is not a CPU device: only host memory can be pinned");
  }
  if (detail::count_allocation(device, nbytes)) [[unlikely]] {
    throw_planned_failure(device, nbytes);
  }
  return detail::trace_storage(cuda::allocate_pinned(device, nbytes), StorageKind::pinned);
}

StorageRef allocate_managed(Device device, std::size_t nbytes) {
  const auto allocate_new = backend_of(device).memory.allocate_managed;
  if (allocate_new == nullptr) {
    throw ValueError(to_string(device) + " is not a CUDA device: only those have managed memory");
  }
  require(device);
  if (detail::count_allocation(device, nbytes)) [[unlikely]] {
    throw_planned_failure(device, nbytes);
  }
  return detail::trace_storage(allocate_new(device, nbytes), StorageKind::managed);
}

bool is_pinned(const Storage& memory) noexcept { return host_pages(memory) == HostPages::pinned; }

namespace {

MemoryStatistics statistics_of_host(Device device) {
  require(device);
  return cuda::used() ? cuda::host_statistics(device) : cpu::statistics(device.index);
}

}  // namespace

MemoryStatistics statistics(Device device) {
  if (is_host(device)) return statistics_of_host(device);
  if (const auto read = backend_of(device).memory.statistics) return read(device);
  require(device);
  return {};
}

void reset_peak(Device device) {
  if (const auto reset = backend_of(device).memory.reset_peak) return reset(device);
  require(device);
  if (is_host(device)) cpu::reset_peak(device.index);
}

void set_memory_limit(Device device, std::optional<std::size_t> nbytes) {
  const std::size_t limit = nbytes.value_or(SIZE_MAX);
  if (const auto set = backend_of(device).memory.set_limit) return set(device, limit);
  require(device);
  if (is_host(device)) return cpu::set_memory_limit(device.index, limit);
  throw NotImplementedError(to_string(device) + " does not track its memory");
}

void set_memory_resource(Device device, std::shared_ptr<MemoryResource> resource) {
  require(device);
  if (device.kind != cuda::kind) {
    throw NotImplementedError(to_string(device) +
                              " is not a CUDA device: its memory is its own; choose a CUDA device");
  }
  cuda::set_memory_resource(device, std::move(resource));
}

void* allocate_block(Device device, std::size_t nbytes, void* stream) {
  require(device);
  if (device.kind != cuda::kind)
    throw ValueError(to_string(device) + " is not a CUDA device: other libraries use its memory");
  return cuda::allocate_block(device, nbytes, stream);
}

bool free_block(void* data, void* stream) noexcept { return cuda::free_block(data, stream); }

std::size_t trim(Device device) {
  if (const auto give_back = backend_of(device).memory.trim) return give_back(device);
  require(device);
  if (!is_host(device)) return 0;
  const std::size_t pinned = device.index == 0 && cuda::alive() ? cuda::trim_pinned() : 0;
  return cpu::trim(device.index) + pinned;
}

bool lock_pages(void* data, std::size_t nbytes) noexcept { return cuda::lock_pages(data, nbytes); }
bool unlock_pages(void* data, std::size_t nbytes) noexcept {
  return cuda::unlock_pages(data, nbytes);
}
PageLockStatistics page_locks() noexcept { return cuda::page_locks(); }

void set_storage_tracer(StorageTracer tracer) noexcept {
  detail::storage_tracer.store(tracer, std::memory_order_release);
  detail::trace_allocations(tracer != nullptr);
}

StorageRef adopt(Device device, const ForeignMemory& foreign_memory) {
  require(device);
  const auto take = backend_of(device).memory.adopt;
  StorageRef storage = take != nullptr ? take(device, foreign_memory)
                                       : StorageRef(new ForeignStorage(device, foreign_memory));
  return detail::trace_storage(std::move(storage), StorageKind::imported);
}

StorageRef adopt(Device device, void* data, std::size_t nbytes, bool read_only, void* owner,
                 void (*release)(void* owner) noexcept, bool pinned) {
  return adopt(device, {.data = data,
                        .nbytes = nbytes,
                        .read_only = read_only,
                        .pinned = pinned,
                        .owner = owner,
                        .release = release});
}

}  // namespace skerry
