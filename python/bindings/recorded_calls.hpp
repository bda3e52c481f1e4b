// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "core/ndarray.hpp"
#include "ops/elementwise/op_table.hpp"
#include "python/bindings/function_table.hpp"

// Recording of calls while a fused function runs; callers check fused_work != 0 first. Null without
// an error means that the call must be executed eagerly: this thread is not recording, the device
// is not supported, an argument is neither array nor scalar, its memory may be written from
// outside, or all arrays are small. Null with an error: the call failed as it would have eagerly.

namespace skerry {
class PendingValue;
class Recording;
}  // namespace skerry

namespace skerry::python {

/// Returns the recording for a call on this array, or null: the current recording, if the array is
/// pending in it, or is not pending and not small.
[[nodiscard]] Recording* recording_for(PyObject* array) noexcept;

/// Returns the pending value of an array of this recording; null for other arrays. The lock of the
/// recording must be held.
[[nodiscard]] PendingValue* pending_in(const Recording& recording, PyObject* array) noexcept;

/// Cheap test for calls that are not recorded: the arrays are computed, small and of one shape.
[[nodiscard]] bool runs_at_once(PyObject* const* args, int count) noexcept;
[[nodiscard]] PyObject* record_call(op_id op, PyObject* const* args, int count) noexcept;
/// Records x op= other. A pending x gets a new pending value. If an x that is not pending can't be
/// recorded, evaluates the pending arrays that read it.
[[nodiscard]] PyObject* record_in_place(op_id op, PyObject* self, PyObject* other) noexcept;
[[nodiscard]] PyObject* record_where(const Arguments& arguments);
[[nodiscard]] PyObject* record_clip(const Arguments& arguments);
[[nodiscard]] PyObject* record_astype(const Arguments& arguments);

/// Returns real and imag of a real array without computing: the array itself and zeros. Null
/// without an error for other operations and arrays.
[[nodiscard]] PyObject* part_of_reals(op_id op, PyObject* array, const NdArray& x);

/// For tests: sets the minimum result size in bytes for recording. Returns the previous value.
std::int64_t exchange_min_recorded_bytes(std::int64_t nbytes) noexcept;

}  // namespace skerry::python
