// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "device/byte_text.hpp"
#include "device/cpu/memory.hpp"
#include "device/cuda/pinned.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/fault.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"

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

class foreign_storage final : public storage {
 public:
  foreign_storage(void* data, std::size_t nbytes, device where, bool read_only, void* owner,
                  void (*release)(void*) noexcept, bool pinned) noexcept
      : storage(data, nbytes, where, read_only),
        owner_(owner),
        release_(release),
        pinned_(pinned) {}
  [[nodiscard]] bool pinned() const noexcept override { return pinned_; }

  void used_on(void* stream) noexcept override {
    // The owner orders its reuse after the legacy default stream, as a rule.
    if (where().kind == device_kind::cpu || stream == cuda::legacy_stream) return;
    try {
      const std::lock_guard lock(mutex_);
      if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
        streams_.push_back(stream);
      }
    } catch (const std::bad_alloc&) {
      wait_for_all_ = true;
    }
  }

 private:
  void destroy() noexcept override {
    if (where().kind == device_kind::cuda && cuda::alive()) order_release();
    if (release_ != nullptr) release_(owner_);
    delete this;
  }

  void order_release() noexcept {
    if (streams_.empty() && !wait_for_all_) return;
    cuda::device_state& on = *cuda::detail::states[where().index];
    if (on.lost()) return;
    if (wait_for_all_) {
      const cuda::device_guard guard(on, std::nothrow);
      if (guard.ok()) {
        cuda::check_silently(cuda::calls().device_synchronize(), on, "releasing an import");
      }
    } else {
      on.memory->join(streams_, cuda::legacy_stream);
    }
  }

  void* owner_;
  void (*release_)(void*) noexcept;
  bool pinned_;
  bool wait_for_all_ = false;
  std::mutex mutex_;
  std::vector<void*> streams_;
};

[[noreturn]] void throw_planned_failure(const char* what, device where, std::size_t nbytes) {
  throw out_of_memory_error(std::string(what) + ": cannot allocate " + byte_text(nbytes) + " on " +
                                to_string(where) + ": fail_allocation asked for this failure",
                            where, nbytes);
}

}  // namespace

storage_ref allocate(device where, std::size_t nbytes) {
  if (where.kind == device_kind::cpu) {
    require(where);
    if (detail::count_allocation()) [[unlikely]]
      throw_planned_failure("allocate", where, nbytes);
    return cpu::allocate(where.index, nbytes);
  }
  cuda::device_state& on = cuda::use(where);
  if (detail::count_allocation()) [[unlikely]]
    throw_planned_failure("allocate", where, nbytes);
  if (nbytes == 0) return storage_ref(new empty_storage(where));
  return on.memory->allocate(nbytes, current_stream_handle(where));
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

storage_ref adopt(device where, void* data, std::size_t nbytes, bool read_only, void* owner,
                  void (*release)(void* owner) noexcept, bool pinned) {
  require(where);
  return storage_ref(new foreign_storage(data, nbytes, where, read_only, owner, release, pinned));
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

void cuda::collect_garbage() noexcept {
  if (const auto collect = garbage_collector.load()) collect();
}

}  // namespace skerry
