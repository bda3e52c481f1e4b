// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "core/device.hpp"

namespace skerry {

/// Data that higher layers attach to a storage; core only stores the pointer.
struct StorageAttachment;

/// A block of memory on one device, shared by all its views. The reference count is intrusive and
/// lock-free: the last reference may be dropped on any thread, even during process exit.
class Storage {
 public:
  /// `attachment` must outlive the storage.
  Storage(void* data, std::size_t nbytes, Device device, bool read_only = false,
          const StorageAttachment* attachment = nullptr) noexcept
      : data_(static_cast<char*>(data)),
        nbytes_(nbytes),
        device_(device),
        read_only_(read_only),
        attachment_(attachment) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return nbytes_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  /// True if the memory itself is read-only (an imported read-only buffer); a view can be read-only
  /// without this.
  [[nodiscard]] bool read_only() const noexcept { return read_only_; }
  /// Records that code outside the library has the address and may write to the memory, until the
  /// matching end_export().
  void begin_export() noexcept { exports_.fetch_add(1, std::memory_order_relaxed); }
  void end_export() noexcept { exports_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_exported() const noexcept {
    return exports_.load(std::memory_order_relaxed) != 0;
  }
  /// Returns the attached data; null if there is none.
  [[nodiscard]] const StorageAttachment* attachment() const noexcept { return attachment_; }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  [[nodiscard]] long references() const noexcept {
    return references_.load(std::memory_order_acquire);
  }

 protected:
  virtual ~Storage() = default;
  /// Releases the memory and deletes this object; never throws.
  virtual void destroy() noexcept = 0;

 private:
  std::atomic<long> references_{1};
  char* data_;
  std::size_t nbytes_;
  Device device_;
  bool read_only_;
  const StorageAttachment* attachment_;
  std::atomic<long> exports_{0};
};

/// Owning pointer to a storage.
class StorageRef {
 public:
  StorageRef() = default;
  /// Takes over the initial reference of a new storage.
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
  [[nodiscard]] Storage& operator*() const noexcept { return *storage_; }
  [[nodiscard]] Storage* operator->() const noexcept { return storage_; }
  [[nodiscard]] explicit operator bool() const noexcept { return storage_ != nullptr; }
  /// Like get(), but other threads may be in replace().
  [[nodiscard]] Storage* get_shared() const noexcept {
    return std::atomic_ref(const_cast<Storage*&>(storage_)).load(std::memory_order_acquire);
  }
  /// Refers to another storage; other threads may be in get_shared(). Returns the old reference.
  [[nodiscard]] StorageRef replace(StorageRef other) noexcept {
    std::atomic_ref shared(storage_);
    return StorageRef(
        shared.exchange(std::exchange(other.storage_, nullptr), std::memory_order_acq_rel));
  }
  friend bool operator==(const StorageRef& a, const StorageRef& b) noexcept {
    return a.storage_ == b.storage_;
  }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace skerry
