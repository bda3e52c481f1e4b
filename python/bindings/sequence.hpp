// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// Whether an object is a sequence beside lists and tuples that may hold numbers, as range and
/// deque are: no text, no mapping, nothing that has its elements in memory.
[[nodiscard]] bool is_other_sequence(PyObject* from);

/// A 0-d array of a Python scalar. Throws dtype_error, overflow_error.
[[nodiscard]] ndarray from_number(const char* op, const scalar& value, std::optional<dtype> type,
                                  device where);
/// An array of a Python scalar or of nested sequences of scalars and arrays. Without
/// `where`, on the device of the arrays in it, else on `fallback`. Throws shape_error for ragged
/// sequences, dtype_error, overflow_error, device_mismatch_error.
[[nodiscard]] ndarray from_sequence(const char* op, PyObject* from, std::optional<dtype> type,
                                    std::optional<device> where, device fallback);

/// The same for values that are assigned: of the target's dtype, on its device, unless that would
/// lose their kind, which the assignment refuses.
[[nodiscard]] ndarray values_to_assign(const char* op, PyObject* from, const ndarray& target);
/// The same for values that are compared with elements of `x`, on its device: without ints that its
/// dtype can't hold.
[[nodiscard]] ndarray values_to_find(const char* op, PyObject* from, const ndarray& x);

}  // namespace skerry::python
