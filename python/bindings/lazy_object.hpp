// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <atomic>

#include "python/bindings/errors.hpp"

namespace skerry::python {

/// A Python object that the first use makes and nobody frees.
///
/// A static local with an initializer would hold the compiler's guard while Python code runs: that
/// code may give the GIL to a thread that then waits for the guard, and neither goes on. Here
/// nothing is held. Two threads may make an object each: the first one stored is everybody's.
class LazyObject {
 public:
  constexpr LazyObject() = default;

  /// Borrowed. `make` returns a new reference; throws PythonError for null, and what `make`
  /// throws.
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
