// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.hpp"

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "device/host_action.hpp"
#include "device/memory_resource.hpp"
#include "ops/linear/linalg.hpp"
#include "python/bindings/memory_trace.hpp"

namespace skerry::python {
namespace {

/// The class of skerry.exceptions for an exception of core/errors.hpp.
template <class Error>
PyObject* class_of = nullptr;
PyObject* fork_class = nullptr;          // DeviceUnavailableError of a forked process
PyObject* fatal_device_class = nullptr;  // DeviceError that is fatal

/// Raises an instance of `type`; `add_attributes` may set attributes on it.
template <class Decorate>
void raise_with(PyObject* type, const char* text, Decorate&& add_attributes) {
  PyObject* instance = PyObject_CallFunction(type, "s", text);
  if (instance == nullptr) return;
  add_attributes(instance);
  if (!PyErr_Occurred()) PyErr_SetObject(type, instance);
  Py_DECREF(instance);
}

/// Sets an attribute. Steals the reference to `value`, which may be null with an error set.
void decorate(PyObject* instance, const char* name, PyObject* value) {
  if (value == nullptr) return;
  PyObject_SetAttrString(instance, name, value);
  Py_DECREF(value);
}

PyObject* text_of(const std::string& text) { return PyUnicode_FromString(text.c_str()); }

void raise_mismatch(const DeviceMismatchError& error) {
  raise_with(class_of<DeviceMismatchError>, error.what(), [&](PyObject* instance) {
    PyObject* devices = PyTuple_New(static_cast<Py_ssize_t>(error.devices().size()));
    if (devices == nullptr) return;
    Py_ssize_t position = 0;
    for (const Device device : error.devices()) {
      PyTuple_SET_ITEM(devices, position++, text_of(to_string(device)));
    }
    if (PyErr_Occurred()) {
      Py_DECREF(devices);
    } else {
      decorate(instance, "devices", devices);
    }
  });
}

void raise_unavailable(const DeviceUnavailableError& error) {
  const bool forked = error.reason() == UnavailableReason::forked;
  raise_with(forked ? fork_class : class_of<DeviceUnavailableError>, error.what(),
             [&](PyObject* instance) {
               decorate(instance, "reason", text_of(to_string(error.reason())));
             });
}

void raise_device(const DeviceError& error) {
  // A signal such as Ctrl-C that interrupted the kernel takes precedence.
  if (error.fatal() && PyErr_CheckSignals() != 0) return;
  raise_with(error.fatal() ? fatal_device_class : class_of<DeviceError>, error.what(),
             [&](PyObject* instance) {
               decorate(instance, "device", text_of(to_string(error.device())));
               decorate(instance, "code", PyLong_FromLong(error.code()));
             });
}

/// Takes the exception of the Python error that is set, as a new reference; null if none is set.
PyObject* take_exception() noexcept {
#if PY_VERSION_HEX >= 0x030c0000
  return PyErr_GetRaisedException();
#else
  PyObject* type = nullptr;
  PyObject* exception = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &exception, &trace);
  if (type == nullptr) return nullptr;
  PyErr_NormalizeException(&type, &exception, &trace);
  if (trace != nullptr) PyException_SetTraceback(exception, trace);
  Py_DECREF(type);
  Py_XDECREF(trace);
  return exception;
#endif
}

/// Returns the Python exception of a C++ exception.
PyObject* convert_exception(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    set_python_error();
  }
  return take_exception();
}

void raise_out_of_memory(const OutOfMemoryError& error) {
  const std::string text = error.what() + describe_holders(error.device());
  raise_with(class_of<OutOfMemoryError>, text.c_str(), [&](PyObject* instance) {
    const auto* const of_resource = dynamic_cast<const ResourceError*>(&error);
    if (of_resource != nullptr && of_resource->cause() != nullptr)
      PyException_SetCause(instance, convert_exception(of_resource->cause()));
    decorate(instance, "device", text_of(to_string(error.device())));
    decorate(instance, "requested", PyLong_FromSize_t(error.requested()));
  });
}

}  // namespace

RaisedException RaisedException::take() {
  std::shared_ptr<PyObject> exception(take_exception(), [](PyObject* last) noexcept {
    if (const WithGil gil_guard; gil_guard) Py_XDECREF(last);
  });
  std::string text = Py_TYPE(exception.get())->tp_name;
  PyObject* const message = PyObject_Str(exception.get());
  const char* const characters = message == nullptr ? nullptr : PyUnicode_AsUTF8(message);
  if (characters != nullptr) text += std::string(": ") + characters;
  PyErr_Clear();
  Py_XDECREF(message);
  return {text, std::move(exception)};
}

void RaisedException::restore() const noexcept {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception_.get())), exception_.get());
}

void prepare_errors() {
  const struct {
    PyObject*& class_object;
    const char* name;
  } classes[] = {
      {class_of<DeviceMismatchError>, "DeviceMismatchError"},
      {class_of<DeviceUnavailableError>, "DeviceUnavailableError"},
      {fork_class, "ForkError"},
      {class_of<OutOfMemoryError>, "OutOfMemoryError"},
      {class_of<DeviceError>, "DeviceError"},
      {fatal_device_class, "FatalDeviceError"},
      {class_of<GuardError>, "GuardError"},
      {class_of<InterchangeError>, "InterchangeError"},
      {class_of<AxisError>, "AxisError"},
      {class_of<MatrixShapeError>, "MatrixShapeError"},
      {class_of<ShapeError>, "ShapeError"},
      {class_of<ReadOnlyError>, "ReadOnlyError"},
      {class_of<DtypeError>, "DTypeError"},
      {class_of<LinAlgError>, "LinAlgError"},
  };
  const Object module(PyImport_ImportModule("skerry.exceptions"));
  for (const auto& [class_object, name] : classes) {
    class_object = Object(PyObject_GetAttrString(module.get(), name)).release();
  }
}

bool is_device_mismatch(PyObject* error) noexcept {
  return PyErr_GivenExceptionMatches(error, class_of<DeviceMismatchError>) != 0;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const RaisedException& error) {
    error.restore();
  } catch (const DeviceMismatchError& error) {
    raise_mismatch(error);
  } catch (const DeviceUnavailableError& error) {
    raise_unavailable(error);
  } catch (const DeviceError& error) {
    raise_device(error);
  } catch (const OutOfMemoryError& error) {
    raise_out_of_memory(error);
  } catch (const InterchangeError& error) {
    PyErr_SetString(class_of<InterchangeError>, error.what());
  } catch (const GuardError& error) {
    PyErr_SetString(class_of<GuardError>, error.what());
  } catch (const AxisError& error) {
    PyErr_SetString(class_of<AxisError>, error.what());
  } catch (const IndexError& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const MatrixShapeError& error) {
    PyErr_SetString(class_of<MatrixShapeError>, error.what());
  } catch (const ShapeError& error) {
    PyErr_SetString(class_of<ShapeError>, error.what());
  } catch (const ReadOnlyError& error) {
    PyErr_SetString(class_of<ReadOnlyError>, error.what());
  } catch (const TypeError& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const DtypeError& error) {
    PyErr_SetString(class_of<DtypeError>, error.what());
  } catch (const LinAlgError& error) {
    PyErr_SetString(class_of<LinAlgError>, error.what());
  } catch (const skerry::OverflowError& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const NotImplementedError& error) {
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

Object package_function(const char* module, const char* name) {
  const Object imported(PyImport_ImportModule(module));
  return Object(PyObject_GetAttrString(imported.get(), name));
}

Object optional_attribute(PyObject* object, const char* name) {
  PyObject* attribute = PyObject_GetAttrString(object, name);
  if (attribute != nullptr) return Object(attribute);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError{};
  PyErr_Clear();
  return {};
}

Object dictionary_value(PyObject* dictionary, const char* key) {
  const Object name(PyUnicode_FromString(key));
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* value = nullptr;
  if (PyDict_GetItemRef(dictionary, name.get(), &value) < 0) throw PythonError{};
#else
  PyObject* const value = PyDict_GetItemWithError(dictionary, name.get());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError{};
  Py_XINCREF(value);
#endif
  return value == nullptr ? Object() : Object(value);
}

void set_attribute(PyObject* object, const char* name, const Object& value) {
  if (PyObject_SetAttrString(object, name, value.get()) != 0) throw PythonError{};
}

void add_to_module(PyObject* module, const char* name, const Object& value) {
  if (PyModule_AddObjectRef(module, name, value.get()) != 0) throw PythonError{};
}

Object ContextVariable::value() const {
  PyObject* const variable = variable_.load(std::memory_order_acquire);
  if (variable == nullptr) return {};
  PyObject* value = nullptr;
  if (PyContextVar_Get(variable, nullptr, &value) != 0) throw PythonError{};
  return value == nullptr ? Object() : Object(value);
}

const char* utf8(PyObject* text) {
  const char* characters = PyUnicode_AsUTF8(text);
  if (characters == nullptr) throw PythonError{};
  return characters;
}

}  // namespace skerry::python
