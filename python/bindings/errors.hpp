// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>
#include <cxxabi.h>

#include <cstdint>
#include <string>
#include <utility>

#include "python/bindings/gil.hpp"

namespace skerry::python {

/// Thrown where a Python error is set already.
struct python_error {};

/// Imports skerry.exceptions; throws python_error.
void prepare_errors();

/// Turns the exception in flight into a Python error: the class of the same name in
/// skerry.exceptions or the builtin that core/errors.hpp names. Call it inside a catch block.
void set_python_error() noexcept;

/// Runs `body` and turns its exceptions into Python errors. Who ends its own thread by force
/// unwinds through here, and must not be stopped.
template <class Body, class Result = decltype(std::declval<Body&>()())>
Result guarded(Body&& body, Result failed = {}) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    set_python_error();
  }
  return failed;
}

/// The name of an object's class, for messages.
inline std::string type_name(PyObject* of) { return Py_TYPE(of)->tp_name; }

/// Owning pointer to a Python object.
class object {
 public:
  object() = default;
  /// Takes over a new reference; throws python_error for null.
  explicit object(PyObject* fresh) : pointer_(fresh) {
    if (fresh == nullptr) throw python_error{};
  }
  static object borrow(PyObject* other) { return object(Py_NewRef(other)); }
  object(object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  object& operator=(object&& other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  object(const object&) = delete;
  object& operator=(const object&) = delete;
  ~object() { Py_XDECREF(pointer_); }

  [[nodiscard]] PyObject* get() const noexcept { return pointer_; }
  [[nodiscard]] PyObject* release() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  PyObject* pointer_ = nullptr;
};

/// Elements from which on a call lets other threads run: about 10 us of work, against 0.1 us that
/// the hand-over costs.
inline constexpr std::int64_t long_work = 1 << 16;

}  // namespace skerry::python
