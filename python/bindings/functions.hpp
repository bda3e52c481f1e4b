// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// Adds the elementwise functions and the reductions, made from the tables of ops, and the views.
void add_functions(PyObject* module);
/// Adds what functions in Python take NumPy's arrays and lists by.
void add_array_functions(PyObject* module);
/// Adds matmul, tensordot and vecdot.
void add_products(PyObject* module);
/// Opens OpenBLAS, once, if it is there: skerry._openblas looks for the package that brings it.
void find_openblas();
/// Adds the functions that skerry.linalg shows to a module of their own.
void add_linalg(PyObject* module);
/// Adds the creation functions.
void add_creation(PyObject* module);
/// Adds functions of skerry._extra that are made of calls of several families.
void add_composed(PyObject* module);
/// Adds the functions about the CUDA array interface.
void add_cuda_interface(PyObject* module);
/// Adds what skerry._extra turns indices of several axes into flat ones by, and back.
void add_flat_indices(PyObject* module);
/// Adds the functions that skerry.fft shows to a module of their own.
void add_fft(PyObject* module);
/// Adds concat, stack, tile and what else makes arrays of the elements of others.
void add_joining(PyObject* module);
/// Adds the function that says which context decides about mixed kinds of dtypes.
void add_promotion(PyObject* module);
/// Adds the sorting functions and searchsorted.
void add_sorting(PyObject* module);
/// Adds what skerry.random draws by.
void add_random(PyObject* module);
/// Adds the running sums and products.
void add_scans(PyObject* module);
/// Adds the set functions.
void add_sets(PyObject* module);
/// Adds what skerry._extra counts and selects by.
void add_counting(PyObject* module);
/// Adds take, take_along_axis and nonzero.
void add_take(PyObject* module);

}  // namespace skerry::python
