// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"

namespace skerry::python {
namespace {

/// The class of skerry.exceptions for an exception of core/errors.hpp.
template <class Error>
PyObject* class_of = nullptr;
PyObject* fork_class = nullptr;          // device_unavailable_error of a forked process
PyObject* fatal_device_class = nullptr;  // device_error that is fatal

/// Raises an instance of `type` on which `add_attributes` may set some.
template <class Decorate>
void raise_with(PyObject* type, const char* text, Decorate&& add_attributes) {
  PyObject* instance = PyObject_CallFunction(type, "s", text);
  if (instance == nullptr) return;
  add_attributes(instance);
  if (!PyErr_Occurred()) PyErr_SetObject(type, instance);
  Py_DECREF(instance);
}

/// Takes over the reference to `value`, which may be null with an error set.
void decorate(PyObject* instance, const char* name, PyObject* value) {
  if (value == nullptr) return;
  PyObject_SetAttrString(instance, name, value);
  Py_DECREF(value);
}

PyObject* text_of(const std::string& text) { return PyUnicode_FromString(text.c_str()); }

void raise_mismatch(const device_mismatch_error& error) {
  raise_with(class_of<device_mismatch_error>, error.what(), [&](PyObject* instance) {
    PyObject* devices = PyTuple_New(static_cast<Py_ssize_t>(error.devices().size()));
    if (devices == nullptr) return;
    Py_ssize_t position = 0;
    for (const device where : error.devices()) {
      PyTuple_SET_ITEM(devices, position++, text_of(to_string(where)));
    }
    if (PyErr_Occurred()) {
      Py_DECREF(devices);
    } else {
      decorate(instance, "devices", devices);
    }
  });
}

void raise_unavailable(const device_unavailable_error& error) {
  const bool forked = error.reason() == unavailable_reason::forked;
  raise_with(forked ? fork_class : class_of<device_unavailable_error>, error.what(),
             [&](PyObject* instance) {
               decorate(instance, "reason", text_of(to_string(error.reason())));
             });
}

void raise_device(const device_error& error) {
  // An interruption that ended a kernel comes first.
  if (error.fatal() && PyErr_CheckSignals() != 0) return;
  raise_with(error.fatal() ? fatal_device_class : class_of<device_error>, error.what(),
             [&](PyObject* instance) {
               decorate(instance, "device", text_of(to_string(error.where())));
               decorate(instance, "code", PyLong_FromLong(error.code()));
             });
}

void raise_out_of_memory(const out_of_memory_error& error) {
  raise_with(class_of<out_of_memory_error>, error.what(), [&](PyObject* instance) {
    decorate(instance, "device", text_of(to_string(error.where())));
    decorate(instance, "requested", PyLong_FromSize_t(error.requested()));
  });
}

}  // namespace

void prepare_errors() {
  const struct {
    PyObject*& found;
    const char* name;
  } classes[] = {
      {class_of<device_mismatch_error>, "DeviceMismatchError"},
      {class_of<device_unavailable_error>, "DeviceUnavailableError"},
      {fork_class, "ForkError"},
      {class_of<out_of_memory_error>, "OutOfMemoryError"},
      {class_of<device_error>, "DeviceError"},
      {fatal_device_class, "FatalDeviceError"},
      {class_of<interchange_error>, "InterchangeError"},
      {class_of<axis_error>, "AxisError"},
      {class_of<shape_error>, "ShapeError"},
      {class_of<read_only_error>, "ReadOnlyError"},
      {class_of<dtype_error>, "DTypeError"},
      {class_of<linalg_error>, "LinAlgError"},
  };
  const object module(PyImport_ImportModule("skerry.exceptions"));
  for (const auto& [found, name] : classes) {
    found = object(PyObject_GetAttrString(module.get(), name)).release();
  }
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const python_error&) {
  } catch (const device_mismatch_error& error) {
    raise_mismatch(error);
  } catch (const device_unavailable_error& error) {
    raise_unavailable(error);
  } catch (const device_error& error) {
    raise_device(error);
  } catch (const out_of_memory_error& error) {
    raise_out_of_memory(error);
  } catch (const interchange_error& error) {
    PyErr_SetString(class_of<interchange_error>, error.what());
  } catch (const axis_error& error) {
    PyErr_SetString(class_of<axis_error>, error.what());
  } catch (const index_error& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const shape_error& error) {
    PyErr_SetString(class_of<shape_error>, error.what());
  } catch (const read_only_error& error) {
    PyErr_SetString(class_of<read_only_error>, error.what());
  } catch (const dtype_error& error) {
    PyErr_SetString(class_of<dtype_error>, error.what());
  } catch (const linalg_error& error) {
    PyErr_SetString(class_of<linalg_error>, error.what());
  } catch (const skerry::overflow_error& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const not_implemented_error& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "skerry: an unknown C++ exception; please report it");
  }
}

object package_function(const char* module, const char* name) {
  const object imported(PyImport_ImportModule(module));
  return object(PyObject_GetAttrString(imported.get(), name));
}

object optional_attribute(PyObject* from, const char* name) {
  PyObject* found = PyObject_GetAttrString(from, name);
  if (found != nullptr) return object(found);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw python_error{};
  PyErr_Clear();
  return {};
}

void set_attribute(PyObject* of, const char* name, const object& value) {
  if (PyObject_SetAttrString(of, name, value.get()) != 0) throw python_error{};
}

void add_to_module(PyObject* module, const char* name, const object& value) {
  if (PyModule_AddObjectRef(module, name, value.get()) != 0) throw python_error{};
}

object context_value(PyObject* variable) {
  if (variable == nullptr) return {};
  PyObject* found = nullptr;
  if (PyContextVar_Get(variable, Py_None, &found) != 0) throw python_error{};
  object held(found);
  return found == Py_None ? object() : std::move(held);
}

const char* utf8(PyObject* text) {
  const char* found = PyUnicode_AsUTF8(text);
  if (found == nullptr) throw python_error{};
  return found;
}

}  // namespace skerry::python
