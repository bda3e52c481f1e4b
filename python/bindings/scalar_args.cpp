// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/scalar_args.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/foreign.hpp"
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
// Null until the first use for bfloat16, whose objects are of the package ml_dtypes.
std::atomic<PyObject*> dtype_objects[dtype_count] = {};
std::atomic<PyObject*> scalar_types[dtype_count] = {};  // numpy.float32 and so on
PyObject* dtype_names[dtype_count] = {};  // "float32" and so on, interned like literals

PyTypeObject* numpy_class(const char* name) {
  return reinterpret_cast<PyTypeObject*>(
      Object(PyObject_GetAttrString(numpy_module, name)).release());
}

Parsed parse_large_integer(PyObject* object, int sign, Scalar& scalar) noexcept {
  if (sign > 0) {
    const unsigned long long value = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) {
      scalar = Scalar::of_unsigned(value);
      return Parsed::yes;
    }
    PyErr_Clear();
  }
  double nearest = PyLong_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    nearest = sign * HUGE_VAL;
  }
  scalar = Scalar::of_out_of_range(nearest);
  return Parsed::yes;
}

Parsed parse_integer(PyObject* object, Scalar& scalar) noexcept {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return parse_large_integer(object, overflow, scalar);
  if (value == -1 && PyErr_Occurred()) return Parsed::error;
  scalar = Scalar::from_value(static_cast<std::int64_t>(value));
  return Parsed::yes;
}

Parsed parse_index(PyObject* object, Scalar& scalar) noexcept {
  PyObject* number = PyNumber_Index(object);
  if (number == nullptr) return Parsed::error;
  const Parsed result = parse_integer(number, scalar);
  Py_DECREF(number);
  return result;
}

Parsed parse_real(PyObject* object, Scalar& scalar) noexcept {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) return Parsed::error;
  scalar = Scalar::from_value(value);
  return Parsed::yes;
}

Parsed parse_complex(PyObject* object, Scalar& scalar) noexcept {
  const Py_complex value = PyComplex_AsCComplex(object);
  if (value.real == -1.0 && PyErr_Occurred()) return Parsed::error;
  scalar = Scalar::from_value(value.real, value.imag);
  return Parsed::yes;
}

Parsed parse_numpy_scalar(PyObject* object, Scalar& scalar) noexcept {
  if (PyObject_TypeCheck(object, numpy_bool)) {
    scalar = Scalar::from_value(PyObject_IsTrue(object) == 1);
    return Parsed::yes;
  }
  if (PyObject_TypeCheck(object, numpy_integer)) {
    // numpy.timedelta64 is a subclass of numpy.integer.
    return PyObject_TypeCheck(object, numpy_timedelta) ? Parsed::no : parse_index(object, scalar);
  }
  if (PyObject_TypeCheck(object, numpy_floating)) return parse_real(object, scalar);
  if (PyObject_TypeCheck(object, numpy_complex)) return parse_complex(object, scalar);
  return numpy_scalar_dtype(object) == Dtype::bfloat16 ? parse_real(object, scalar) : Parsed::no;
}

void store(Dtype type, PyObject* descriptor) {
  const auto i = static_cast<std::size_t>(type);
  scalar_types[i].store(Object(PyObject_GetAttrString(descriptor, "type")).release());
  dtype_objects[i].store(Py_NewRef(descriptor));
}

/// Imports ml_dtypes. Throws a DtypeError if it is not installed.
void prepare_bfloat16() {
  PyObject* const package = PyImport_ImportModule("ml_dtypes");
  if (package == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_ImportError) == 0) throw PythonError{};
    PyErr_Clear();
    throw DtypeError(
        "bfloat16 needs the package ml_dtypes, which has its dtype for NumPy; install it: pip "
        "install ml_dtypes");
  }
  const Object module(package);
  const Object scalar_type(PyObject_GetAttrString(module.get(), name(Dtype::bfloat16)));
  store(Dtype::bfloat16,
        Object(PyObject_CallMethod(numpy_module, "dtype", "O", scalar_type.get())).get());
}

/// True if an object can be of ml_dtypes: while that is not imported, there are none.
bool is_ml_dtypes_imported() noexcept {
  PyObject* const modules = PyImport_GetModuleDict();
  return PyDict_GetItemString(modules, "ml_dtypes") != nullptr;
}

std::string all_names() {
  std::string text;
  for (const DtypeInfo& dtype_info : dtype_infos) {
    if (!text.empty()) text += ", ";
    text += dtype_info.name;
  }
  return text;
}

/// Rejects a dtype. Names skerry's for one of another library, such as torch.float32.
[[noreturn]] void reject_dtype(PyObject* object) {
  const std::string text = shown(object);
  const std::string last_name = text.substr(text.rfind('.') + 1);
  for (const DtypeInfo& dtype_info : dtype_infos) {
    if (last_name == dtype_info.name && last_name != text) {
      throw DtypeError(std::string("unsupported dtype: ")
                           .append(text)
                           .append("; use skerry.")
                           .append(last_name));
    }
  }
  throw DtypeError("unsupported dtype: " + text + "; supported are " + all_names());
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
    if (static_cast<Dtype>(i) == Dtype::bfloat16) continue;
    const Object descriptor(PyObject_CallMethod(numpy_module, "dtype", "O", dtype_names[i]));
    store(static_cast<Dtype>(i), descriptor.get());
  }
}

std::string shown(PyObject* object) {
  if (is_array(object)) return describe(value_of(object));
  if (PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object))
    return "a " + type_name(object);
  const Object text(PyObject_Repr(object));
  return utf8(text.get());
}

PyObject* numpy() noexcept { return numpy_module; }
bool is_numpy_array(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, numpy_array) != 0;
}
bool is_numpy_array_exactly(PyObject* object) noexcept { return Py_TYPE(object) == numpy_array; }
bool is_base_numpy_array(PyObject* object) noexcept {
  return Py_TYPE(object) == numpy_array || Py_TYPE(object) == numpy_memmap;
}
bool is_numpy_scalar(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, numpy_generic) != 0;
}

Parsed parse_scalar(PyObject* object, Scalar& scalar) noexcept {
  if (PyFloat_Check(object)) {
    scalar = Scalar::from_value(PyFloat_AS_DOUBLE(object));
    return Parsed::yes;
  }
  if (PyBool_Check(object)) {
    scalar = Scalar::from_value(object == Py_True);
    return Parsed::yes;
  }
  if (PyLong_Check(object)) return parse_integer(object, scalar);
  if (PyComplex_Check(object)) return parse_complex(object, scalar);
  if (PyObject_TypeCheck(object, numpy_generic)) return parse_numpy_scalar(object, scalar);
  // Arrays of other libraries also have __index__, but must not be treated as scalars.
  if (!PyIndex_Check(object) || is_numpy_array(object) ||
      PyObject_HasAttrString(object, "__dlpack__") || PyObject_HasAttrString(object, "__array__")) {
    return Parsed::no;
  }
  return parse_index(object, scalar);
}

Scalar require_scalar(const char* argument, PyObject* object) {
  Scalar value;
  const Parsed result = parse_scalar(object, value);
  if (result == Parsed::error) throw PythonError{};
  if (result == Parsed::no) {
    throw TypeError(std::string(argument) + " must be a Python scalar, not " +
                    Py_TYPE(object)->tp_name);
  }
  return value;
}

PyObject* to_python(const Element& value, Dtype type) {
  return visit(type, [&]<class T>(type_identity<T>) -> PyObject* {
    return to_python<T>(reinterpret_cast<const char*>(value.bytes));
  });
}

PyObject* dtype_object(Dtype type) {
  const std::atomic<PyObject*>& descriptor = dtype_objects[static_cast<std::size_t>(type)];
  if (descriptor.load() == nullptr) prepare_bfloat16();
  return descriptor.load();
}

std::optional<Dtype> numpy_scalar_dtype(PyObject* object) noexcept {
  const auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  for (int i = 0; i < dtype_count; ++i) {
    if (scalar_types[i].load() == type) return static_cast<Dtype>(i);
  }
  const bool may_be_bfloat16 = scalar_types[static_cast<int>(Dtype::bfloat16)].load() == nullptr &&
                               is_numpy_scalar(object) && is_ml_dtypes_imported();
  if (!may_be_bfloat16) return std::nullopt;
  try {
    prepare_bfloat16();
    return numpy_scalar_dtype(object);
  } catch (const PythonError&) {
    PyErr_Clear();                   // ml_dtypes is not imported completely
  } catch (const std::exception&) {  // the same, or no memory
  }
  return std::nullopt;
}

std::optional<Dtype> numpy_dtype(PyObject* descriptor) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_objects[i].load() == descriptor) return static_cast<Dtype>(i);
  }
  const Object text(PyObject_GetAttrString(descriptor, "str"));
  const std::optional<Dtype> type = parse_typestr(utf8(text.get()));
  if (type != Dtype::bfloat16) return type;
  // Another package's dtype of two bytes may have the same type string.
  const Object dtype_name(PyObject_GetAttrString(descriptor, "name"));
  if (std::string_view(utf8(dtype_name.get())) != name(Dtype::bfloat16)) return std::nullopt;
  return type;
}

Dtype parse_dtype(PyObject* object) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_objects[i].load() == object || scalar_types[i].load() == object) {
      return static_cast<Dtype>(i);
    }
    if (dtype_names[i] != object) continue;
    static_cast<void>(dtype_object(static_cast<Dtype>(i)));  // throws if it can't be had
    return static_cast<Dtype>(i);
  }
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return Dtype::float64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return Dtype::int64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return Dtype::bool_;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return Dtype::complex128;
  // NumPy knows bfloat16 by name only while ml_dtypes is imported.
  if (PyUnicode_Check(object) &&
      PyUnicode_CompareWithASCIIString(object, name(Dtype::bfloat16)) == 0) {
    static_cast<void>(dtype_object(Dtype::bfloat16));
    return Dtype::bfloat16;
  }
  // numpy.dtype() formats the items of a list in its error, which would read arrays.
  const bool is_none = object == Py_None || is_array(object) || PyList_Check(object) ||
                       PyTuple_Check(object) || PyDict_Check(object);
  PyObject* descriptor =
      is_none ? nullptr : PyObject_CallMethod(numpy_module, "dtype", "O", object);
  if (descriptor == nullptr) {
    PyErr_Clear();
    const std::optional<Dtype> dtype = dtype_by_dlpack(object);
    if (!dtype) reject_dtype(object);
    static_cast<void>(dtype_object(*dtype));  // throws if bfloat16 lacks ml_dtypes
    return *dtype;
  }
  const Object reference(descriptor);
  const std::optional<Dtype> dtype = numpy_dtype(descriptor);
  if (!dtype) reject_dtype(object);
  return *dtype;
}

std::optional<Dtype> parse_optional_dtype(PyObject* object) {
  if (object == nullptr || object == Py_None) return std::nullopt;
  return parse_dtype(object);
}

std::int64_t clamped_integer(PyObject* object) {
  if (is_array(object)) [[unlikely]]
    throw TypeError("an int is required, not " + describe(value_of(object)));
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

bool boolean(PyObject* object, bool default_value) {
  if (object == nullptr) return default_value;
  const int value = PyObject_IsTrue(object);
  if (value < 0) throw PythonError{};
  return value != 0;
}

std::optional<bool> optional_boolean(PyObject* object) {
  if (object == nullptr || object == Py_None) return std::nullopt;
  return boolean(object, false);
}

}  // namespace skerry::python
