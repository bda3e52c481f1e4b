// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <atomic>

#include "python/bindings/errors.hpp"

namespace skerry::python {

/// A Python object that is created on first use and never freed.
///
/// An initialized static local would hold the compiler's guard while Python code runs. That code
/// may release the GIL to a thread that then waits for the guard: a deadlock. This class holds no
/// lock. Two threads may each create an object; the first one stored wins.
class LazyObject {
 public:
  constexpr LazyObject() = default;

  /// Returns a borrowed reference. `make` returns a new reference. Throws PythonError for null, and
  /// whatever `make` throws.
  template <class Make>
  [[nodiscard]] PyObject* get(Make make) {
    PyObject* stored = stored_.load(std::memory_order_acquire);
    if (stored != nullptr) return stored;
    Object new_object(make());
    if (!stored_.compare_exchange_strong(stored, new_object.get(), std::memory_order_acq_rel)) {
      return stored;
    }
    return new_object.release();
  }

 private:
  std::atomic<PyObject*> stored_{nullptr};
};

}  // namespace skerry::python
