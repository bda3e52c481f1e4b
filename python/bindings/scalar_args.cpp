// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/scalar_args.hpp"

#include <cmath>
#include <string>

#include "core/errors.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/scalar_objects.hpp"

namespace skerry::python {
namespace {

PyObject* numpy_module = nullptr;
PyTypeObject* numpy_array = nullptr;
PyTypeObject* numpy_memmap = nullptr;
PyTypeObject* numpy_generic = nullptr;
PyTypeObject* numpy_bool = nullptr;
PyTypeObject* numpy_integer = nullptr;
PyTypeObject* numpy_timedelta = nullptr;
PyTypeObject* numpy_floating = nullptr;
PyTypeObject* numpy_complex = nullptr;
PyObject* dtype_objects[dtype_count] = {};
PyObject* scalar_types[dtype_count] = {};  // numpy.float32 and so on
PyObject* dtype_names[dtype_count] = {};   // "float32" and so on, the string that literals are

PyTypeObject* numpy_class(const char* name) {
  return reinterpret_cast<PyTypeObject*>(
      Object(PyObject_GetAttrString(numpy_module, name)).release());
}

Parsed parse_large_integer(PyObject* from, int sign, Scalar& to) noexcept {
  if (sign > 0) {
    const unsigned long long value = PyLong_AsUnsignedLongLong(from);
    if (!PyErr_Occurred()) {
      to = Scalar::of_unsigned(value);
      return Parsed::yes;
    }
    PyErr_Clear();
  }
  double nearest = PyLong_AsDouble(from);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    nearest = sign * HUGE_VAL;
  }
  to = Scalar::of_out_of_range(nearest);
  return Parsed::yes;
}

Parsed parse_integer(PyObject* from, Scalar& to) noexcept {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(from, &overflow);
  if (overflow != 0) return parse_large_integer(from, overflow, to);
  if (value == -1 && PyErr_Occurred()) return Parsed::error;
  to = Scalar::of(static_cast<std::int64_t>(value));
  return Parsed::yes;
}

Parsed parse_index(PyObject* from, Scalar& to) noexcept {
  PyObject* number = PyNumber_Index(from);
  if (number == nullptr) return Parsed::error;
  const Parsed result = parse_integer(number, to);
  Py_DECREF(number);
  return result;
}

Parsed parse_real(PyObject* from, Scalar& to) noexcept {
  const double value = PyFloat_AsDouble(from);
  if (value == -1.0 && PyErr_Occurred()) return Parsed::error;
  to = Scalar::of(value);
  return Parsed::yes;
}

Parsed parse_complex(PyObject* from, Scalar& to) noexcept {
  const Py_complex value = PyComplex_AsCComplex(from);
  if (value.real == -1.0 && PyErr_Occurred()) return Parsed::error;
  to = Scalar::of(value.real, value.imag);
  return Parsed::yes;
}

Parsed parse_numpy_scalar(PyObject* from, Scalar& to) noexcept {
  if (PyObject_TypeCheck(from, numpy_bool)) {
    to = Scalar::of(PyObject_IsTrue(from) == 1);
    return Parsed::yes;
  }
  if (PyObject_TypeCheck(from, numpy_integer)) {
    // To NumPy a time span is an integer.
    return PyObject_TypeCheck(from, numpy_timedelta) ? Parsed::no : parse_index(from, to);
  }
  if (PyObject_TypeCheck(from, numpy_floating)) return parse_real(from, to);
  if (PyObject_TypeCheck(from, numpy_complex)) return parse_complex(from, to);
  return Parsed::no;
}

std::string all_names() {
  std::string text;
  for (const DtypeInfo& each : dtype_infos) {
    if (!text.empty()) text += ", ";
    text += each.name;
  }
  return text;
}

[[noreturn]] void reject_dtype(const char* op, PyObject* from) {
  throw DtypeError(std::string(op) + ": not a dtype of skerry: " + shown(from) + "; there are " +
                   all_names());
}

}  // namespace

void prepare_scalars() {
  numpy_module = Object(PyImport_ImportModule("numpy")).release();
  numpy_array = numpy_class("ndarray");
  numpy_memmap = numpy_class("memmap");
  numpy_generic = numpy_class("generic");
  numpy_bool = numpy_class("bool_");
  numpy_integer = numpy_class("integer");
  numpy_timedelta = numpy_class("timedelta64");
  numpy_floating = numpy_class("floating");
  numpy_complex = numpy_class("complexfloating");
  for (int i = 0; i < dtype_count; ++i) {
    dtype_names[i] = PyUnicode_InternFromString(dtype_infos[static_cast<std::size_t>(i)].name);
    dtype_objects[i] =
        Object(PyObject_CallMethod(numpy_module, "dtype", "O", dtype_names[i])).release();
    scalar_types[i] = Object(PyObject_GetAttrString(dtype_objects[i], "type")).release();
  }
}

std::string shown(PyObject* from) {
  if (is_array(from)) return describe(value_of(from));
  if (PyTuple_Check(from) || PyList_Check(from) || PyDict_Check(from))
    return "a " + type_name(from);
  const Object text(PyObject_Repr(from));
  return utf8(text.get());
}

PyObject* numpy() noexcept { return numpy_module; }
bool is_numpy_array(PyObject* what) noexcept { return PyObject_TypeCheck(what, numpy_array) != 0; }
bool is_numpy_array_exactly(PyObject* what) noexcept { return Py_TYPE(what) == numpy_array; }
bool is_plain_numpy_array(PyObject* what) noexcept {
  return Py_TYPE(what) == numpy_array || Py_TYPE(what) == numpy_memmap;
}
bool is_numpy_scalar(PyObject* what) noexcept {
  return PyObject_TypeCheck(what, numpy_generic) != 0;
}

Parsed parse_scalar(PyObject* from, Scalar& to) noexcept {
  if (PyFloat_Check(from)) {
    to = Scalar::of(PyFloat_AS_DOUBLE(from));
    return Parsed::yes;
  }
  if (PyBool_Check(from)) {
    to = Scalar::of(from == Py_True);
    return Parsed::yes;
  }
  if (PyLong_Check(from)) return parse_integer(from, to);
  if (PyComplex_Check(from)) return parse_complex(from, to);
  if (PyObject_TypeCheck(from, numpy_generic)) return parse_numpy_scalar(from, to);
  // Other libraries' arrays have __index__ too; an array is never taken for a scalar.
  if (!PyIndex_Check(from) || is_numpy_array(from) || PyObject_HasAttrString(from, "__dlpack__") ||
      PyObject_HasAttrString(from, "__array__")) {
    return Parsed::no;
  }
  return parse_index(from, to);
}

Scalar require_scalar(const char* op, const char* argument, PyObject* from) {
  Scalar value;
  const Parsed result = parse_scalar(from, value);
  if (result == Parsed::error) throw PythonError{};
  if (result == Parsed::no) {
    throw DtypeError(std::string(op) + ": " + argument + " must be a Python scalar, not " +
                     Py_TYPE(from)->tp_name);
  }
  return value;
}

PyObject* to_python(const Element& value, Dtype type) {
  return visit(type, [&]<class T>(type_identity<T>) -> PyObject* {
    return to_python<T>(reinterpret_cast<const char*>(value.bytes));
  });
}

PyObject* dtype_object(Dtype type) noexcept { return dtype_objects[static_cast<int>(type)]; }

std::optional<Dtype> numpy_scalar_dtype(PyObject* from) noexcept {
  const auto* type = reinterpret_cast<PyObject*>(Py_TYPE(from));
  for (int i = 0; i < dtype_count; ++i) {
    if (scalar_types[i] == type) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

Dtype parse_dtype(const char* op, PyObject* from) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_objects[i] == from || scalar_types[i] == from || dtype_names[i] == from) {
      return static_cast<Dtype>(i);
    }
  }
  if (from == reinterpret_cast<PyObject*>(&PyFloat_Type)) return Dtype::float64;
  if (from == reinterpret_cast<PyObject*>(&PyLong_Type)) return Dtype::int64;
  if (from == reinterpret_cast<PyObject*>(&PyBool_Type)) return Dtype::bool_;
  if (from == reinterpret_cast<PyObject*>(&PyComplex_Type)) return Dtype::complex128;
  // NumPy would show the items of a list in an error, and so read arrays.
  const bool is_none = from == Py_None || is_array(from) || PyList_Check(from) ||
                       PyTuple_Check(from) || PyDict_Check(from);
  PyObject* made = is_none ? nullptr : PyObject_CallMethod(numpy_module, "dtype", "O", from);
  if (made == nullptr) {
    PyErr_Clear();
    reject_dtype(op, from);
  }
  const Object held(made);
  const Object text(PyObject_GetAttrString(made, "str"));
  const std::optional<Dtype> found = parse_typestr(PyUnicode_AsUTF8(text.get()));
  if (!found) reject_dtype(op, from);
  return *found;
}

std::optional<Dtype> parse_optional_dtype(const char* op, PyObject* from) {
  if (from == nullptr || from == Py_None) return std::nullopt;
  return parse_dtype(op, from);
}

std::int64_t clamped_integer(PyObject* from) {
  if (is_array(from)) [[unlikely]]
    throw DtypeError("an int is needed, not " + describe(value_of(from)));
  const Py_ssize_t value = PyNumber_AsSsize_t(from, nullptr);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

bool truth(PyObject* from, bool absent) {
  if (from == nullptr) return absent;
  const int value = PyObject_IsTrue(from);
  if (value < 0) throw PythonError{};
  return value != 0;
}

std::optional<bool> optional_truth(PyObject* from) {
  if (from == nullptr || from == Py_None) return std::nullopt;
  return truth(from, false);
}

}  // namespace skerry::python
