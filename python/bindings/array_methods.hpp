// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// The methods of Array.
[[nodiscard]] PyMethodDef* array_methods();
[[nodiscard]] PyObject* represent(PyObject* self);

}  // namespace skerry::python
