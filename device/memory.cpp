// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/errors.hpp"
#include "device/byte_text.hpp"
#include "device/cpu/memory.hpp"
#include "device/cuda/page_lock.hpp"
#include "device/cuda/pinned.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/fault.hpp"
#include "device/host_pages.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

constinit std::atomic<void (*)() noexcept> garbage_collector{nullptr};

/// Nothing to free: arrays of no bytes on a CUDA device.
class empty_storage final : public storage {
 public:
  explicit empty_storage(device where) noexcept : storage(nullptr, 0, where) {}

 private:
  void destroy() noexcept override { delete this; }
};

[[noreturn]] void throw_planned_failure(const char* what, device where, std::size_t nbytes) {
  throw out_of_memory_error(std::string(what) + ": cannot allocate " + byte_text(nbytes) + " on " +
                                to_string(where) + ": fail_allocation asked for this failure",
                            where, nbytes);
}

/// Empty where memory can't be pinned, which is no error: ordinary memory does.
storage_ref try_pinned(device where, std::size_t nbytes) noexcept {
  cuda::probe();
  if (nbytes == 0 || !cuda::alive()) return {};
  try {
    return cuda::allocate_pinned(where, nbytes);
  } catch (...) {
    return {};
  }
}

}  // namespace

storage_ref allocate(device where, std::size_t nbytes) {
  if (where.kind == device_kind::cpu) {
    require(where);
    if (detail::count_allocation()) [[unlikely]]
      throw_planned_failure("allocate", where, nbytes);
    if (cuda::chosen_host_memory() == cuda::host_memory::all_pinned) [[unlikely]] {
      if (storage_ref pinned = try_pinned(where, nbytes)) return pinned;
    }
    return cpu::allocate(where.index, nbytes);
  }
  cuda::device_state& on = cuda::use(where);
  if (detail::count_allocation()) [[unlikely]]
    throw_planned_failure("allocate", where, nbytes);
  if (nbytes == 0) return storage_ref(new empty_storage(where));
  return on.memory->allocate(nbytes, cuda::current_timeline(on));
}

storage_ref allocate_pinned(device where, std::size_t nbytes) {
  require(where);
  if (where.kind != device_kind::cpu) {
    throw value_error("allocate_pinned: " + to_string(where) +
                      " is not a CPU device: only host memory can be pinned");
  }
  if (detail::count_allocation()) [[unlikely]] {
    throw_planned_failure("allocate_pinned", where, nbytes);
  }
  return cuda::allocate_pinned(where, nbytes);
}

memory_statistics statistics(device where) {
  if (where.kind == device_kind::cuda) return cuda::look_at(where).memory->read_statistics();
  require(where);
  memory_statistics result = cpu::statistics(where.index);
  if (!cuda::used()) return result;
  const memory_statistics pinned = cuda::pinned_statistics(where);
  result.live_bytes += pinned.live_bytes;
  result.live_blocks += pinned.live_blocks;
  result.peak_bytes = std::max(result.peak_bytes, result.live_bytes);
  result.cached_bytes += pinned.cached_bytes;
  result.allocations += pinned.allocations;
  result.system_allocations += pinned.system_allocations;
  return result;
}

void reset_peak(device where) {
  if (where.kind == device_kind::cuda) return cuda::look_at(where).memory->reset_peak();
  require(where);
  cpu::reset_peak(where.index);
}

void set_memory_limit(device where, std::optional<std::size_t> nbytes) {
  if (where.kind == device_kind::cuda) {
    return cuda::look_at(where).memory->set_limit(nbytes.value_or(SIZE_MAX));
  }
  require(where);
  cpu::set_memory_limit(where.index, nbytes.value_or(SIZE_MAX));
}

std::size_t trim(device where) {
  if (where.kind == device_kind::cuda) return cuda::use(where).memory->trim();
  require(where);
  const std::size_t pinned = where.index == 0 && cuda::alive() ? cuda::trim_pinned() : 0;
  return cpu::trim(where.index) + pinned;
}

void set_garbage_collector(void (*collect)() noexcept) noexcept {
  garbage_collector.store(collect);
}

void collect_garbage() noexcept {
  if (const auto collect = garbage_collector.load()) collect();
}

bool lock_pages(void* data, std::size_t nbytes) noexcept { return cuda::lock_pages(data, nbytes); }
void unlock_pages(void* data, std::size_t nbytes) noexcept { cuda::unlock_pages(data, nbytes); }
page_lock_statistics page_locks() noexcept { return cuda::page_locks(); }

}  // namespace skerry
