// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "core/ndarray.hpp"

namespace skerry::python {

struct ArrayObject;

// While a fused function runs, an operation makes a pending array: its dtype, shape and device are
// known, its memory is not there. It is an object of a subclass of Array, which becomes one of
// Array itself when it is evaluated. So who looks for an array by its type meets none that is
// pending, and pays nothing for it; who met one has it evaluated (is_array, value_of), unless its
// operation is recorded as well.

/// How many fused calls run, and pending arrays there are: 0 in a program that fuses nothing.
/// Guarded by the GIL.
inline long fused_work = 0;

/// Makes a pending array a real one; false for what is not pending. Throws PythonError.
bool resolve_array(PyObject* object);
/// The same for some objects, where no exception can be thrown: false with an error set.
[[nodiscard]] bool resolve_arrays(PyObject* const* objects, Py_ssize_t count) noexcept;

/// Computes what this thread has recorded, if it reads memory that `target` may share, and others
/// may write from now on.
void evaluate_readers(const NdArray& target);

/// For an object whose value has pending memory, before it is seen by anybody. False for another.
bool begin_pending(ArrayObject* self) noexcept;
/// Before an object is freed.
void end_pending(PyObject* self) noexcept;

/// Adds FusedFunction and the class of pending arrays, when Array is complete.
void add_fuse(PyObject* module);

}  // namespace skerry::python
