// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/cupy/python_call.hpp"

namespace skerry::emulation::cupy {

PythonObjects& python_objects() {
  static PythonObjects objects;
  return objects;
}

bool is_success(int status) {
  if (status == 0) return true;
  static_cast<void>(entry_points::get_last_error());
  PyObject* const error = PyObject_CallFunction(python_objects().make_error, "i", status);
  if (error == nullptr) return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
  Py_DecRef(error);
  return false;
}

PyObject* none_or_error(int status) {
  if (!is_success(status)) return nullptr;
  Py_IncRef(Py_None);
  return Py_None;
}

}  // namespace skerry::emulation::cupy
