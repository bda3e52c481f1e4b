// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <atomic>

#include "device/outer_lock.hpp"

namespace skerry::python {

// A thread that acquires the GIL of an interpreter that is finalizing never returns: CPython ends
// the thread by a forced unwind (up to 3.13) or blocks it forever (3.14). Any call into Python may
// acquire the GIL, so any frame here may be hit: gil.cpp blocks such threads in all versions,
// before one of our frames is unwound. A blocked thread keeps its locks, so Python must not be
// called with a lock that process exit needs.

/// A number that threads change while they are attached to the interpreter.
class Counter {
 public:
  constexpr Counter() = default;
  [[nodiscard]] long value() const noexcept { return value_.load(std::memory_order_relaxed); }
  void add(long change) noexcept {
#ifdef Py_GIL_DISABLED
    value_.fetch_add(change, std::memory_order_relaxed);
#else
    value_.store(value() + change, std::memory_order_relaxed);  // the GIL is held
#endif
  }

 private:
  std::atomic<long> value_{0};
};

/// Number of threads inside a `WithoutGil`.
inline constinit Counter threads_without_gil;
/// Hook called before a thread releases the GIL for long work; null if none is installed. May
/// throw.
inline void (*before_releasing_gil)() = nullptr;

/// The lock that device/ releases around blocking waits.
extern const OuterLock gil;

/// Releases the GIL in its scope, if the work is long enough to be worth it.
class WithoutGil {
 public:
  explicit WithoutGil(bool worth_it) {
    if (!worth_it) return;
    if (before_releasing_gil != nullptr) before_releasing_gil();
    threads_without_gil.add(1);
    state_ = PyEval_SaveThread();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() noexcept(false) {
    if (state_ == nullptr) return;
    PyEval_RestoreThread(state_);
    threads_without_gil.add(-1);
  }

 private:
  PyThreadState* state_ = nullptr;
};

/// Returns the result of `function`, called without the GIL if `worth_it`.
template <class Function>
auto run_without_gil(bool worth_it, Function function) {
  const WithoutGil working(worth_it);
  return function();
}

/// Holds the GIL in its scope, on a thread that holds it already, has released it or is unknown to
/// Python. False if Python can no longer be called: while the interpreter finalizes, and after.
class WithGil {
 public:
  WithGil() noexcept;
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() {
    if (is_taken_) PyGILState_Release(state_);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return is_held_; }

 private:
  bool is_held_ = false;
  bool is_taken_ = false;  ///< acquired by this object
  PyGILState_STATE state_{};
};

}  // namespace skerry::python
