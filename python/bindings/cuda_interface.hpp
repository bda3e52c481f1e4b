// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// Adds the functions that take over memory by the CUDA array interface.
void add_cuda_import(PyObject* module);

}  // namespace skerry::python
