// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstddef>

#include "ops/elementwise/op_table.hpp"

// Functions with the attributes and methods of NumPy's ufuncs: nin, identity, reduce, at, ...
namespace skerry::python {

/// The first members of all function objects with these attributes.
struct UfuncHeader {
  PyObject_HEAD Py_ssize_t inputs;  ///< 0 for functions without the attributes
  Py_ssize_t outputs;
};

/// An elementwise function in C++.
struct UfuncObject {
  UfuncHeader header;
  vectorcallfunc call;
  PyObject* weak_references;
  op_id id;
  const char* name;
  const char* signature;
  const char* doc;
  const char* module_name;
};

/// Methods and attributes that function types share; each ends with an empty entry.
extern PyMethodDef ufunc_methods[6];
extern PyGetSetDef ufunc_attributes[6];

/// Returns the entries of two such lists as one list. Never freed.
template <class Definition, std::size_t N, std::size_t M>
[[nodiscard]] Definition* join_definitions(const Definition (&first)[N],
                                           const Definition (&second)[M]) {
  auto* const joined = new Definition[N + M - 1];
  std::copy_n(first, N - 1, joined);
  std::copy_n(second, M, joined + (N - 1));
  return joined;
}

/// Creates the type. Throws PythonError.
void prepare_ufunc_type();
/// Creates a function. The texts are not copied. Throws PythonError.
[[nodiscard]] PyObject* new_ufunc(op_id id, vectorcallfunc call, const char* signature,
                                  const char* doc, const char* module_name);
/// Calls a function with the keywords of NumPy's ufuncs, or with outputs after the inputs.
[[nodiscard]] PyObject* call_with_options(PyObject* ufunc, PyObject* const* args, Py_ssize_t count,
                                          PyObject* keywords) noexcept;

}  // namespace skerry::python
