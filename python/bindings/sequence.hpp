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
[[nodiscard]] bool is_other_sequence(PyObject* object);

/// A 0-d array of a Python scalar. Throws DtypeError, OverflowError.
[[nodiscard]] NdArray from_number(const Scalar& value, std::optional<Dtype> type, Device device);
/// An array of a Python scalar or of nested sequences of scalars and arrays. Without
/// `device`, on the device of the arrays in it, else on `fallback`. Throws ShapeError for ragged
/// sequences, DtypeError, OverflowError, DeviceMismatchError.
[[nodiscard]] NdArray from_sequence(PyObject* object, std::optional<Dtype> type,
                                    std::optional<Device> device, Device fallback);

/// The same for values that are assigned: of the target's dtype, on its device, unless that would
/// lose their kind, which the assignment refuses.
[[nodiscard]] NdArray values_to_assign(PyObject* object, const NdArray& target);
/// The same for values that are compared with elements of `x`, on its device: without ints that its
/// dtype can't hold.
[[nodiscard]] NdArray values_to_find(PyObject* object, const NdArray& x);

}  // namespace skerry::python
