// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry {
class Recording;
}

namespace skerry::python {

/// Locks a recording and its pending values in its scope. With the GIL, which is their lock, it
/// does nothing. Without it, it is a critical section: like the GIL, it is released while the
/// thread is detached from the interpreter, so is_evaluating() may change in any call that may
/// wait.
class RecordingLock {
 public:
#ifdef Py_GIL_DISABLED
  explicit RecordingLock(const Recording& recording) noexcept;
  explicit RecordingLock(unsigned recording_number) noexcept;
  ~RecordingLock();

 private:
  PyObject* outer_;  ///< what the innermost lock of this thread locks
  PyCriticalSection section_{};
  bool is_outermost_;
#else
  explicit RecordingLock(const Recording&) noexcept {}
  explicit RecordingLock(unsigned) noexcept {}
  // Not trivial: a trivial one is an unused variable.
  ~RecordingLock() {}  // NOLINT(modernize-use-equals-default)
#endif

 public:
  RecordingLock(const RecordingLock&) = delete;
  RecordingLock& operator=(const RecordingLock&) = delete;
};

/// Creates the locks. Throws PythonError.
void prepare_recording_locks();

}  // namespace skerry::python
