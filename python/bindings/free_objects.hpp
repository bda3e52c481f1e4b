// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

struct ArrayObject;

/// Memory of freed array objects for later ones, whose `pending` is null.
struct FreeObjects {
  static constexpr int max_count = 128;
  ArrayObject* objects[max_count];
  int count = 0;
};

#ifdef Py_GIL_DISABLED
// Not initial-exec: that memory is scarce in a library opened at run time.
inline constinit thread_local FreeObjects free_objects{};
/// Takes over the objects of threads that have ended. Has this thread's objects taken over once it
/// has ended.
void adopt_free_objects() noexcept;
#else
inline constinit FreeObjects free_objects{};  ///< guarded by the GIL
inline void adopt_free_objects() noexcept {}
#endif

/// Returns null if there is none.
[[nodiscard]] inline ArrayObject* take_free_object() noexcept {
  FreeObjects& list = free_objects;
  if (list.count == 0) [[unlikely]]
    adopt_free_objects();
  return list.count > 0 ? list.objects[--list.count] : nullptr;
}

/// Frees the memory if there are enough.
inline void keep_free_object(ArrayObject* object) noexcept {
  FreeObjects& list = free_objects;
  if (list.count == 0) [[unlikely]]
    adopt_free_objects();
  if (list.count < FreeObjects::max_count) {
    list.objects[list.count++] = object;
  } else {
    PyObject_GC_Del(object);
  }
}

}  // namespace skerry::python
