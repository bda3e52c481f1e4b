// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace skerry::python {

/// Finds NumPy's classes and the dtypes; throws PythonError.
void prepare_scalars();

enum class Parsed : signed char { error = -1, no = 0, yes = 1 };

/// Reads a Python scalar: bool, int of any size, float, complex, a NumPy scalar of those kinds
/// (which counts as the Python scalar of its kind, without a dtype of its own), or an object with
/// `__index__` that is no array. `error` leaves a Python error.
Parsed parse_scalar(PyObject* object, Scalar& scalar) noexcept;
/// The same, where nothing else will do. Throws DtypeError that names `argument`.
Scalar require_scalar(const char* argument, PyObject* object);
/// The Python scalar of the element's kind.
[[nodiscard]] PyObject* to_python(const Element& value, Dtype type);

/// The numpy.dtype instance; borrowed.
[[nodiscard]] PyObject* dtype_object(Dtype type) noexcept;
/// The dtype of a NumPy scalar, such as numpy.float32(1.5); nothing for other objects.
[[nodiscard]] std::optional<Dtype> numpy_scalar_dtype(PyObject* object) noexcept;
/// Reads what `dtype=` may be: one of the instances, or anything that numpy.dtype() makes one of
/// them from. Throws DtypeError that lists the dtypes.
[[nodiscard]] Dtype parse_dtype(PyObject* object);
[[nodiscard]] std::optional<Dtype> parse_optional_dtype(PyObject* object);
/// An object in a message: as its repr(), but for arrays, whose elements are not read for it, and
/// what may hold them.
[[nodiscard]] std::string shown(PyObject* object);
/// Borrowed reference to the numpy module.
[[nodiscard]] PyObject* numpy() noexcept;
[[nodiscard]] bool is_numpy_array(PyObject* object) noexcept;
[[nodiscard]] bool is_numpy_array_exactly(PyObject* object) noexcept;  ///< no subclass
/// No subclass but numpy.memmap, which is the same over a file.
[[nodiscard]] bool is_base_numpy_array(PyObject* object) noexcept;
[[nodiscard]] bool is_numpy_scalar(PyObject* object) noexcept;

/// An int; TypeError for anything without `__index__`, and for an Array, which has a device: see
/// value_args.hpp. Out of int64: clamped.
[[nodiscard]] std::int64_t clamped_integer(PyObject* object);
[[nodiscard]] bool boolean(PyObject* object, bool default_value);
/// None or absent: empty.
[[nodiscard]] std::optional<bool> optional_boolean(PyObject* object);

}  // namespace skerry::python
