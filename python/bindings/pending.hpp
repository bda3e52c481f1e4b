// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "core/ndarray.hpp"
#include "ops/fuse/pending_array.hpp"

namespace skerry::python {

struct ArrayObject;

// While a fused function runs, an operation makes an array whose value is pending: its dtype, shape
// and device are known (header_of), its memory is not there. Who asks for the value (value_of) has
// it computed, unless the operation is recorded as well.

/// Computes the value of a pending array. Throws PythonError.
void compute_value(ArrayObject* self);
/// Of a pending array: null, and it is so no longer, where its value has been computed.
[[nodiscard]] PendingValue* waiting_value(ArrayObject* self) noexcept;

/// Computes what this thread has recorded, if it reads memory that `target` may share, and that is
/// to be written.
void evaluate_readers(const NdArray& target);

/// Computes what has been recorded where it is too much; where that fails the recording goes on.
void limit_recording(Recording& recording) noexcept;

/// Adds FusedFunction, when Array is complete.
void add_fuse(PyObject* module);

}  // namespace skerry::python
