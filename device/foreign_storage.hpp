// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory.hpp"

namespace skerry {

/// Memory of another library.
class ForeignStorage : public Storage {
 public:
  ForeignStorage(Device device, const ForeignMemory& foreign_memory) noexcept
      : Storage(foreign_memory.data, foreign_memory.nbytes, device, foreign_memory.read_only),
        owner_(foreign_memory.owner),
        release_(foreign_memory.release),
        pinned_(foreign_memory.pinned) {
    is_foreign_ = true;
  }

  [[nodiscard]] bool pinned() const noexcept final { return pinned_; }
  [[nodiscard]] void* owner(void (*release)(void*) noexcept) const noexcept final {
    return release == release_ ? owner_ : nullptr;
  }
  [[nodiscard]] CollectorView* collector() noexcept final { return &collector_; }

 protected:
  /// Before the owner is let go.
  virtual void order_release() noexcept {}

 private:
  void destroy() noexcept final {
    order_release();
    // No lock is held here: the owner may run any code.
    if (release_ != nullptr) release_(owner_);
    delete this;
  }

  void* owner_;
  void (*release_)(void*) noexcept;
  bool pinned_;
  CollectorView collector_;
};

}  // namespace skerry
