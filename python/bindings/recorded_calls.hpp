// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "core/ndarray.hpp"
#include "ops/elementwise/op_table.hpp"
#include "python/bindings/function_table.hpp"

// Calls that are recorded while a fused function runs; asked for where fused_work != 0. Null
// without an error: the call is to be run, as this thread records nothing, or not on the device, or
// as an argument is no array and no scalar, or memory that others may write, or as all arrays are
// small. Null with one: it failed as the call would have.

namespace skerry {
class Recording;
}

namespace skerry::python {

/// What a call on this one array can be recorded to: null where there is none. Of a pending array
/// it is the array's own; a small one that is not pending has none.
[[nodiscard]] Recording* recording_for(PyObject* array) noexcept;

/// Whether a call is plainly not recorded: its arrays have their values, are alike and are small.
[[nodiscard]] bool runs_at_once(PyObject* const* args, int count) noexcept;
[[nodiscard]] PyObject* record_call(op_id op, PyObject* const* args, int count) noexcept;
/// x op= other: a pending x has another value then. Evaluates what reads an x that is not.
[[nodiscard]] PyObject* record_in_place(op_id op, PyObject* self, PyObject* other) noexcept;
[[nodiscard]] PyObject* record_where(const Arguments& arguments);
[[nodiscard]] PyObject* record_clip(const Arguments& arguments);
[[nodiscard]] PyObject* record_astype(const Arguments& arguments);

/// What real and imag of an array of real numbers give, without any work: itself and zeros. Null,
/// without an error, for other operations and arrays.
[[nodiscard]] PyObject* part_of_reals(op_id op, PyObject* array, const NdArray& x);

/// For tests: from how many bytes of a result on calls are recorded. Returns what it was.
std::int64_t exchange_min_recorded_bytes(std::int64_t nbytes) noexcept;

}  // namespace skerry::python
