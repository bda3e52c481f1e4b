// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <utility>

#include "python/bindings/array_type.hpp"

namespace skerry::python {

/// Memory of freed array objects for later ones, whose `pending` is null.
class FreeObjects {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] bool is_full() const noexcept { return count_ == max_count; }
  void add(ArrayObject* object) noexcept {
    object->reporter = reinterpret_cast<PyObject*>(first_);
    first_ = object;
    ++count_;
  }
  [[nodiscard]] ArrayObject* take() noexcept {
    ArrayObject* const object = first_;
    first_ = reinterpret_cast<ArrayObject*>(object->reporter);
    --count_;
    return object;
  }
  /// Returns whether this is the first call.
  [[nodiscard]] bool begin_use() noexcept { return !std::exchange(is_in_use_, true); }

 private:
  static constexpr int max_count = 128;

  // Linked by `reporter`, as the list has to be small where each thread has one.
  ArrayObject* first_ = nullptr;
  int count_ = 0;
  bool is_in_use_ = false;
};

#ifdef Py_GIL_DISABLED
[[gnu::tls_model("initial-exec")]] inline constinit thread_local FreeObjects free_objects{};
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
  if (list.is_empty() && list.begin_use()) [[unlikely]]
    adopt_free_objects();
  return list.is_empty() ? nullptr : list.take();
}

/// Frees the memory if there are enough.
inline void keep_free_object(ArrayObject* object) noexcept {
  FreeObjects& list = free_objects;
  if (list.is_empty() && list.begin_use()) [[unlikely]]
    adopt_free_objects();
  if (list.is_full()) {
    PyObject_GC_Del(object);
  } else {
    list.add(object);
  }
}

}  // namespace skerry::python
