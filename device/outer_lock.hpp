// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace skerry {

/// The lock of the layer above, Python's GIL, which a thread may hold when it calls. Whoever waits
/// for a device releases it meanwhile: another thread may have to take it before the work that is
/// waited for can end.
struct OuterLock {
  /// Null where this thread does not hold it.
  void* (*release)() noexcept;
  /// `state` is what release() returned. At the end of the process it may never return.
  void (*acquire)(void* state);
};

/// Kept as a pointer.
void set_outer_lock(const OuterLock& lock) noexcept;

/// Releases the outer lock while it lives. No mutex is held at its end that a thread waits for with
/// the outer lock: of those that are held during waits, WaitingMutex sees to that.
class WithoutOuterLock {
 public:
  explicit WithoutOuterLock(bool worth_it = true) noexcept;
  WithoutOuterLock(const WithoutOuterLock&) = delete;
  WithoutOuterLock& operator=(const WithoutOuterLock&) = delete;
  ~WithoutOuterLock();

 private:
  const OuterLock* lock_ = nullptr;
  void* state_ = nullptr;
};

/// A mutex that is held while its owner waits for a device. Who waits for the owner releases the
/// outer lock, too.
class WaitingMutex {
 public:
  void lock() {
    if (mutex_.try_lock()) return;
    const WithoutOuterLock waiting;
    mutex_.lock();
  }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace skerry
