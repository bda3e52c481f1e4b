// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <initializer_list>

#include "core/ndarray.hpp"

namespace skerry::python {

/// A class of `collections.namedtuple`, as functions with several results return: "UniqueResult",
/// "values counts". Never freed. Throws python_error.
[[nodiscard]] PyObject* named_tuple_type(const char* module, const char* name, const char* fields);
/// An instance whose items are the arrays.
[[nodiscard]] PyObject* named_tuple(PyObject* type, std::initializer_list<ndarray> arrays);

}  // namespace skerry::python
