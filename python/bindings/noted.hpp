// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

#include "device/guard/heap.hpp"
#include "device/guard/note.hpp"

// With guarded memory each entry point notes what it is called with, so that the report of a fault
// can name it; without, entry points are what they were.

namespace skerry::python {

/// The arguments of a call, in which the report looks for arrays of skerry and of NumPy, in lists
/// and tuples, too.
struct PythonNote : guard::CallNote {
  static constexpr std::size_t max_objects = 4;

  template <class... Args>
  explicit PythonNote(const char* name, Args... arguments) noexcept
      : CallNote{name, visit_arguments} {
    (take(arguments), ...);
  }

  std::array<PyObject*, max_objects> objects{};
  std::size_t count = 0;
  PyObject* const* values = nullptr;  ///< those of a vector call
  Py_ssize_t value_count = 0;

 private:
  static void visit_arguments(const CallNote& self,
                              void (*visitor)(void* context,
                                              const guard::OperandAttributes& operand),
                              void* context) noexcept;
  void take(PyObject* object) noexcept {
    if (object != nullptr && count < max_objects) objects[count++] = object;
  }
  void take(PyObject* const* argument_values) noexcept { values = argument_values; }
  void take(Py_ssize_t n) noexcept { value_count = n; }
  void take(int) noexcept {}
};

template <auto Function>
struct Noted;
template <class Result, class... Args, Result (*Function)(Args...)>
struct Noted<Function> {
  static inline constinit const char* name = nullptr;
  static Result call(Args... args) {
    const PythonNote note(name, args...);
    const guard::NotedCall noting(note);
    return Function(args...);
  }
};

/// The function, or with guarded memory the same with a note of that name.
template <auto Function>
[[nodiscard]] auto with_call_note(const char* name) -> decltype(Function) {
  if (!guard::is_on()) return Function;
  Noted<Function>::name = name;
  return Noted<Function>::call;
}

}  // namespace skerry::python
