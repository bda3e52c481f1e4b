// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/asarray.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/registry.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/sequence.hpp"

namespace skerry::python {
namespace {

/// Returns an attribute, or nothing if it does not exist. Exceptions of a property other than
/// AttributeError propagate: they do not mean that the protocol is unsupported.
std::optional<Object> optional_attribute(PyObject* object, const char* name) {
  PyObject* attribute = PyObject_GetAttrString(object, name);
  if (attribute != nullptr) return Object(attribute);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError{};
  PyErr_Clear();
  return std::nullopt;
}

bool has(PyObject* object, const char* name) {
  return optional_attribute(object, name).has_value();
}

/// Head of a numpy.ndarray: PyArrayObject_fields, part of the ABI of NumPy 1 and 2.
struct NumpyArrayHead {
  PyObject_HEAD void* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;  ///< as in ArrayStruct, except that the dtype has the byte order
};

/// Shares the memory of a numpy.ndarray, read from the object itself without validation. Empty if a
/// copy is required. Avoids the buffer protocol, for which NumPy writes a format string and which
/// rejects bfloat16, and `__array_struct__`, for which NumPy creates a capsule.
std::optional<NdArray> from_array_head(PyObject* object, Device device) {
  const auto* about = reinterpret_cast<const NumpyArrayHead*>(object);
  if ((about->flags & flag_aligned) == 0) return std::nullopt;
  const std::optional<Dtype> type = numpy_dtype(about->dtype);
  if (!type) return std::nullopt;
  const auto rank = static_cast<std::size_t>(about->rank);
  Dims shape(std::span<const std::int64_t>(about->shape, rank));
  Dims strides(std::span<const std::int64_t>(about->strides, rank));
  return adopt_view(device, about->data, std::move(shape), std::move(strides), *type,
                    (about->flags & flag_writeable) == 0, Py_NewRef(object), drop_reference);
}

/// Throws TypeError for masked arrays and matrices. Called only for subclasses of numpy.ndarray.
void reject_special_array(PyObject* object) {
  const Object masks(PyObject_GetAttrString(numpy(), "ma"));
  const Object masked(PyObject_GetAttrString(masks.get(), "MaskedArray"));
  if (PyObject_IsInstance(object, masked.get()) == 1) {
    throw TypeError(
        "masked arrays are not supported, as the mask would be lost; fill it with "
        "x.filled(value), or convert x.data and numpy.ma.getmaskarray(x) separately");
  }
  const Object matrix(PyObject_GetAttrString(numpy(), "matrix"));
  if (PyObject_IsInstance(object, matrix.get()) == 1) {
    throw TypeError(
        "numpy.matrix is not supported, as its operators differ; convert "
        "numpy.asarray(x)");
  }
}

/// Returns the remedy for a dtype that skerry doesn't have, by its NumPy kind.
std::string remedy_for(char kind, bool has_fields) {
  switch (kind) {
    case 'f':
    case 'c':
      return "pass dtype= to convert it";
    case 'V':
      if (has_fields) return "convert the fields one by one: x[\"name\"]";
      // Numbers of ml_dtypes such as float8_e4m3fn have this kind, too.
      return "convert numbers with x.astype(dtype) first, raw bytes with x.view(dtype)";
    case 'M':
    case 'm':
      return "convert the integers in it: x.view(\"int64\")";
    case 'O':
      return "it holds Python objects; convert it with x.astype(dtype) first";
    default:
      return "text can't be converted to numbers";
  }
}

[[noreturn]] void reject_numpy_dtype(PyObject* type, char kind) {
  const Object text(PyObject_Str(type));
  const Object names(PyObject_GetAttrString(type, "names"));
  throw DtypeError(std::string("unsupported dtype: ") + PyUnicode_AsUTF8(text.get()) + "; " +
                   remedy_for(kind, names.get() != Py_None));
}

/// Returns the NumPy dtype for a copy that skerry supports: in native byte order; float64 or
/// complex128 instead of (c)longdouble, which requires an explicit dtype=.
Object convertible_dtype(const Conversion& conversion, PyObject* descriptor) {
  const Object kind_character(PyObject_GetAttrString(descriptor, "kind"));
  const char kind = *PyUnicode_AsUTF8(kind_character.get());
  Object native(PyObject_CallMethod(descriptor, "newbyteorder", "s", "="));
  if (numpy_dtype(native.get())) return native;
  if ((kind != 'f' && kind != 'c') || !conversion.type) reject_numpy_dtype(descriptor, kind);
  return Object::borrow(dtype_object(kind == 'c' ? Dtype::complex128 : Dtype::float64));
}

Device requested_device(const Conversion& conversion) {
  return conversion.device ? *conversion.device : default_device();
}

/// Host memory of other libraries is imported on whichever CPU device is requested.
Device host_device_of(Device device) { return is_host(device) ? device : Device{}; }

NdArray from_numpy_array(Conversion conversion, PyObject* object, bool is_copy) {
  conversion.device = requested_device(conversion);
  NumpyMemory memory = take_numpy_array(conversion, object, host_device_of(*conversion.device));
  return convert(conversion, std::move(memory.array), memory.is_copy || is_copy);
}

/// Imports by `__array_struct__`, `__array_interface__`, the buffer protocol or `__array__`, in
/// NumPy's order and with its checks, as numpy.array does the work.
NdArray from_array_like(const Conversion& conversion, PyObject* object) {
  if (const auto about = optional_attribute(object, "__array_interface__")) {
    if (PyDict_Check(about->get())) {
      const Object mask = dictionary_value(about->get(), "mask");
      if (mask.get() != nullptr && mask.get() != Py_None) {
        throw NotImplementedError(
            "masked arrays are not supported, as the mask would be lost; fill it, or "
            "convert data and mask separately");
      }
    }
  }
  const Object function(PyObject_GetAttrString(numpy(), "array"));
  const Object positional(PyTuple_Pack(1, object));
  PyObject* copied = conversion.copied ? (*conversion.copied ? Py_True : Py_False) : Py_None;
  const Object keywords(Py_BuildValue("{s:O}", "copy", copied));
  const Object host(PyObject_Call(function.get(), positional.get(), keywords.get()));
  return from_numpy_array(conversion, host.get(), conversion.copied == true);
}

NdArray from_buffer_object(Conversion conversion, PyObject* object) {
  const Device device = requested_device(conversion);
  if (auto shared = from_buffer(object, host_device_of(device))) {
    conversion.device = device;
    return convert(conversion, std::move(*shared), false);
  }
  return from_array_like(conversion, object);
}

NdArray from_dlpack_producer(Conversion conversion, PyObject* object) {
  const bool to_host = conversion.device && is_host(*conversion.device);
  NdArray array;
  try {
    // With copy=True, skerry makes the copy itself; a second one by the producer is not needed.
    array =
        from_capsule(object, conversion.copied == true ? std::nullopt : conversion.copied, to_host);
  } catch (const PythonError&) {
    if (conversion.copied != false || PyErr_ExceptionMatches(PyExc_BufferError) == 0 ||
        PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
      throw;
    }
    PyErr_Clear();
    throw InterchangeError("copy=False, but " + type_name(object) +
                           " can export its elements only by a copy");
  }
  if (is_host(array.device())) {
    conversion.device = requested_device(conversion);
    if (is_host(*conversion.device) && *conversion.device != array.device()) {
      array = rehome(std::move(array), *conversion.device);
    }
  }
  return convert(conversion, std::move(array), false);
}

void require_copy(const Conversion& conversion) {
  if (conversion.copied != false) return;
  throw InterchangeError("copy=False, but Python scalars and sequences are always copied");
}

/// Converts a scalar. NumPy scalars keep their dtype, as no array determines it.
NdArray from_scalar(Conversion conversion, PyObject* object, const Scalar& value) {
  if (!conversion.type && is_numpy_scalar(object)) {
    conversion.type = numpy_scalar_dtype(object);
    if (!conversion.type) {
      const Object descriptor(PyObject_GetAttrString(object, "dtype"));
      const Object nearest = convertible_dtype(conversion, descriptor.get());
      conversion.type = parse_dtype(nearest.get());
    }
  }
  require_copy(conversion);
  return from_number(value, conversion.type, requested_device(conversion));
}

[[noreturn]] void reject_object(PyObject* object) {
  throw TypeError("not an array, a number or a sequence of them: " + type_name(object));
}

NdArray from_foreign(const Conversion& conversion, PyObject* object) {
  if (is_numpy_array(object)) return from_numpy_array(conversion, object, false);
  if (PyCapsule_CheckExact(object) ||
      has(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dlpack_c_exchange_api__")) {
    return from_dlpack_producer(conversion, object);
  }
  // Interfaces older than version 3 carry no stream, so DLPack is preferred then.
  const auto interface = read_cuda_interface(object);
  if (interface && (interface->version >= 3 || !has(object, "__dlpack__"))) {
    return convert(conversion, from_cuda_interface(*interface, object), false);
  }
  if (has(object, "__dlpack__")) {
    try {
      return from_dlpack_producer(conversion, object);
    } catch (const PythonError&) {
      // The producer may support more by __cuda_array_interface__ than by DLPack (PyTorch: memory
      // on a device that is not the current one).
      if (!interface || PyErr_ExceptionMatches(PyExc_BufferError) == 0) throw;
      PyErr_Clear();
    }
    return convert(conversion, from_cuda_interface(*interface, object), false);
  }
  if (PyObject_CheckBuffer(object) && !is_numpy_scalar(object))
    return from_buffer_object(conversion, object);
  if (!is_numpy_scalar(object) &&
      (has(object, "__array_struct__") || has(object, "__array_interface__") ||
       has(object, "__array__"))) {
    return from_array_like(conversion, object);
  }
  reject_object(object);
}

}  // namespace

NdArray share_numpy_array(const char* argument, PyObject* object) {
  if (is_base_numpy_array(object)) {
    if (auto shared = from_array_head(object, Device{})) return std::move(*shared);
  } else {
    reject_special_array(object);
    throw TypeError(std::string(argument) + " is a " + type_name(object) +
                    ", a subclass of numpy.ndarray whose operators may differ; "
                    "convert it with skerry.asarray");
  }
  const Object descriptor(PyObject_GetAttrString(object, "dtype"));
  const Conversion as_is{.type = {}, .device = {}, .copied = {}};
  static_cast<void>(convertible_dtype(as_is, descriptor.get()));  // throws for unsupported dtypes
  const Object text(PyObject_Repr(descriptor.get()));
  throw DtypeError(std::string(argument) +
                   " is a numpy.ndarray whose byte order or alignment requires a copy: " +
                   utf8(text.get()) + "; use skerry.asarray");
}

NdArray convert(const Conversion& conversion, NdArray array, bool is_copy) {
  const Dtype type = conversion.type.value_or(array.dtype());
  const Device device = conversion.device.value_or(array.device());
  const bool changes = type != array.dtype() || device != array.device();
  if (changes && conversion.copied == false) {
    throw InterchangeError("copy=False, but " + describe(array) + " can't be converted to " +
                           name(type) + " on " + to_string(device) + " without a copy");
  }
  const WithoutGil working(array.size() > min_size_without_gil || device != array.device());
  if (!changes) return conversion.copied == true && !is_copy ? copy(array) : std::move(array);
  if (device == array.device()) return astype(array, type, false);
  return to_device(astype(array, type, false), device);
}

NumpyMemory take_numpy_array(const Conversion& conversion, PyObject* object, Device host_device) {
  if (is_numpy_array_exactly(object)) {
    if (auto shared = from_array_head(object, host_device)) return {std::move(*shared), false};
  } else {
    reject_special_array(object);
  }
  if (auto shared = from_buffer(object, host_device)) return {std::move(*shared), false};
  if (auto shared = from_array_head(object, host_device)) return {std::move(*shared), false};
  const Object descriptor(PyObject_GetAttrString(object, "dtype"));
  const Object type = convertible_dtype(conversion, descriptor.get());
  if (conversion.copied == false) {
    const Object text(PyObject_Repr(descriptor.get()));
    throw InterchangeError(
        std::string("copy=False, but the dtype, byte order or alignment of the data "
                    "requires a copy: ") +
        PyUnicode_AsUTF8(text.get()));
  }
  const Object function(PyObject_GetAttrString(numpy(), "array"));
  const Object positional(PyTuple_Pack(2, object, type.get()));
  const Object keywords(Py_BuildValue("{s:O,s:s}", "copy", Py_True, "order", "C"));
  const Object dense(PyObject_Call(function.get(), positional.get(), keywords.get()));
  auto array = from_array_head(dense.get(), host_device);
  if (!array) throw InterchangeError("the data can't be read by NumPy");
  return {std::move(*array), true};
}

PyObject* as_array(const Conversion& conversion, PyObject* object) {
  if (is_array(object)) {
    const NdArray& x = value_of(object);
    const bool same = conversion.type.value_or(x.dtype()) == x.dtype() &&
                      conversion.device.value_or(x.device()) == x.device();
    if (same && conversion.copied != true) return Py_NewRef(object);
    return wrap(convert(conversion, x, false));
  }
  if (!conversion.device) {
    if (const std::optional<Device> usual = find_default_device()) require(*usual);
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    require_copy(conversion);
    return wrap(from_sequence(object, conversion.type, conversion.device));
  }
  Scalar value;
  const Parsed number = parse_scalar(object, value);
  if (number == Parsed::error) return nullptr;
  if (number == Parsed::yes) return wrap(from_scalar(conversion, object, value));
  if (is_other_sequence(object)) {
    require_copy(conversion);
    return wrap(from_sequence(object, conversion.type, conversion.device));
  }
  return wrap(from_foreign(conversion, object));
}

}  // namespace skerry::python
