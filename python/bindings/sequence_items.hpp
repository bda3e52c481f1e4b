// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "python/bindings/errors.hpp"

namespace skerry::python {

/// The items of a list or tuple of the caller. Without the GIL, another thread may change a list at
/// any time, so these are the items of a copy. With it, only code that runs in between may, so ask
/// for size() again after such code.
class SequenceItems {
 public:
  explicit SequenceItems(PyObject* sequence) : sequence_(sequence) {
#ifdef Py_GIL_DISABLED
    if (!PyList_Check(sequence)) return;
    copy_ = Object(PyList_AsTuple(sequence));
    sequence_ = copy_.get();
#endif
  }

  [[nodiscard]] Py_ssize_t size() const noexcept { return PySequence_Fast_GET_SIZE(sequence_); }
  /// Returns a borrowed reference.
  [[nodiscard]] PyObject* operator[](Py_ssize_t index) const noexcept {
    return PySequence_Fast_GET_ITEM(sequence_, index);
  }
  [[nodiscard]] PyObject* const* begin() const noexcept { return PySequence_Fast_ITEMS(sequence_); }
  [[nodiscard]] PyObject* const* end() const noexcept { return begin() + size(); }
  /// Returns the object that has the items: the sequence, or the copy.
  [[nodiscard]] PyObject* sequence() const noexcept { return sequence_; }
  /// Returns the copy, null if there is none; then only the caller keeps its items.
  [[nodiscard]] Object release() noexcept { return std::move(copy_); }

 private:
  PyObject* sequence_;
  Object copy_;
};

/// As PySequence_Fast, but without the GIL always returns a tuple. Throws PythonError.
[[nodiscard]] inline Object fast_sequence(PyObject* object, const char* message) {
  Object sequence(PySequence_Fast(object, message));
#ifdef Py_GIL_DISABLED
  if (PyList_Check(sequence.get())) return Object(PyList_AsTuple(sequence.get()));
#endif
  return sequence;
}

}  // namespace skerry::python
