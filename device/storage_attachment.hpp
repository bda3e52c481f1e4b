// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/storage.hpp"

namespace skerry {

class StreamUses;

/// How CUDA devices reach host memory.
enum class HostPages : std::uint8_t {
  pageable,
  /// Page-locked: copies need no staging chunk. Large host arrays are page-locked automatically;
  /// this is not exposed to other libraries.
  locked,
  /// Page-locked on request and readable by devices by address; exposed to other libraries.
  pinned,
};

/// The owner of memory that another library allocated.
struct ForeignOwnership {
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;  ///< also identifies the kind of owner
  /// Data of the layer that adopted the memory, guarded by that layer's lock: how many of its
  /// objects share the memory, and the one that represents them.
  struct Sharers {
    void* representative = nullptr;
    long count = 0;
  } sharers{};
};

/// The device layer's data about a storage; set when the storage is created, and then constant.
struct StorageAttachment {
  /// Unfinished uses of the memory by streams; null if all work is done when a call returns.
  StreamUses* uses = nullptr;
  ForeignOwnership* ownership = nullptr;  ///< null for memory of skerry
  HostPages pages = HostPages::pageable;
  bool is_managed = false;  ///< memory of a device that the host can access, too
};

/// Returns StorageAttachment::uses; null without an attachment.
[[nodiscard]] inline StreamUses* stream_uses(const Storage& memory) noexcept {
  const StorageAttachment* const attachment = memory.attachment();
  return attachment == nullptr ? nullptr : attachment->uses;
}
/// Returns StorageAttachment::ownership; null without an attachment.
[[nodiscard]] inline ForeignOwnership* foreign_ownership(const Storage& memory) noexcept {
  const StorageAttachment* const attachment = memory.attachment();
  return attachment == nullptr ? nullptr : attachment->ownership;
}
[[nodiscard]] inline bool is_foreign(const Storage& memory) noexcept {
  return foreign_ownership(memory) != nullptr;
}
[[nodiscard]] inline HostPages host_pages(const Storage& memory) noexcept {
  const StorageAttachment* const attachment = memory.attachment();
  return attachment == nullptr ? HostPages::pageable : attachment->pages;
}
/// True for memory of a device that the host can access, too: of allocate_managed(), or foreign
/// memory that was adopted as managed.
[[nodiscard]] inline bool is_managed(const Storage& memory) noexcept {
  const StorageAttachment* const attachment = memory.attachment();
  return attachment != nullptr && attachment->is_managed;
}
/// True for pinned memory too.
[[nodiscard]] inline bool is_page_locked(const Storage& memory) noexcept {
  return host_pages(memory) != HostPages::pageable;
}

}  // namespace skerry
