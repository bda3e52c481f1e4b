// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/recording_lock.hpp"

#ifdef Py_GIL_DISABLED

#include <utility>

#include "ops/fuse/recording.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python {
namespace {

// A critical section needs an object. Arrays outlive the recording of their thread, so the objects
// are never freed, and threads share them.
constexpr unsigned lock_count = 64;
PyObject* locks[lock_count];

thread_local PyObject* innermost = nullptr;

}  // namespace

RecordingLock::RecordingLock(const Recording& recording) noexcept
    : RecordingLock(recording.number()) {}

RecordingLock::RecordingLock(unsigned recording_number) noexcept {
  PyObject* const lock = locks[recording_number % lock_count];
  outer_ = std::exchange(innermost, lock);
  // A section of an object inside one of the same object is allowed, but waits for itself.
  is_outermost_ = outer_ != lock;
  if (is_outermost_) PyCriticalSection_Begin(&section_, lock);
}

RecordingLock::~RecordingLock() {
  if (is_outermost_) PyCriticalSection_End(&section_);
  innermost = outer_;
}

void prepare_recording_locks() {
  for (PyObject*& lock : locks) lock = Object(PyList_New(0)).release();
}

}  // namespace skerry::python

#else

namespace skerry::python {

void prepare_recording_locks() {}

}  // namespace skerry::python

#endif
