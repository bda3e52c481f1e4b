// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace skerry {

/// The lock of the layer above, Python's GIL, which the calling thread may hold. Code that waits
/// for a device releases it, since another thread may need it before that device's work can end.
struct OuterLock {
  /// Returns null if this thread does not hold the lock.
  void* (*release)() noexcept;
  /// `state` is the result of release(). At the end of the process this may never return.
  void (*acquire)(void* state);
};

/// Sets the outer lock; keeps a pointer to it.
void set_outer_lock(const OuterLock& lock) noexcept;

/// Releases the outer lock during its lifetime. The destructor waits for the lock, so the thread
/// may then hold no mutex for which other threads wait while holding the outer lock; WaitingMutex
/// is safe.
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

/// A mutex that may be held while waiting for a device: threads that wait for it release the outer
/// lock too.
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
