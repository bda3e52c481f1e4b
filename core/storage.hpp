// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "core/device.hpp"

namespace skerry {

class StreamUses;

/// Room for the layer above, in a storage with a foreign owner: by which the arrays that share it
/// report the owner to a garbage collector. Guarded by that layer's lock.
struct CollectorView {
  void* reporter = nullptr;  ///< the array that reports
  long arrays = 0;           ///< how many there are
};

/// A block of memory on one device, shared by every view of it. Reference-counted in C++ and
/// independent of Python: the last reference may go on any thread, without the GIL, after the
/// interpreter is gone.
class Storage {
 public:
  Storage(void* data, std::size_t nbytes, Device device, bool read_only = false) noexcept
      : data_(static_cast<char*>(data)), nbytes_(nbytes), device_(device), read_only_(read_only) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return nbytes_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  /// The memory itself may not be written (an imported read-only buffer); a view can be read-only
  /// without this.
  [[nodiscard]] bool read_only() const noexcept { return read_only_; }
  /// True where a CUDA device can read this host memory by its address: it was asked to be so, and
  /// others are told.
  [[nodiscard]] virtual bool pinned() const noexcept { return false; }
  /// True where copies between this host memory and a CUDA device need no chunk in between. Large
  /// host arrays come to be so by themselves, of which nobody outside is to know.
  [[nodiscard]] virtual bool page_locked() const noexcept { return pinned(); }
  /// Which streams have work in flight on it: the device layer's record. Null where all work is
  /// done when a call returns.
  [[nodiscard]] virtual StreamUses* uses() noexcept { return nullptr; }
  /// Whether somebody else owns the memory.
  [[nodiscard]] bool is_foreign() const noexcept { return is_foreign_; }
  /// What `release` will let go with the last reference; null if this storage has no such owner.
  [[nodiscard]] virtual void* owner(void (*release)(void*) noexcept) const noexcept {
    static_cast<void>(release);
    return nullptr;
  }
  /// Null unless is_foreign().
  [[nodiscard]] virtual CollectorView* collector() noexcept { return nullptr; }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  [[nodiscard]] long references() const noexcept {
    return references_.load(std::memory_order_acquire);
  }

 protected:
  virtual ~Storage() = default;
  /// Gives the memory back and deletes this object, never throws.
  virtual void destroy() noexcept = 0;

 private:
  std::atomic<long> references_{1};
  char* data_;
  std::size_t nbytes_;
  Device device_;
  bool read_only_;

 protected:
  bool is_foreign_ = false;
};

/// Owning pointer to a storage.
class StorageRef {
 public:
  StorageRef() = default;
  /// Takes over the reference that `fresh` was made with.
  explicit StorageRef(Storage* storage) noexcept : storage_(storage) {}
  StorageRef(const StorageRef& other) noexcept : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->retain();
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr) storage_->release();
  }

  [[nodiscard]] Storage* get() const noexcept { return storage_; }
  [[nodiscard]] Storage* operator->() const noexcept { return storage_; }
  [[nodiscard]] explicit operator bool() const noexcept { return storage_ != nullptr; }
  friend bool operator==(const StorageRef& a, const StorageRef& b) noexcept {
    return a.storage_ == b.storage_;
  }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace skerry
