// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ducc includes this file if it must not use std::thread. ducc needs these types only to lock its
// plan caches, since threads.cpp replaces its parallel loops.

namespace DUCC0_NAMESPACE {
namespace detail_threading {

/// One lock for all caches, held only for a lookup in a table of ten plans. A fork waits for it, so
/// that in the child the lock is free and the tables are consistent.
class Mutex {
 public:
  static void lock();
  static void unlock();
};

class LockGuard {
 public:
  explicit LockGuard(const Mutex&) { Mutex::lock(); }
  ~LockGuard() { Mutex::unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;
};

// Used by a template that nothing here instantiates.
struct UniqueLock {
  explicit UniqueLock(const Mutex&) {}
};
struct CondVar {
  template <class Predicate>
  void wait(const UniqueLock&, const Predicate&) {}
  void notify_one() {}
  void notify_all() {}
};

}  // namespace detail_threading
}  // namespace DUCC0_NAMESPACE
