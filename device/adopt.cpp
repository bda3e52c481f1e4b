// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "core/errors.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

/// Memory of another library. Before its owner is let go, all work of ours on it is ordered before
/// what comes later on the producer's stream: the second half of the CUDA array interface's rule,
/// by which an allocator that reuses memory in stream order is safe.
class foreign_storage final : public storage {
 public:
  foreign_storage(device where, const foreign_memory& from) noexcept
      : storage(from.data, from.nbytes, where, from.read_only),
        owner_(from.owner),
        release_(from.release),
        home_(from.producer_stream == nullptr || from.producer_stream == cuda::per_thread_stream
                  ? cuda::legacy_stream
                  : from.producer_stream),
        pinned_(from.pinned) {
    is_foreign_ = true;
  }

  [[nodiscard]] bool pinned() const noexcept override { return pinned_; }
  [[nodiscard]] void* owner(void (*release)(void*) noexcept) const noexcept override {
    return release == release_ ? owner_ : nullptr;
  }

  [[nodiscard]] collector_view* collector() noexcept override { return &collector_; }

  void used_on(void* stream) noexcept override {
    if (where().kind == device_kind::cpu) {
      // The handle may be of any CUDA device, so only the fact is kept.
      if (pinned_) wait_for_all_.store(true, std::memory_order_relaxed);
      return;
    }
    if (stream == home_) return;
    if (stream == cuda::per_thread_stream) stream = cuda::legacy_stream;
    try {
      const std::lock_guard lock(mutex_);
      if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
        streams_.push_back(stream);
      }
    } catch (const std::bad_alloc&) {
      wait_for_all_.store(true, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::vector<void*> streams_in_use() override {
    if (where().kind == device_kind::cpu) return {};
    const std::lock_guard lock(mutex_);
    std::vector<void*> streams = streams_;
    std::erase(streams, cuda::legacy_stream);
    return streams;
  }

 private:
  void destroy() noexcept override {
    if (cuda::alive()) order_release();
    // No lock is held here: the owner may run any code.
    if (release_ != nullptr) release_(owner_);
    delete this;
  }

  void order_release() noexcept {
    const bool on_host = where().kind == device_kind::cpu;
    if (wait_for_all_.load()) {
      const int first = on_host ? 0 : where().index;
      const int last = on_host ? cuda::count() : first + 1;
      for (int i = first; i < last; ++i) cuda::wait_if_used(*cuda::detail::states[i]);
    } else if (!on_host && !streams_.empty()) {
      cuda::device_state& on = *cuda::detail::states[where().index];
      if (!on.lost()) on.memory->join(streams_, home_);
    }
  }

  void* owner_;
  void (*release_)(void*) noexcept;
  void* home_;  ///< the owner reuses the memory in order with this stream
  bool pinned_;
  std::atomic<bool> wait_for_all_{false};
  collector_view collector_;
  std::mutex mutex_;
  std::vector<void*> streams_;  ///< others with work of ours
};

}  // namespace

storage_ref adopt(device where, const foreign_memory& from) {
  require(where);
  return storage_ref(new foreign_storage(where, from));
}

storage_ref adopt(device where, void* data, std::size_t nbytes, bool read_only, void* owner,
                  void (*release)(void* owner) noexcept, bool pinned) {
  return adopt(where, {.data = data,
                       .nbytes = nbytes,
                       .read_only = read_only,
                       .pinned = pinned,
                       .owner = owner,
                       .release = release});
}

}  // namespace skerry
