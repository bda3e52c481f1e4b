// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/free_objects.hpp"

#ifdef Py_GIL_DISABLED

#include <utility>

#include "python/bindings/array_type.hpp"

namespace skerry::python {
namespace {

// Objects of threads that have ended, linked by `reporter`. They can't be freed when a thread's
// variables are destroyed: it has no thread state then.
PyMutex abandoned_mutex{};
ArrayObject* abandoned = nullptr;

struct ThreadEnd {
  bool is_awaited = false;

  ThreadEnd() = default;
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() {
    PyMutex_Lock(&abandoned_mutex);
    while (free_objects.count > 0) {
      ArrayObject* const object = free_objects.objects[--free_objects.count];
      object->reporter = reinterpret_cast<PyObject*>(std::exchange(abandoned, object));
    }
    PyMutex_Unlock(&abandoned_mutex);
  }
};
thread_local ThreadEnd thread_end;

}  // namespace

void adopt_free_objects() noexcept {
  if (std::exchange(thread_end.is_awaited, true)) return;
  PyMutex_Lock(&abandoned_mutex);
  while (abandoned != nullptr && free_objects.count < FreeObjects::max_count) {
    ArrayObject* const next = reinterpret_cast<ArrayObject*>(abandoned->reporter);
    free_objects.objects[free_objects.count++] = std::exchange(abandoned, next);
  }
  PyMutex_Unlock(&abandoned_mutex);
}

}  // namespace skerry::python

#endif
