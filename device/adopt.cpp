// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/errors.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
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

  /// Copies between host memory and a GPU have ended when a call returns.
  [[nodiscard]] stream_uses* uses() noexcept override {
    return where().kind == device_kind::cuda ? &uses_ : nullptr;
  }

 private:
  void destroy() noexcept override {
    if (cuda::alive() && where().kind == device_kind::cuda) order_release();
    // No lock is held here: the owner may run any code.
    if (release_ != nullptr) release_(owner_);
    delete this;
  }

  void order_release() noexcept {
    cuda::device_state& on = *cuda::detail::states[where().index];
    if (on.lost()) return;
    uses_.take().for_each([&](const cuda::stream_use& each) {
      if (!each.is_foreign) each.by->come_before(on, home_, each.stretch);
    });
  }

  void* owner_;
  void (*release_)(void*) noexcept;
  void* home_;  ///< the owner reuses the memory in order with this stream
  bool pinned_;
  collector_view collector_;
  stream_uses uses_;
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
