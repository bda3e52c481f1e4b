// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/failed_calls.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "python/bindings/array_type.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/lazy_object.hpp"

namespace skerry::python {
namespace {

/// Returns the current error and clears the indicator.
Object take_error() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  Py_XDECREF(trace);
  Py_XDECREF(type);
  return Object(value);
}

void raise(PyObject* error) { PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error); }

/// True for messages that begin with "add: " or "add(", except of KeyError, whose text is a repr.
bool is_named(PyObject* error, std::string_view name) {
  const bool is_typed = PyErr_GivenExceptionMatches(error, PyExc_KeyError) == 0;
  const Object text(PyObject_Str(error));
  const std::string_view read = utf8(text.get());
  return is_typed && read.starts_with(name) &&
         (read.substr(name.size()).starts_with(':') || read.substr(name.size()).starts_with('('));
}

/// Returns a function of skerry/_failed_calls.py, imported by the first failure.
PyObject* imported(LazyObject& function, const char* name) {
  return function.get([&] { return package_function("skerry._failed_calls", name).release(); });
}

/// Replaces the current error by what `find_better` returns. Keeps the error if `is_complete` or
/// the result is None.
template <class IsComplete, class FindBetter>
PyObject* name_error(IsComplete is_complete, FindBetter find_better) noexcept {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
  return translate_exceptions([&]() -> PyObject* {
    const Object error = take_error();
    if (is_complete(error.get())) {
      raise(error.get());
      return nullptr;
    }
    const Object better = find_better(error.get());
    if (better.get() == Py_None) {
      raise(error.get());
    } else {
      PyException_SetCause(better.get(), Py_NewRef(error.get()));
      raise(better.get());
    }
    return nullptr;
  });
}

}  // namespace

PyObject* name_failed_call(const Arguments& arguments) noexcept {
  const bool is_method = arguments.self != nullptr && is_array(arguments.self);
  const auto find_better = [&](PyObject* error) {
    static constinit LazyObject function;
    const Object named_values(PyDict_New());
    if (is_method && PyDict_SetItemString(named_values.get(), "self", arguments.self) != 0)
      throw PythonError{};
    for (int i = 0; i < arguments.signature->count(); ++i) {
      if (arguments[i] == nullptr) continue;
      if (PyDict_SetItem(named_values.get(), arguments.signature->name(i), arguments[i]) != 0)
        throw PythonError{};
    }
    for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
      const Object name(PyUnicode_FromFormat("arguments[%zd]", i));
      if (PyDict_SetItem(named_values.get(), name.get(), arguments.rest[i]) != 0)
        throw PythonError{};
    }
    return Object(PyObject_CallFunction(imported(function, "named"), "sOO",
                                        arguments.signature->function(), named_values.get(),
                                        error));
  };
  // Methods have parameters with other names than the functions that they call.
  const auto is_complete = [&](PyObject* error) {
    return !is_method && is_named(error, arguments.signature->function());
  };
  return name_error(is_complete, find_better);
}

PyObject* name_failed_call(PyObject* function, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords) noexcept {
  // A function in Python checks the devices of its operands and converts ints without their
  // parameters' names.
  const auto is_complete = [&](PyObject* error) {
    const Object name(PyObject_GetAttrString(function, "__name__"));
    const bool is_overflow = PyErr_GivenExceptionMatches(error, PyExc_OverflowError) != 0;
    return is_named(error, utf8(name.get())) && !is_device_mismatch(error) && !is_overflow;
  };
  return name_error(is_complete, [&](PyObject* error) {
    static constinit LazyObject helper;
    const Object positional(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
    }
    const Object named(PyDict_New());
    for (Py_ssize_t i = 0; keywords != nullptr && i < PyTuple_GET_SIZE(keywords); ++i) {
      PyObject* const key = PyTuple_GET_ITEM(keywords, i);
      if (PyDict_SetItem(named.get(), key, args[count + i]) != 0) throw PythonError{};
    }
    return Object(PyObject_CallFunctionObjArgs(imported(helper, "named_function"), function,
                                               positional.get(), named.get(), error, nullptr));
  });
}

}  // namespace skerry::python
