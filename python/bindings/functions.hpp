// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

/// Adds the elementwise functions and reductions, from the operation tables, and the views.
void add_functions(PyObject* module);
/// Adds the conversion of NumPy's arrays and lists for functions written in Python.
void add_array_functions(PyObject* module);
/// Adds matmul, tensordot and vecdot.
void add_products(PyObject* module);
/// Opens OpenBLAS, once, if skerry._openblas finds a package that contains it.
void find_openblas();
/// Adds the functions of skerry.linalg to a module of their own.
void add_linalg(PyObject* module);
/// Adds the creation functions.
void add_creation(PyObject* module);
/// Adds functions of skerry._extra that combine operations of several families.
void add_composed(PyObject* module);
/// Adds the functions of the CUDA array interface.
void add_cuda_interface(PyObject* module);
/// Adds the conversion of multi-axis indices to flat ones and back, for skerry._extra.
void add_flat_indices(PyObject* module);
/// Adds the functions of skerry.fft to a module of their own.
void add_fft(PyObject* module);
/// Adds concat, stack, tile and other functions that join arrays.
void add_joining(PyObject* module);
/// Adds the function that sets the context variable for promotion of mixed dtype kinds.
void add_promotion(PyObject* module);
/// Adds the sorting functions and searchsorted.
void add_sorting(PyObject* module);
/// Adds the kernels of skerry.random.
void add_random(PyObject* module);
/// Adds the cumulative sums and products.
void add_scans(PyObject* module);
/// Adds the set functions.
void add_sets(PyObject* module);
/// Adds counting, partial sorting and scatter for skerry._extra.
void add_counting(PyObject* module);
/// Adds take, take_along_axis and nonzero.
void add_take(PyObject* module);

}  // namespace skerry::python
