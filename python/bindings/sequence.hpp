// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// True for sequences other than lists and tuples that may hold numbers, such as range and deque:
/// not text, mappings, or objects with a buffer or an array protocol.
[[nodiscard]] bool is_other_sequence(PyObject* object);

/// Creates a 0-d array of a Python scalar. Throws DtypeError, OverflowError.
[[nodiscard]] NdArray from_number(const Scalar& value, std::optional<Dtype> type, Device device);
/// Creates an array of a Python scalar or of nested sequences of scalars and arrays. Without
/// `device`, on the device of the arrays in it, else on `fallback`. Throws ShapeError for ragged
/// sequences, DtypeError, OverflowError, DeviceMismatchError.
[[nodiscard]] NdArray from_sequence(PyObject* object, std::optional<Dtype> type,
                                    std::optional<Device> device, Device fallback);

/// Converts values for an assignment to `target`: on its device and of its dtype, unless their kind
/// is higher, which the assignment then rejects.
[[nodiscard]] NdArray values_to_assign(PyObject* object, const NdArray& target);
/// Converts values for comparison with elements of `x`, on its device; drops ints that its dtype
/// can't hold.
[[nodiscard]] NdArray values_to_find(PyObject* object, const NdArray& x);

}  // namespace skerry::python
