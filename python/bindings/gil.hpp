// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "device/outer_lock.hpp"

namespace skerry::python {

// A thread that asks for the GIL of an interpreter that is going never comes back: CPython ends it
// (to 3.13, by unwinding its stack by force) or lets it sleep (from 3.14 on). It may ask in any
// call of Python, so no frame here can be sure of its end: gil.cpp makes such threads sleep where
// they are in all versions, before a frame of ours is unwound. What sleeps keeps its locks, so
// Python is called with none that the end of the process needs.

/// How many threads are inside a `WithoutGil` now. Changes only while the GIL is held.
inline int threads_without_gil = 0;
/// Called before a thread lets it go for long work; null until there is something to call. May
/// throw.
inline void (*before_releasing_gil)() = nullptr;

/// What device/ releases around its waits, wherever in a call they are.
extern const OuterLock gil;

/// Lets other Python threads run meanwhile, if the work is long enough to be worth it.
class WithoutGil {
 public:
  explicit WithoutGil(bool worth_it) {
    if (!worth_it) return;
    if (before_releasing_gil != nullptr) before_releasing_gil();
    ++threads_without_gil;
    state_ = PyEval_SaveThread();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() noexcept(false) {
    if (state_ == nullptr) return;
    PyEval_RestoreThread(state_);
    --threads_without_gil;
  }

 private:
  PyThreadState* state_ = nullptr;
};

/// What `function` gives, which runs so.
template <class Function>
auto run_without_gil(bool worth_it, Function function) {
  const WithoutGil working(worth_it);
  return function();
}

/// Holds the GIL on a thread that may have it, may have let it go or is unknown to Python. False
/// where Python can't be called any more: before the interpreter's end, and after.
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
  bool is_taken_ = false;  ///< by this object
  PyGILState_STATE state_{};
};

}  // namespace skerry::python
