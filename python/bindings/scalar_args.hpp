// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// Imports NumPy's classes and the dtypes. Throws PythonError.
void prepare_scalars();

enum class Parsed : signed char { error = -1, no = 0, yes = 1 };

/// Parses a Python scalar: bool, int of any size, float, complex, a NumPy scalar of those kinds
/// (treated as the Python scalar of its kind, without its dtype), or an object with `__index__`
/// that is not an array. `error` leaves a Python error set.
Parsed parse_scalar(PyObject* object, Scalar& scalar) noexcept;
/// Like parse_scalar, but throws a TypeError that names `argument` for other objects.
Scalar require_scalar(const char* argument, PyObject* object);
/// Returns the Python scalar of the element's kind.
[[nodiscard]] PyObject* to_python(const Element& value, Dtype type);

/// Returns the numpy.dtype instance; borrowed. That of bfloat16 is imported from ml_dtypes: throws
/// a DtypeError if that is not installed.
[[nodiscard]] PyObject* dtype_object(Dtype type);
/// Returns the dtype of a numpy.dtype instance; empty for one that skerry does not have, or in
/// another byte order.
[[nodiscard]] std::optional<Dtype> numpy_dtype(PyObject* descriptor);
/// Returns the dtype of a NumPy scalar, such as numpy.float32(1.5); empty for other objects.
[[nodiscard]] std::optional<Dtype> numpy_scalar_dtype(PyObject* object) noexcept;
/// Parses `dtype=`: one of the instances, or anything that numpy.dtype() converts to one. Throws a
/// DtypeError that lists the supported dtypes, or says how to install what bfloat16 needs.
[[nodiscard]] Dtype parse_dtype(PyObject* object);
[[nodiscard]] std::optional<Dtype> parse_optional_dtype(PyObject* object);
/// Formats an object for a message: its repr(), but a description for arrays and for containers,
/// which may hold arrays, so that no elements are read.
[[nodiscard]] std::string shown(PyObject* object);
/// Returns a borrowed reference to the numpy module.
[[nodiscard]] PyObject* numpy() noexcept;
[[nodiscard]] bool is_numpy_array(PyObject* object) noexcept;
[[nodiscard]] bool is_numpy_array_exactly(PyObject* object) noexcept;  ///< no subclass
/// True for numpy.ndarray and numpy.memmap, an ndarray over a file, but no other subclass.
[[nodiscard]] bool is_base_numpy_array(PyObject* object) noexcept;
[[nodiscard]] bool is_numpy_scalar(PyObject* object) noexcept;

/// Converts an int, clamped to int64. TypeError for anything without `__index__`, and for an Array,
/// whose device must be checked: see value_args.hpp.
[[nodiscard]] std::int64_t clamped_integer(PyObject* object);
[[nodiscard]] bool boolean(PyObject* object, bool default_value);
/// Empty if the argument is None or absent.
[[nodiscard]] std::optional<bool> optional_boolean(PyObject* object);

}  // namespace skerry::python
