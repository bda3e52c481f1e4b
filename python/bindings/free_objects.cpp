// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/free_objects.hpp"

#ifdef Py_GIL_DISABLED

namespace skerry::python {
namespace {

// Objects of threads that have ended. They can't be freed when a thread's variables are destroyed:
// it has no thread state then.
PyMutex abandoned_mutex{};
FreeObjects abandoned;

struct ThreadEnd {
  bool is_awaited = false;  ///< written, so that the thread destroys the variable at its end

  ThreadEnd() = default;
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() {
    PyMutex_Lock(&abandoned_mutex);
    while (!free_objects.is_empty()) abandoned.add(free_objects.take());
    PyMutex_Unlock(&abandoned_mutex);
  }
};
thread_local ThreadEnd thread_end;

}  // namespace

void adopt_free_objects() noexcept {
  thread_end.is_awaited = true;
  PyMutex_Lock(&abandoned_mutex);
  while (!abandoned.is_empty() && !free_objects.is_full()) free_objects.add(abandoned.take());
  PyMutex_Unlock(&abandoned_mutex);
}

}  // namespace skerry::python

#endif
