// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "python/bindings/function_table.hpp"

namespace skerry::python {

/// A public function failed, and its Python error is set: unless that begins with the function's
/// name, it becomes one that does, and that names the argument (skerry/_failed_calls.py). Null.
PyObject* name_failed_call(const Arguments& arguments) noexcept;
/// The same of a function in Python.
PyObject* name_failed_call(PyObject* function, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords) noexcept;

}  // namespace skerry::python
