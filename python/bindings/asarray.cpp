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
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/sequence.hpp"

namespace skerry::python {
namespace {

/// An attribute, or nothing where there is none. What a property raises, other than AttributeError,
/// is the caller's to see: "not supported" it does not mean.
std::optional<Object> optional_attribute(PyObject* from, const char* name) {
  PyObject* found = PyObject_GetAttrString(from, name);
  if (found != nullptr) return Object(found);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError{};
  PyErr_Clear();
  return std::nullopt;
}

bool has(PyObject* from, const char* name) { return optional_attribute(from, name).has_value(); }

std::optional<Dtype> dtype_of(char kind, std::int64_t width) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    if (info(type).typestr[1] == kind && itemsize(type) == width) return type;
  }
  return std::nullopt;
}

/// What a numpy.ndarray begins with: PyArrayObject_fields, part of NumPy's ABI in versions 1 and 2.
struct NumpyArrayHead {
  PyObject_HEAD void* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;  ///< those of an ArrayStruct; byte order is the dtype's
};

/// The dtype that is this object; others may be equal to it, with metadata, say.
std::optional<Dtype> dtype_that_is(PyObject* object) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_object(static_cast<Dtype>(i)) == object) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::optional<Dtype> dtype_by_struct(PyObject* from) {
  static constinit LazyObject name;
  const Object capsule(PyObject_GetAttr(
      from, name.get([] { return PyUnicode_InternFromString("__array_struct__"); })));
  const auto* about = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (about == nullptr) throw PythonError{};
  if ((about->flags & flag_native_order) == 0) return std::nullopt;
  return dtype_of(about->kind, about->itemsize);
}

/// The memory of a numpy.ndarray, which is believed. Empty where a copy must come first. The buffer
/// protocol would do, but NumPy writes a format string for it, and `__array_struct__`, but for that
/// it makes a capsule.
std::optional<NdArray> from_array_head(const char* op, PyObject* from, Device where) {
  const auto* about = reinterpret_cast<const NumpyArrayHead*>(from);
  if ((about->flags & flag_aligned) == 0) return std::nullopt;
  std::optional<Dtype> type = dtype_that_is(about->dtype);
  if (!type) type = dtype_by_struct(from);
  if (!type) return std::nullopt;
  const auto rank = static_cast<std::size_t>(about->rank);
  Dims shape(std::span<const std::int64_t>(about->shape, rank));
  Dims strides(std::span<const std::int64_t>(about->strides, rank));
  return adopt_view(op, where, about->data, std::move(shape), std::move(strides), *type,
                    (about->flags & flag_writeable) == 0, Py_NewRef(from), drop_reference);
}

/// Of NumPy's classes that are no plain arrays; looked up only for subclasses of numpy.ndarray.
void reject_special_array(const char* op, PyObject* from) {
  const Object masks(PyObject_GetAttrString(numpy(), "ma"));
  const Object masked(PyObject_GetAttrString(masks.get(), "MaskedArray"));
  if (PyObject_IsInstance(from, masked.get()) == 1) {
    throw DtypeError(std::string(op) +
                     ": a masked array: its mask would be lost; fill it with x.filled(value), or "
                     "convert x.data and numpy.ma.getmaskarray(x) apart");
  }
  const Object matrix(PyObject_GetAttrString(numpy(), "matrix"));
  if (PyObject_IsInstance(from, matrix.get()) == 1) {
    throw DtypeError(std::string(op) +
                     ": a numpy.matrix, whose operators mean something else; convert "
                     "numpy.asarray(x)");
  }
}

/// The remedy for a dtype that skerry doesn't have, by its NumPy kind.
std::string remedy_for(char kind) {
  switch (kind) {
    case 'f':
    case 'c':
      return "pass dtype= to convert it";
    case 'V':
      return "convert the fields one by one: x[\"name\"]";
    case 'M':
    case 'm':
      return "convert the integers in it: x.view(\"int64\")";
    case 'O':
      return "it holds Python objects; convert it with x.astype(dtype) first";
    default:
      return "text is no number";
  }
}

[[noreturn]] void reject_numpy_dtype(const char* op, PyObject* type, char kind) {
  const Object text(PyObject_Str(type));
  throw DtypeError(std::string(op) + ": no dtype of skerry: " + PyUnicode_AsUTF8(text.get()) +
                   "; " + remedy_for(kind));
}

/// NumPy's dtype for a copy that skerry can take: of native order, and of 64 bits for longdouble,
/// which only a dtype= that is asked for allows.
Object convertible_dtype(const Conversion& wanted, PyObject* own) {
  const Object letter(PyObject_GetAttrString(own, "kind"));
  const char kind = *PyUnicode_AsUTF8(letter.get());
  Object native(PyObject_CallMethod(own, "newbyteorder", "s", "="));
  const Object text(PyObject_GetAttrString(native.get(), "str"));
  if (parse_typestr(PyUnicode_AsUTF8(text.get()))) return native;
  if ((kind != 'f' && kind != 'c') || !wanted.type) reject_numpy_dtype(wanted.op, own, kind);
  return Object::borrow(dtype_object(kind == 'c' ? Dtype::complex128 : Dtype::float64));
}

/// Host memory of other libraries belongs to no device of ours: it is taken over under the name
/// that is asked for.
Device home_of(Device where) { return is_host(where) ? where : Device{}; }

NdArray from_numpy_array(Conversion wanted, PyObject* from, bool fresh) {
  wanted.where = wanted.where.value_or(default_device());
  NumpyMemory taken = take_numpy_array(wanted, from, home_of(*wanted.where));
  return convert(wanted, std::move(taken.array), taken.fresh || fresh);
}

/// By `__array_struct__`, `__array_interface__`, the buffer protocol or `__array__`, in the order
/// and with the checks that NumPy has.
NdArray from_array_like(const Conversion& wanted, PyObject* from) {
  if (const auto about = optional_attribute(from, "__array_interface__")) {
    if (PyDict_Check(about->get())) {
      PyObject* mask = PyDict_GetItemString(about->get(), "mask");
      if (mask != nullptr && mask != Py_None) {
        throw NotImplementedError(std::string(wanted.op) +
                                  ": an array with a mask, which would be lost; fill it, or "
                                  "convert data and mask apart");
      }
    }
  }
  const Object function(PyObject_GetAttrString(numpy(), "array"));
  const Object positional(PyTuple_Pack(1, from));
  PyObject* copied = wanted.copied ? (*wanted.copied ? Py_True : Py_False) : Py_None;
  const Object keywords(Py_BuildValue("{s:O}", "copy", copied));
  const Object host(PyObject_Call(function.get(), positional.get(), keywords.get()));
  return from_numpy_array(wanted, host.get(), wanted.copied == true);
}

NdArray from_buffer_object(Conversion wanted, PyObject* from) {
  const Device where = wanted.where.value_or(default_device());
  if (auto shared = from_buffer(wanted.op, from, home_of(where))) {
    wanted.where = where;
    return convert(wanted, std::move(*shared), false);
  }
  return from_array_like(wanted, from);
}

NdArray from_dlpack_producer(Conversion wanted, PyObject* from) {
  const bool to_host = wanted.where && is_host(*wanted.where);
  NdArray taken;
  try {
    // What becomes a copy of ours need not be one of the producer's.
    taken = from_capsule(wanted.op, from, wanted.copied == true ? std::nullopt : wanted.copied,
                         to_host);
  } catch (const PythonError&) {
    if (wanted.copied != false || PyErr_ExceptionMatches(PyExc_BufferError) == 0 ||
        PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
      throw;
    }
    PyErr_Clear();
    throw InterchangeError(std::string(wanted.op) + ": copy=False, but " + type_name(from) +
                           " gives its elements by a copy only");
  }
  if (is_host(taken.device())) {
    wanted.where = wanted.where.value_or(default_device());
    if (is_host(*wanted.where) && *wanted.where != taken.device()) {
      taken = rehome(std::move(taken), *wanted.where);
    }
  }
  return convert(wanted, std::move(taken), false);
}

void require_copy(const Conversion& wanted) {
  if (wanted.copied != false) return;
  throw InterchangeError(std::string(wanted.op) +
                         ": copy=False, but Python scalars and sequences are always copied");
}

/// NumPy's scalars keep their dtype here, where no array decides.
NdArray from_scalar(Conversion wanted, PyObject* from, const Scalar& value) {
  if (!wanted.type && is_numpy_scalar(from)) {
    wanted.type = numpy_scalar_dtype(from);
    if (!wanted.type) {
      const Object own(PyObject_GetAttrString(from, "dtype"));
      const Object nearest = convertible_dtype(wanted, own.get());
      wanted.type = parse_dtype(wanted.op, nearest.get());
    }
  }
  require_copy(wanted);
  return from_number(wanted.op, value, wanted.type, wanted.where.value_or(default_device()));
}

[[noreturn]] void reject_object(const char* op, PyObject* from) {
  throw DtypeError(std::string(op) +
                   ": neither an array, nor a number, nor a sequence of them: " + type_name(from));
}

NdArray from_foreign(const Conversion& wanted, PyObject* from) {
  if (is_numpy_array(from)) return from_numpy_array(wanted, from, false);
  if (PyCapsule_CheckExact(from) ||
      has(reinterpret_cast<PyObject*>(Py_TYPE(from)), "__dlpack_c_exchange_api__")) {
    return from_dlpack_producer(wanted, from);
  }
  // Producers of an interface older than version 3 give no stream with it, but DLPack does.
  const auto interface = read_cuda_interface(wanted.op, from);
  if (interface && (interface->version >= 3 || !has(from, "__dlpack__"))) {
    return convert(wanted, from_cuda_interface(wanted.op, *interface, from), false);
  }
  if (has(from, "__dlpack__")) {
    try {
      return from_dlpack_producer(wanted, from);
    } catch (const PythonError&) {
      // What the producer can't say by DLPack (PyTorch: memory of another than the current device),
      // its interface may.
      if (!interface || PyErr_ExceptionMatches(PyExc_BufferError) == 0) throw;
      PyErr_Clear();
    }
    return convert(wanted, from_cuda_interface(wanted.op, *interface, from), false);
  }
  if (PyObject_CheckBuffer(from) && !is_numpy_scalar(from)) return from_buffer_object(wanted, from);
  if (!is_numpy_scalar(from) && (has(from, "__array_struct__") ||
                                 has(from, "__array_interface__") || has(from, "__array__"))) {
    return from_array_like(wanted, from);
  }
  reject_object(wanted.op, from);
}

}  // namespace

NdArray share_numpy_array(const char* op, const char* argument, PyObject* from) {
  if (is_plain_numpy_array(from)) {
    if (auto shared = from_array_head(op, from, Device{})) return std::move(*shared);
  } else {
    reject_special_array(op, from);
    throw DtypeError(std::string(op) + ": " + argument + " is a " + type_name(from) +
                     ", a subclass of numpy.ndarray whose operators may mean something else; "
                     "convert it with skerry.asarray");
  }
  const Object own(PyObject_GetAttrString(from, "dtype"));
  const Conversion as_is{.op = op, .type = {}, .where = {}, .copied = {}};
  static_cast<void>(convertible_dtype(as_is, own.get()));  // raises for what is no dtype here
  const Object text(PyObject_Repr(own.get()));
  throw DtypeError(std::string(op) + ": " + argument +
                   " is a numpy.ndarray whose byte order or alignment needs a copy: " +
                   utf8(text.get()) + "; skerry.asarray makes one");
}

NdArray convert(const Conversion& wanted, NdArray from, bool fresh) {
  const Dtype type = wanted.type.value_or(from.dtype());
  const Device where = wanted.where.value_or(from.device());
  const bool changes = type != from.dtype() || where != from.device();
  if (changes && wanted.copied == false) {
    throw InterchangeError(std::string(wanted.op) + ": copy=False, but " + describe(from) +
                           " can't become " + name(type) + " on " + to_string(where) +
                           " without a copy");
  }
  const WithoutGil working(from.size() > long_work || where != from.device());
  if (!changes) return wanted.copied == true && !fresh ? copy(from) : std::move(from);
  if (where == from.device()) return astype(from, type, false);
  return to_device(astype(from, type, false), where);
}

NumpyMemory take_numpy_array(const Conversion& wanted, PyObject* from, Device home) {
  if (is_numpy_array_exactly(from)) {
    if (auto shared = from_array_head(wanted.op, from, home)) return {std::move(*shared), false};
  } else {
    reject_special_array(wanted.op, from);
  }
  if (auto shared = from_buffer(wanted.op, from, home)) return {std::move(*shared), false};
  const Object own(PyObject_GetAttrString(from, "dtype"));
  const Object type = convertible_dtype(wanted, own.get());
  if (wanted.copied == false) {
    const Object text(PyObject_Repr(own.get()));
    throw InterchangeError(std::string(wanted.op) +
                           ": copy=False, but the dtype, byte order or alignment of the data "
                           "needs a copy: " +
                           PyUnicode_AsUTF8(text.get()));
  }
  const Object function(PyObject_GetAttrString(numpy(), "array"));
  const Object positional(PyTuple_Pack(2, from, type.get()));
  const Object keywords(Py_BuildValue("{s:O,s:s}", "copy", Py_True, "order", "C"));
  const Object dense(PyObject_Call(function.get(), positional.get(), keywords.get()));
  auto taken = from_buffer(wanted.op, dense.get(), home);
  if (!taken) throw InterchangeError(std::string(wanted.op) + ": the data has no usable buffer");
  return {std::move(*taken), true};
}

PyObject* as_array(const Conversion& wanted, PyObject* from) {
  if (is_array(from)) {
    const NdArray& x = value_of(from);
    const bool same = wanted.type.value_or(x.dtype()) == x.dtype() &&
                      wanted.where.value_or(x.device()) == x.device();
    if (same && wanted.copied != true) return Py_NewRef(from);
    return wrap(convert(wanted, x, false));
  }
  if (!wanted.where) require(default_device());
  if (PyList_Check(from) || PyTuple_Check(from)) {
    require_copy(wanted);
    return wrap(from_sequence(wanted.op, from, wanted.type, wanted.where, default_device()));
  }
  Scalar value;
  const Parsed number = parse_scalar(from, value);
  if (number == Parsed::error) return nullptr;
  if (number == Parsed::yes) return wrap(from_scalar(wanted, from, value));
  if (is_other_sequence(from)) {
    require_copy(wanted);
    return wrap(from_sequence(wanted.op, from, wanted.type, wanted.where, default_device()));
  }
  return wrap(from_foreign(wanted, from));
}

}  // namespace skerry::python
