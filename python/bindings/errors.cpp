// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"

namespace skerry::python {
namespace {

struct error_classes {
  PyObject* device_mismatch;
  PyObject* device_unavailable;
  PyObject* fork;
  PyObject* out_of_memory;
  PyObject* device;
  PyObject* fatal_device;
  PyObject* interchange;
  PyObject* axis;
  PyObject* shape;
  PyObject* read_only;
  PyObject* dtype;
  PyObject* linalg;
};
error_classes classes{};

PyObject* find(PyObject* module, const char* name) {
  return object(PyObject_GetAttrString(module, name)).release();
}

/// Raises an instance of `type` on which `decorate` may set attributes.
template <class Decorate>
void raise_with(PyObject* type, const char* text, Decorate&& decorate) {
  PyObject* instance = PyObject_CallFunction(type, "s", text);
  if (instance == nullptr) return;
  decorate(instance);
  if (!PyErr_Occurred()) PyErr_SetObject(type, instance);
  Py_DECREF(instance);
}

void set_text(PyObject* instance, const char* name, const std::string& value) {
  if (PyObject* text = PyUnicode_FromString(value.c_str())) {
    PyObject_SetAttrString(instance, name, text);
    Py_DECREF(text);
  }
}

void set_number(PyObject* instance, const char* name, long long value) {
  if (PyObject* number = PyLong_FromLongLong(value)) {
    PyObject_SetAttrString(instance, name, number);
    Py_DECREF(number);
  }
}

void raise_mismatch(const device_mismatch_error& error) {
  raise_with(classes.device_mismatch, error.what(), [&](PyObject* instance) {
    PyObject* devices = PyTuple_New(static_cast<Py_ssize_t>(error.devices().size()));
    if (devices == nullptr) return;
    Py_ssize_t position = 0;
    for (const device where : error.devices()) {
      PyTuple_SET_ITEM(devices, position++, PyUnicode_FromString(to_string(where).c_str()));
    }
    if (!PyErr_Occurred()) PyObject_SetAttrString(instance, "devices", devices);
    Py_DECREF(devices);
  });
}

void raise_unavailable(const device_unavailable_error& error) {
  const bool forked = error.reason() == unavailable_reason::forked;
  raise_with(forked ? classes.fork : classes.device_unavailable, error.what(),
             [&](PyObject* instance) { set_text(instance, "reason", to_string(error.reason())); });
}

void raise_device(const device_error& error) {
  raise_with(error.fatal() ? classes.fatal_device : classes.device, error.what(),
             [&](PyObject* instance) {
               set_text(instance, "device", to_string(error.where()));
               set_number(instance, "code", error.code());
             });
}

void raise_out_of_memory(const out_of_memory_error& error) {
  raise_with(classes.out_of_memory, error.what(), [&](PyObject* instance) {
    set_text(instance, "device", to_string(error.where()));
    set_number(instance, "requested", static_cast<long long>(error.requested()));
  });
}

}  // namespace

void prepare_errors() {
  const object module(PyImport_ImportModule("skerry.exceptions"));
  classes = {
      .device_mismatch = find(module.get(), "DeviceMismatchError"),
      .device_unavailable = find(module.get(), "DeviceUnavailableError"),
      .fork = find(module.get(), "ForkError"),
      .out_of_memory = find(module.get(), "OutOfMemoryError"),
      .device = find(module.get(), "DeviceError"),
      .fatal_device = find(module.get(), "FatalDeviceError"),
      .interchange = find(module.get(), "InterchangeError"),
      .axis = find(module.get(), "AxisError"),
      .shape = find(module.get(), "ShapeError"),
      .read_only = find(module.get(), "ReadOnlyError"),
      .dtype = find(module.get(), "DTypeError"),
      .linalg = find(module.get(), "LinAlgError"),
  };
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
    PyErr_SetString(classes.interchange, error.what());
  } catch (const axis_error& error) {
    PyErr_SetString(classes.axis, error.what());
  } catch (const index_error& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const shape_error& error) {
    PyErr_SetString(classes.shape, error.what());
  } catch (const read_only_error& error) {
    PyErr_SetString(classes.read_only, error.what());
  } catch (const dtype_error& error) {
    PyErr_SetString(classes.dtype, error.what());
  } catch (const linalg_error& error) {
    PyErr_SetString(classes.linalg, error.what());
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

}  // namespace skerry::python
