// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// A Python module that adds the toy devices to an installed skerry, without linking to it.

#include <Python.h>

#include <exception>

#include "toy_backend.hpp"

namespace {

PyObject* add_toys(PyObject*, PyObject* capsule) {
  const auto* const registry = static_cast<const skerry::BackendRegistry*>(
      PyCapsule_GetPointer(capsule, skerry::BackendRegistry::name));
  if (registry == nullptr) return nullptr;
  if (registry->backend_bytes != sizeof(skerry::Backend)) {
    PyErr_SetString(PyExc_ImportError, "toy_backend was compiled for another version of skerry");
    return nullptr;
  }
  try {
    registry->add(toy::nameless);
    registry->add(toy::shown);
  } catch (const std::exception& refused) {
    PyErr_SetString(PyExc_ValueError, refused.what());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"add_toys", add_toys, METH_O, "Adds the kinds \"toy\" and \"shown_toy\" of devices."},
    {},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "toy_backend", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_toy_backend() { return PyModule_Create(&definition); }
