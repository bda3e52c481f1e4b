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
  /// Copies need no chunk in between. Large host arrays come to be so by themselves, of which
  /// nobody outside is to know.
  locked,
  /// Locked, and devices read it by its address: it was asked to be so, and others are told.
  pinned,
};

/// Who owns memory that is not from an allocator of skerry.
struct ForeignOwnership {
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;  ///< also says of what kind the owner is
  /// Room for the layer that adopted the memory, guarded by that layer's lock: its objects that
  /// share the memory, of which one stands for all.
  struct Sharers {
    void* representative = nullptr;
    long count = 0;
  } sharers{};
};

/// The members are set with the storage, and don't change while it lives.
struct StorageAttachment {
  /// Which streams have work in flight on the memory; null where all work is done when a call
  /// returns.
  StreamUses* uses = nullptr;
  ForeignOwnership* ownership = nullptr;  ///< null where the memory is skerry's
  HostPages pages = HostPages::pageable;
};

/// StorageAttachment::uses; null without an attachment.
[[nodiscard]] inline StreamUses* stream_uses(const Storage& memory) noexcept {
  const StorageAttachment* const attachment = memory.attachment();
  return attachment == nullptr ? nullptr : attachment->uses;
}
/// StorageAttachment::ownership; null without an attachment.
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
/// True of pinned memory, too.
[[nodiscard]] inline bool is_page_locked(const Storage& memory) noexcept {
  return host_pages(memory) != HostPages::pageable;
}

}  // namespace skerry
