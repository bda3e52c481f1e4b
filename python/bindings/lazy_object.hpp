// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <atomic>

#include "python/bindings/errors.hpp"

namespace skerry::python {

/// A Python object that is created on first use and never freed.
///
/// A static local with an initializer would deadlock: the compiler's guard is held while Python
/// code runs, which may release the GIL to a thread that then waits for the guard. This class needs
/// no lock. Two threads may each create an object; the first one stored wins.
class LazyObject {
 public:
  constexpr LazyObject() = default;

  /// Returns a borrowed reference. `make` returns a new reference, or null with a Python error set,
  /// which is thrown as PythonError. Exceptions of `make` propagate.
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
