// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "python/bindings/function_table.hpp"

namespace skerry::python {

/// Called when a public function failed with a Python error set: unless the message begins with the
/// function's name, replaces the error by one that does and that names the argument
/// (skerry/_failed_calls.py). Returns null.
PyObject* name_failed_call(const Arguments& arguments) noexcept;
/// The same for a function written in Python.
PyObject* name_failed_call(PyObject* function, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords) noexcept;

}  // namespace skerry::python
