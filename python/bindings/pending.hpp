// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <memory>

#include "core/ndarray.hpp"
#include "ops/fuse/pending_array.hpp"

namespace skerry::python {

struct ArrayObject;

// While a fused function runs, operations create pending arrays: dtype, shape and device are known
// (header_of), but no memory is allocated. Code that needs the value (value_of) has it computed;
// operations that are recorded themselves do not.

/// Computes the value of an array that was created pending. Throws PythonError.
void compute_value(ArrayObject* self);
/// Returns the pending value of a pending array. If it has been computed since, gives the array its
/// memory; the array is then no longer pending. Returns null if it is not.
[[nodiscard]] PendingValue* waiting_value(ArrayObject* self) noexcept;
/// Makes an array pending, which may be so already in the same recording, whose lock must be held.
/// Returns false if another thread has made it pending in another recording.
[[nodiscard]] bool make_pending(ArrayObject* self, std::unique_ptr<PendingValue> value) noexcept;
/// Deletes the pending value of an array that is freed.
void drop_pending(ArrayObject* self) noexcept;

/// Evaluates this thread's recording if it reads memory that `target`, which is about to be
/// written, may share. Waits for an evaluation by another thread.
void evaluate_readers(const NdArray& target);

/// Evaluates the recording if it has too many operations; continues recording if that fails.
void limit_recording(Recording& recording) noexcept;

/// Adds FusedFunction. Call it after Array is complete.
void add_fuse(PyObject* module);

}  // namespace skerry::python
