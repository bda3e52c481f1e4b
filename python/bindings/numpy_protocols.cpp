// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/lazy_object.hpp"

namespace skerry::python {
namespace {

/// Maps NumPy's ufuncs to skerry's functions; filled by skerry/_numpy_protocols.py at import.
PyObject* direct_ufuncs = nullptr;

/// Returns a function of skerry/_numpy_protocols.py, imported by the first call.
PyObject* protocol(LazyObject& cached_function, const char* name) {
  return cached_function.get(
      [&] { return package_function("skerry._numpy_protocols", name).release(); });
}

bool has_no_device(PyObject* object) {
  Scalar ignored;
  return parse_scalar(object, ignored) == Parsed::yes;
}

/// True for a numpy.ndarray of rank >= 1; a 0-d one may be a scalar that NumPy has converted.
bool is_numpy_array_with_axes(PyObject* object) {
  if (!is_base_numpy_array(object)) return false;
  if (PyObject_Size(object) >= 0) return true;
  PyErr_Clear();
  return false;
}

/// Returns the function for a plain call of a ufunc with only arrays, NumPy's included, and
/// scalars; null without an error for other calls.
PyObject* find_direct(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  if (keywords != nullptr && PyTuple_GET_SIZE(keywords) != 0) return nullptr;
  if (count < 3 || PyUnicode_CompareWithASCIIString(args[1], "__call__") != 0) return nullptr;
  for (Py_ssize_t i = 2; i < count; ++i) {
    if (!is_array(args[i]) && !has_no_device(args[i]) && !is_numpy_array_with_axes(args[i])) {
      PyErr_Clear();
      return nullptr;
    }
  }
  PyObject* function = PyDict_GetItemWithError(direct_ufuncs, args[0]);
  if (function == nullptr) PyErr_Clear();
  return function;
}

/// Implements `__array_ufunc__(self, ufunc, method, *inputs, **kwargs)`.
PyObject* array_ufunc(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  if (count >= 2 && PyUnicode_Check(args[1])) {
    if (PyObject* function = find_direct(args, count, keywords)) {
      return PyObject_Vectorcall(function, args + 2, static_cast<std::size_t>(count - 2), nullptr);
    }
  }
  static constinit LazyObject cached_function;
  return translate_exceptions([&] {
    return PyObject_Vectorcall(protocol(cached_function, "array_ufunc"), args,
                               static_cast<std::size_t>(count), keywords);
  });
}

/// Implements `__array_function__(self, func, types, args, kwargs)`.
PyObject* array_function(PyObject* self, PyObject* args) {
  static constinit LazyObject cached_function;
  return translate_exceptions([&] {
    PyObject* const function = protocol(cached_function, "array_function");
    const Object first(PyTuple_Pack(1, self));
    const Object whole(PySequence_Concat(first.get(), args));
    return PyObject_CallObject(function, whole.get());
  });
}

#define SKERRY_PROTOCOL_DOC                                                            \
  "On cpu:0, NumPy's own runs on their memory if skerry has none.\n\nRaises\n------\n" \
  "TypeError\n    If skerry has none on other devices: nothing is copied to the host " \
  "implicitly.\nDeviceMismatchError\n    For a numpy.ndarray, on cpu:0, with other devices."

PyMethodDef function_protocol[] = {
    {"__array_function__", array_function, METH_VARARGS,
     "__array_function__($self, func, types, args, kwargs, /)\n--\n\nRun skerry's counterpart of a "
     "NumPy function (NEP 18), on the device of the arrays.\n\n" SKERRY_PROTOCOL_DOC},
    {},
};

}  // namespace

void add_numpy_protocols(PyObject* module, PyTypeObject* type) {
  static constinit PyMethodDef ufunc_method{};
  ufunc_method = method_definition<array_ufunc>(
      "__array_ufunc__",
      "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\nRun skerry's counterpart "
      "of a NumPy ufunc (NEP 13), on the device of the "
      "arrays.\n\n" SKERRY_PROTOCOL_DOC);
  auto* self = reinterpret_cast<PyObject*>(type);
  const Object ufunc(PyDescr_NewMethod(type, &ufunc_method));
  const Object function(PyDescr_NewMethod(type, function_protocol));
  // Higher than NumPy's own arrays: Dask chooses the function that joins chunks by it.
  const Object priority(PyFloat_FromDouble(100.0));
  set_attribute(self, "__array_ufunc__", ufunc);
  set_attribute(self, "__array_function__", function);
  set_attribute(self, "__array_priority__", priority);
  Object ufuncs(PyDict_New());
  add_to_module(module, "direct_ufuncs", ufuncs);
  direct_ufuncs = ufuncs.release();
}

#undef SKERRY_PROTOCOL_DOC

}  // namespace skerry::python
