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
std::optional<object> optional_attribute(PyObject* from, const char* name) {
  PyObject* found = PyObject_GetAttrString(from, name);
  if (found != nullptr) return object(found);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw python_error{};
  PyErr_Clear();
  return std::nullopt;
}

bool has(PyObject* from, const char* name) { return optional_attribute(from, name).has_value(); }

std::optional<dtype> dtype_of(char kind, std::int64_t width) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    if (info(type).typestr[1] == kind && itemsize(type) == width) return type;
  }
  return std::nullopt;
}

/// What a numpy.ndarray begins with: PyArrayObject_fields, part of NumPy's ABI in versions 1 and 2.
struct numpy_array_head {
  PyObject_HEAD void* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;  ///< those of an array_struct; byte order is the dtype's
};

/// The dtype that is this object; others may be equal to it, with metadata, say.
std::optional<dtype> dtype_that_is(PyObject* object) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_object(static_cast<dtype>(i)) == object) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

std::optional<dtype> dtype_by_struct(PyObject* from) {
  static constinit lazy_object name;
  const object capsule(PyObject_GetAttr(
      from, name.get([] { return PyUnicode_InternFromString("__array_struct__"); })));
  const auto* about =
      static_cast<const array_struct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (about == nullptr) throw python_error{};
  if ((about->flags & flag_native_order) == 0) return std::nullopt;
  return dtype_of(about->kind, about->itemsize);
}

/// The memory of a numpy.ndarray, which is believed. Empty where a copy must come first. The buffer
/// protocol would do, but NumPy writes a format string for it, and `__array_struct__`, but for that
/// it makes a capsule.
std::optional<ndarray> from_array_head(const char* op, PyObject* from, device where) {
  const auto* about = reinterpret_cast<const numpy_array_head*>(from);
  if ((about->flags & flag_aligned) == 0) return std::nullopt;
  std::optional<dtype> type = dtype_that_is(about->dtype);
  if (!type) type = dtype_by_struct(from);
  if (!type) return std::nullopt;
  const auto rank = static_cast<std::size_t>(about->rank);
  dims shape(std::span<const std::int64_t>(about->shape, rank));
  dims strides(std::span<const std::int64_t>(about->strides, rank));
  return adopt_view(op, where, about->data, std::move(shape), std::move(strides), *type,
                    (about->flags & flag_writeable) == 0, Py_NewRef(from), drop_reference);
}

/// Of NumPy's classes that are no plain arrays; looked up only for subclasses of numpy.ndarray.
void reject_special_array(const char* op, PyObject* from) {
  const object masks(PyObject_GetAttrString(numpy(), "ma"));
  const object masked(PyObject_GetAttrString(masks.get(), "MaskedArray"));
  if (PyObject_IsInstance(from, masked.get()) == 1) {
    throw dtype_error(std::string(op) +
                      ": a masked array: its mask would be lost; fill it with x.filled(value), or "
                      "convert x.data and numpy.ma.getmaskarray(x) apart");
  }
  const object matrix(PyObject_GetAttrString(numpy(), "matrix"));
  if (PyObject_IsInstance(from, matrix.get()) == 1) {
    throw dtype_error(std::string(op) +
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
  const object text(PyObject_Str(type));
  throw dtype_error(std::string(op) + ": no dtype of skerry: " + PyUnicode_AsUTF8(text.get()) +
                    "; " + remedy_for(kind));
}

/// NumPy's dtype for a copy that skerry can take: of native order, and of 64 bits for longdouble,
/// which only a dtype= that is asked for allows.
object convertible_dtype(const conversion& wanted, PyObject* own) {
  const object letter(PyObject_GetAttrString(own, "kind"));
  const char kind = *PyUnicode_AsUTF8(letter.get());
  object native(PyObject_CallMethod(own, "newbyteorder", "s", "="));
  const object text(PyObject_GetAttrString(native.get(), "str"));
  if (parse_typestr(PyUnicode_AsUTF8(text.get()))) return native;
  if ((kind != 'f' && kind != 'c') || !wanted.type) reject_numpy_dtype(wanted.op, own, kind);
  return object::borrow(dtype_object(kind == 'c' ? dtype::complex128 : dtype::float64));
}

/// Host memory of other libraries belongs to no device of ours: it is taken over under the name
/// that is asked for.
device home_of(device where) { return is_host(where) ? where : device{}; }

ndarray from_numpy_array(conversion wanted, PyObject* from, bool fresh) {
  wanted.where = wanted.where.value_or(default_device());
  numpy_memory taken = take_numpy_array(wanted, from, home_of(*wanted.where));
  return convert(wanted, std::move(taken.array), taken.fresh || fresh);
}

/// By `__array_struct__`, `__array_interface__`, the buffer protocol or `__array__`, in the order
/// and with the checks that NumPy has.
ndarray from_array_like(const conversion& wanted, PyObject* from) {
  if (const auto about = optional_attribute(from, "__array_interface__")) {
    if (PyDict_Check(about->get())) {
      PyObject* mask = PyDict_GetItemString(about->get(), "mask");
      if (mask != nullptr && mask != Py_None) {
        throw not_implemented_error(std::string(wanted.op) +
                                    ": an array with a mask, which would be lost; fill it, or "
                                    "convert data and mask apart");
      }
    }
  }
  const object function(PyObject_GetAttrString(numpy(), "array"));
  const object positional(PyTuple_Pack(1, from));
  PyObject* copied = wanted.copied ? (*wanted.copied ? Py_True : Py_False) : Py_None;
  const object keywords(Py_BuildValue("{s:O}", "copy", copied));
  const object host(PyObject_Call(function.get(), positional.get(), keywords.get()));
  return from_numpy_array(wanted, host.get(), wanted.copied == true);
}

ndarray from_buffer_object(conversion wanted, PyObject* from) {
  const device where = wanted.where.value_or(default_device());
  if (auto shared = from_buffer(wanted.op, from, home_of(where))) {
    wanted.where = where;
    return convert(wanted, std::move(*shared), false);
  }
  return from_array_like(wanted, from);
}

ndarray from_dlpack_producer(conversion wanted, PyObject* from) {
  const bool to_host = wanted.where && is_host(*wanted.where);
  ndarray taken;
  try {
    // What becomes a copy of ours need not be one of the producer's.
    taken = from_capsule(wanted.op, from, wanted.copied == true ? std::nullopt : wanted.copied,
                         to_host);
  } catch (const python_error&) {
    if (wanted.copied != false || PyErr_ExceptionMatches(PyExc_BufferError) == 0 ||
        PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
      throw;
    }
    PyErr_Clear();
    throw interchange_error(std::string(wanted.op) + ": copy=False, but " + type_name(from) +
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

void require_copy(const conversion& wanted) {
  if (wanted.copied != false) return;
  throw interchange_error(std::string(wanted.op) +
                          ": copy=False, but Python scalars and sequences are always copied");
}

/// NumPy's scalars keep their dtype here, where no array decides.
ndarray from_scalar(conversion wanted, PyObject* from, const scalar& value) {
  if (!wanted.type && is_numpy_scalar(from)) {
    wanted.type = numpy_scalar_dtype(from);
    if (!wanted.type) {
      const object own(PyObject_GetAttrString(from, "dtype"));
      const object nearest = convertible_dtype(wanted, own.get());
      wanted.type = parse_dtype(wanted.op, nearest.get());
    }
  }
  require_copy(wanted);
  return from_number(wanted.op, value, wanted.type, wanted.where.value_or(default_device()));
}

[[noreturn]] void reject_object(const char* op, PyObject* from) {
  throw dtype_error(std::string(op) +
                    ": neither an array, nor a number, nor a sequence of them: " + type_name(from));
}

ndarray from_foreign(const conversion& wanted, PyObject* from) {
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
    } catch (const python_error&) {
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

ndarray share_numpy_array(const char* op, const char* argument, PyObject* from) {
  if (is_plain_numpy_array(from)) {
    if (auto shared = from_array_head(op, from, device{})) return std::move(*shared);
  } else {
    reject_special_array(op, from);
    throw dtype_error(std::string(op) + ": " + argument + " is a " + type_name(from) +
                      ", a subclass of numpy.ndarray whose operators may mean something else; "
                      "convert it with skerry.asarray");
  }
  const object own(PyObject_GetAttrString(from, "dtype"));
  const conversion as_is{.op = op, .type = {}, .where = {}, .copied = {}};
  static_cast<void>(convertible_dtype(as_is, own.get()));  // raises for what is no dtype here
  const object text(PyObject_Repr(own.get()));
  throw dtype_error(std::string(op) + ": " + argument +
                    " is a numpy.ndarray whose byte order or alignment needs a copy: " +
                    utf8(text.get()) + "; skerry.asarray makes one");
}

ndarray convert(const conversion& wanted, ndarray from, bool fresh) {
  const dtype type = wanted.type.value_or(from.dtype());
  const device where = wanted.where.value_or(from.device());
  const bool changes = type != from.dtype() || where != from.device();
  if (changes && wanted.copied == false) {
    throw interchange_error(std::string(wanted.op) + ": copy=False, but " + describe(from) +
                            " can't become " + name(type) + " on " + to_string(where) +
                            " without a copy");
  }
  const without_gil working(from.size() > long_work || where != from.device());
  if (!changes) return wanted.copied == true && !fresh ? copy(from) : std::move(from);
  if (where == from.device()) return astype(from, type, false);
  return to_device(astype(from, type, false), where);
}

numpy_memory take_numpy_array(const conversion& wanted, PyObject* from, device home) {
  if (is_numpy_array_exactly(from)) {
    if (auto shared = from_array_head(wanted.op, from, home)) return {std::move(*shared), false};
  } else {
    reject_special_array(wanted.op, from);
  }
  if (auto shared = from_buffer(wanted.op, from, home)) return {std::move(*shared), false};
  const object own(PyObject_GetAttrString(from, "dtype"));
  const object type = convertible_dtype(wanted, own.get());
  if (wanted.copied == false) {
    const object text(PyObject_Repr(own.get()));
    throw interchange_error(std::string(wanted.op) +
                            ": copy=False, but the dtype, byte order or alignment of the data "
                            "needs a copy: " +
                            PyUnicode_AsUTF8(text.get()));
  }
  const object function(PyObject_GetAttrString(numpy(), "array"));
  const object positional(PyTuple_Pack(2, from, type.get()));
  const object keywords(Py_BuildValue("{s:O,s:s}", "copy", Py_True, "order", "C"));
  const object dense(PyObject_Call(function.get(), positional.get(), keywords.get()));
  auto taken = from_buffer(wanted.op, dense.get(), home);
  if (!taken) throw interchange_error(std::string(wanted.op) + ": the data has no usable buffer");
  return {std::move(*taken), true};
}

PyObject* as_array(const conversion& wanted, PyObject* from) {
  if (is_array(from)) {
    const ndarray& x = value_of(from);
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
  scalar value;
  const parsed number = parse_scalar(from, value);
  if (number == parsed::error) return nullptr;
  if (number == parsed::yes) return wrap(from_scalar(wanted, from, value));
  if (is_other_sequence(from)) {
    require_copy(wanted);
    return wrap(from_sequence(wanted.op, from, wanted.type, wanted.where, default_device()));
  }
  return wrap(from_foreign(wanted, from));
}

}  // namespace skerry::python
