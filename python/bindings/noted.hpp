// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <vector>

#include "device/guard/heap.hpp"
#include "device/guard/note.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/profiled_call.hpp"

// With guarded memory, each entry point notes its arguments, so that the report of a fault can name
// them. Without it, entry points are unchanged and pay nothing.

namespace skerry::python {

/// The arguments of a call. The report searches them, also inside lists and tuples, for arrays of
/// skerry and NumPy.
struct PythonNote : guard::CallNote {
  static constexpr std::size_t max_objects = 4;

  template <class... Args>
  explicit PythonNote(const char* name, Args... arguments) noexcept
      : CallNote{name, visit_arguments} {
    (take(arguments), ...);
    copy_lists();
  }

  std::array<PyObject*, max_objects> objects{};
  std::size_t count = 0;
  PyObject* const* values = nullptr;  ///< arguments of a vectorcall
  Py_ssize_t value_count = 0;
  /// Tuples of the items of those arguments that are lists, in their order. Another thread may
  /// change a list during the call, and the report is made in a signal handler.
  std::vector<Object> lists;

 private:
  static void visit_arguments(const CallNote& self,
                              void (*visitor)(void* context,
                                              const guard::OperandAttributes& operand),
                              void* context) noexcept;
  void take(PyObject* object) noexcept {
    if (object != nullptr && count < max_objects) objects[count++] = object;
  }
  void take(PyObject* const* argument_values) noexcept { values = argument_values; }
  /// The number of values after them, otherwise an index.
  void take(Py_ssize_t n) noexcept {
    if (values != nullptr) value_count = n;
  }
  void take(int) noexcept {}
  void copy_lists() noexcept;
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

/// Returns the function, or with guarded memory a wrapper that notes its arguments under `name`.
/// Profiles record its calls under that name.
template <auto Function>
[[nodiscard]] auto with_call_note(const char* name) -> decltype(Function) {
  auto entry = Function;
  if (guard::is_on()) {
    Noted<Function>::name = name;
    entry = Noted<Function>::call;
  }
  Profiled<Function>::name = name;
  Profiled<Function>::function = entry;
  add_profiled_form(reinterpret_cast<void*>(entry),
                    reinterpret_cast<void*>(Profiled<Function>::call));
  return entry;
}

}  // namespace skerry::python
