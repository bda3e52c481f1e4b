// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory.hpp"

namespace skerry {

/// Memory of another library.
class ForeignStorage : public Storage {
 public:
  ForeignStorage(Device where, const ForeignMemory& from) noexcept
      : Storage(from.data, from.nbytes, where, from.read_only),
        owner_(from.owner),
        release_(from.release),
        pinned_(from.pinned) {
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
