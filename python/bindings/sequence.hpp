// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// A 0-d array of a Python scalar. Throws dtype_error, overflow_error.
[[nodiscard]] ndarray from_number(const char* op, const scalar& value, std::optional<dtype> type,
                                  device where);
/// An array of a Python scalar or of nested lists and tuples of scalars and arrays. Without
/// `where`, on the device of the arrays in it, else on `fallback`. Throws shape_error for ragged
/// sequences, dtype_error, overflow_error, device_mismatch_error.
[[nodiscard]] ndarray from_sequence(const char* op, PyObject* from, std::optional<dtype> type,
                                    std::optional<device> where, device fallback);

}  // namespace skerry::python
