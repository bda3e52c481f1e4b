// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>
#include <cxxabi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/operation.hpp"
#include "python/bindings/gil.hpp"

namespace skerry::python {

/// Thrown when a Python error is already set.
struct PythonError {};

/// A Python exception that passes through code that may release the GIL, such as that of device/.
class RaisedException : public std::runtime_error {
 public:
  /// Takes the exception of the Python error that is set, and clears it. The text is its type and
  /// message.
  [[nodiscard]] static RaisedException take();
  /// Sets the Python error again.
  void restore() const noexcept;

 private:
  RaisedException(const std::string& text, std::shared_ptr<PyObject> exception)
      : runtime_error(text), exception_(std::move(exception)) {}
  std::shared_ptr<PyObject> exception_;
};

/// Imports the classes of skerry.exceptions. Throws PythonError.
void prepare_errors();

/// Converts the exception in flight to a Python error: the class of the same name in
/// skerry.exceptions, or the builtin that core/errors.hpp names. Call it inside a catch block.
void set_python_error() noexcept;

/// Runs `body` and converts its exceptions to Python errors. Lets a forced unwind (thread
/// cancellation, interpreter shutdown) pass, as it must not be caught.
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
/// The same, with `operation` as the prefix of error messages.
template <class Body, class Result = decltype(std::declval<Body&>()())>
Result translate_exceptions(const char* operation, Body&& body, Result failed = {}) {
  const OperationScope scope(operation);
  return translate_exceptions(std::forward<Body>(body), std::move(failed));
}

/// True for an instance of skerry.exceptions.DeviceMismatchError.
[[nodiscard]] bool is_device_mismatch(PyObject* error) noexcept;

/// Returns the name of an object's class, for messages.
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

/// Imports a function of a Python module. Slow: not for hot paths.
[[nodiscard]] Object package_function(const char* module, const char* name);
/// Returns an attribute, or null if the object does not have it.
[[nodiscard]] Object optional_attribute(PyObject* object, const char* name);
/// Returns the value of a key of a dict, or null if the dict does not have it.
[[nodiscard]] Object dictionary_value(PyObject* dictionary, const char* key);
void set_attribute(PyObject* object, const char* name, const Object& value);
void add_to_module(PyObject* module, const char* name, const Object& value);
/// A contextvars.ContextVar, or none until one is set. Read without a lock.
class ContextVariable {
 public:
  constexpr ContextVariable() = default;
  [[nodiscard]] bool is_set() const noexcept {
    return variable_.load(std::memory_order_acquire) != nullptr;
  }
  /// Keeps a reference forever: another thread may be reading the variable that was set before.
  void set(PyObject* variable) noexcept {
    variable_.store(Py_NewRef(variable), std::memory_order_release);
  }
  /// Returns the variable's value in this context; null if it is unset or if there is no variable.
  /// Throws PythonError.
  [[nodiscard]] Object value() const;

 private:
  std::atomic<PyObject*> variable_{nullptr};
};
/// Returns the UTF-8 text of a str, valid as long as the str. Throws PythonError.
[[nodiscard]] const char* utf8(PyObject* text);

/// Clears the Python error indicator in its scope and restores it afterwards. For cleanup that may
/// run Python code while an error propagates.
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

/// Number of elements from which a call releases the GIL: about 10 us of work, while releasing and
/// acquiring costs 0.1 us.
inline constexpr std::int64_t min_size_without_gil = 1 << 16;

}  // namespace skerry::python
