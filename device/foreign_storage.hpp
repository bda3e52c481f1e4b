// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/storage.hpp"
#include "device/memory.hpp"
#include "device/storage_attachment.hpp"

namespace skerry {

/// Memory of another library.
class ForeignStorage : public Storage {
 public:
  ForeignStorage(Device device, const ForeignMemory& foreign_memory,
                 StreamUses* uses = nullptr) noexcept
      : Storage(foreign_memory.data, foreign_memory.nbytes, device, foreign_memory.read_only,
                &attachment_),
        ownership_{.owner = foreign_memory.owner, .release = foreign_memory.release},
        attachment_{.uses = uses,
                    .ownership = &ownership_,
                    .pages = foreign_memory.pinned ? HostPages::pinned : HostPages::pageable,
                    .is_managed = foreign_memory.managed} {}

 protected:
  /// Called before the owner is released.
  virtual void order_release() noexcept {}

 private:
  void destroy() noexcept final {
    order_release();
    // No lock is held here: the owner may run any code.
    if (ownership_.release != nullptr) ownership_.release(ownership_.owner);
    delete this;
  }

  ForeignOwnership ownership_;
  const StorageAttachment attachment_;
};

}  // namespace skerry
