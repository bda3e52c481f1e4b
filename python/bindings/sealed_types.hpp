// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// Of all types that pybind11 made for the module: no object exists without its value, and wrong
/// arguments give an error in this package's words. Called when the module has all of them.
void seal_types(PyObject* module);

}  // namespace skerry::python
