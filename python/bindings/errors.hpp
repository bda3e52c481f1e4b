// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>
#include <cxxabi.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/operation.hpp"
#include "python/bindings/gil.hpp"

namespace skerry::python {

/// Thrown where a Python error is set already.
struct PythonError {};

/// Imports skerry.exceptions; throws PythonError.
void prepare_errors();

/// Turns the exception in flight into a Python error: the class of the same name in
/// skerry.exceptions or the builtin that core/errors.hpp names. Call it inside a catch block.
void set_python_error() noexcept;

/// Runs `body` and turns its exceptions into Python errors. Who ends its own thread by force
/// unwinds through here, and must not be stopped.
template <class Body, class Result = decltype(std::declval<Body&>()())>
Result translate_exceptions(Body&& body, Result failed = {}) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    set_python_error();
  }
  return failed;
}
/// The same of a call that errors name.
template <class Body, class Result = decltype(std::declval<Body&>()())>
Result translate_exceptions(const char* operation, Body&& body, Result failed = {}) {
  const OperationScope scope(operation);
  return translate_exceptions(std::forward<Body>(body), std::move(failed));
}

/// The name of an object's class, for messages.
inline std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// Owning pointer to a Python object.
class Object {
 public:
  Object() = default;
  /// Takes over a new reference; throws PythonError for null.
  explicit Object(PyObject* new_reference) : pointer_(new_reference) {
    if (new_reference == nullptr) throw PythonError{};
  }
  static Object borrow(PyObject* other) { return Object(Py_NewRef(other)); }
  Object(Object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { Py_XDECREF(pointer_); }

  [[nodiscard]] PyObject* get() const noexcept { return pointer_; }
  [[nodiscard]] PyObject* release() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  PyObject* pointer_ = nullptr;
};

/// A function of one of the package's Python modules, for what is not hot.
[[nodiscard]] Object package_function(const char* module, const char* name);
/// The attribute of an object, null where it has none.
[[nodiscard]] Object optional_attribute(PyObject* object, const char* name);
void set_attribute(PyObject* object, const char* name, const Object& value);
void add_to_module(PyObject* module, const char* name, const Object& value);
/// What a contextvars.ContextVar holds; null where the variable is null, unset or None.
[[nodiscard]] Object context_value(PyObject* variable);
/// The text of a str; lives as long as that does.
[[nodiscard]] const char* utf8(PyObject* text);

/// While it lives, no Python error is set; then the one from before is again. For what may run
/// Python on the way up of an error.
class ErrorAside {
 public:
  ErrorAside() noexcept { PyErr_Fetch(&type_, &value_, &trace_); }
  ErrorAside(const ErrorAside&) = delete;
  ErrorAside& operator=(const ErrorAside&) = delete;
  ~ErrorAside() { PyErr_Restore(type_, value_, trace_); }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

/// Elements from which on a call lets other threads run: about 10 us of work, against 0.1 us that
/// the hand-over costs.
inline constexpr std::int64_t min_size_without_gil = 1 << 16;

}  // namespace skerry::python
