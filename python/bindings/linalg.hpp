// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// The slots of `@` and `@=`.
PyObject* multiply_matrices(PyObject* left, PyObject* right);
PyObject* multiply_matrices_in_place(PyObject* self, PyObject* other);

/// Opens OpenBLAS, once, if it is there: skerry._openblas looks for the package that brings it.
void find_openblas();

}  // namespace skerry::python
