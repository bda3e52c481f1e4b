// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "python/bindings/cuda_interface.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/scalar_args.hpp"

namespace skerry::python {
namespace {

/// True for integers, except bool.
bool is_integer(PyObject* value) { return PyIndex_Check(value) != 0 && PyBool_Check(value) == 0; }

/// Converts an integer; empty if it does not fit int64.
std::optional<std::int64_t> int64_of(PyObject* value) {
  const Object integer(PyNumber_Index(value));
  int overflow = 0;
  const std::int64_t result = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow != 0) return std::nullopt;
  if (result == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
  return result;
}

/// The values of the keys that are used. All are read before any is converted, as conversion may
/// run Python code (an `__index__`) that changes the dictionary.
struct Fields {
  Object shape, typestr, data, strides, mask, stream;

  explicit Fields(PyObject* description)
      : shape(dictionary_value(description, "shape")),
        typestr(dictionary_value(description, "typestr")),
        data(dictionary_value(description, "data")),
        strides(dictionary_value(description, "strides")),
        mask(dictionary_value(description, "mask")),
        stream(dictionary_value(description, "stream")) {}
};

bool is_absent(const Object& value) { return value.get() == nullptr || value.get() == Py_None; }

void require_key(const Object& value, const char* name) {
  if (value.get() == nullptr) {
    reject_interface(std::string("the interface has no key '") + name +
                     "', which all versions require");
  }
}

Dims integers_of(const Object& field, const char* name) {
  if (PyTuple_Check(field.get()) == 0 && PyList_Check(field.get()) == 0) {
    reject_interface_type(std::string("'") + name + "' must be a tuple of ints, not " +
                          type_name(field.get()));
  }
  const Object values(PySequence_Tuple(field.get()));  // a list may change during conversion
  const Py_ssize_t count = PyTuple_GET_SIZE(values.get());
  if (count > max_rank) {
    reject_interface(std::string("'") + name + "' has " + std::to_string(count) +
                     " axes; at most 64 are possible");
  }
  Dims result(static_cast<int>(count));
  for (int i = 0; i < result.rank(); ++i) {
    PyObject* const one = PyTuple_GET_ITEM(values.get(), i);
    if (!is_integer(one)) {
      reject_interface_type(std::string("'") + name + "' must hold ints, not " + type_name(one) +
                            ": " + represent_briefly(one));
    }
    const std::optional<std::int64_t> value = int64_of(one);
    if (!value)
      reject_interface(std::string("'") + name + "' is out of range: " + represent_briefly(one));
    result[i] = *value;
  }
  return result;
}

Dtype dtype_of(const Object& typestr) {
  if (PyUnicode_Check(typestr.get()) == 0) {
    reject_interface_type("'typestr' must be a str, not " + type_name(typestr.get()));
  }
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(typestr.get(), &length);
  if (text == nullptr) {  // lone surrogates
    PyErr_Clear();
    reject_interface_type("'typestr' is not valid text: " + represent_briefly(typestr.get()));
  }
  const std::string_view code(text, static_cast<std::size_t>(length));
  const auto dtype = parse_typestr(code);
  if (dtype && *dtype != Dtype::bfloat16) return *dtype;
  const std::string shown = represent_briefly(typestr.get());
  std::string native(code);
  if (!native.empty() && (native[0] == '>' || native[0] == '#')) native[0] = '<';
  if (native != code && parse_typestr(native)) {
    reject_interface("'typestr' " + shown +
                     " is not in this machine's byte order; swap the bytes before the export");
  }
  throw DtypeError("'typestr' " + shown + " is not a dtype that skerry supports" +
                   (dtype ? "; pass bfloat16 by DLPack" : ""));
}

ForeignData data_of(const Object& field) {
  const bool fits = (PyTuple_Check(field.get()) != 0 || PyList_Check(field.get()) != 0) &&
                    PySequence_Size(field.get()) == 2;
  if (!fits) {
    reject_interface_type("'data' must be a tuple (pointer, read-only), not " +
                          represent_briefly(field.get()));
  }
  const Object pair(PySequence_Tuple(field.get()));
  if (PyTuple_GET_SIZE(pair.get()) != 2) reject_interface_type("'data' changed while it was read");
  PyObject* const pointer = PyTuple_GET_ITEM(pair.get(), 0);
  PyObject* const flag = PyTuple_GET_ITEM(pair.get(), 1);

  ForeignData data;
  Scalar value;
  const Parsed kind = parse_scalar(flag, value);
  if (kind == Parsed::error) throw PythonError{};
  if (kind == Parsed::no || value.kind == ScalarKind::real || value.kind == ScalarKind::complex) {
    reject_interface_type("the read-only flag of 'data' must be a bool, not " + type_name(flag));
  }
  data.read_only = value.kind == ScalarKind::boolean
                       ? value.boolean
                       : value.integer != 0 || value.is_unsigned || value.out_of_range;
  if (pointer == Py_None) {
    data.is_none = true;
    return data;
  }
  if (!is_integer(pointer)) {
    reject_interface_type("the pointer of 'data' must be an int, not " + type_name(pointer));
  }
  const Object integer(PyNumber_Index(pointer));
  const std::size_t address = PyLong_AsSize_t(integer.get());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw OverflowError(std::string("the pointer of 'data' is not an address: ") +
                        represent_briefly(integer.get()));
  }
  data.address = reinterpret_cast<void*>(address);
  return data;
}

/// Returns the handle; empty if no synchronization is required.
std::optional<std::int64_t> stream_of(const Object& field) {
  if (is_absent(field)) return std::nullopt;
  if (!is_integer(field.get())) {
    reject_interface_type("'stream' must be an int or None, not " + type_name(field.get()));
  }
  const std::optional<std::int64_t> handle = int64_of(field.get());
  if (!handle || *handle < 0)
    reject_interface("'stream' is not a stream handle: " + represent_briefly(field.get()));
  if (*handle == 0) {
    reject_interface(
        "'stream' 0 is ambiguous and disallowed; 1 is the legacy default stream, 2 the "
        "per-thread one");
  }
  return handle;
}

void check_strides(InterfaceFields& memory) {
  const std::int64_t width = itemsize(memory.type);
  const std::int64_t alignment = info(memory.type).alignment;
  const Dims dense = c_layout(memory.shape, width).strides;
  for (int axis = 0; axis < memory.shape.rank(); ++axis) {
    std::int64_t& stride = memory.strides[axis];
    // The stride of such an axis is unused, and producers may write any value.
    if (memory.is_empty || (memory.shape[axis] == 1 && stride % width != 0)) stride = dense[axis];
    if (stride % alignment != 0) {
      reject_interface("'strides' " + to_string(memory.strides) + " are not multiples of " +
                       std::to_string(alignment) + " bytes, the alignment of " + name(memory.type) +
                       "; copy the elements to a new array first");
    }
  }
}

std::int64_t version_of(PyObject* description) {
  const Object field = dictionary_value(description, "version");
  require_key(field, "version");
  if (!is_integer(field.get())) {
    reject_interface_type("'version' must be an int, not " + type_name(field.get()));
  }
  const std::int64_t version =
      int64_of(field.get()).value_or(std::numeric_limits<std::int64_t>::max());
  if (version < 0) reject_interface("'version' is negative: " + represent_briefly(field.get()));
  return version;
}

}  // namespace

void reject_interface(const std::string& error_message) { throw InterchangeError(error_message); }

void reject_interface_type(const std::string& error_message) { throw TypeError(error_message); }

std::string represent_briefly(PyObject* value) {
  const Object text(PyObject_Repr(value));
  const std::string whole = utf8(text.get());
  return whole.size() > 100 ? whole.substr(0, 97) + "..." : whole;
}

InterfaceFields read_fields(PyObject* description) {
  const Fields all(description);
  require_key(all.shape, "shape");
  require_key(all.typestr, "typestr");
  require_key(all.data, "data");
  if (!is_absent(all.mask)) {
    throw NotImplementedError(
        "the array has a mask, and skerry has no masked arrays; fill the masked elements first, "
        "or import data and mask separately: the mask also has a CUDA array interface");
  }
  InterfaceFields memory;
  memory.type = dtype_of(all.typestr);
  memory.shape = integers_of(all.shape, "shape");
  check_shape(memory.shape.span(), itemsize(memory.type));
  memory.is_empty = std::find(memory.shape.begin(), memory.shape.end(), 0) != memory.shape.end();
  memory.data = data_of(all.data);
  memory.stream = stream_of(all.stream);
  if (is_absent(all.strides)) {
    memory.strides = c_layout(memory.shape, itemsize(memory.type)).strides;
    return memory;
  }
  memory.strides = integers_of(all.strides, "strides");
  if (memory.strides.rank() != memory.shape.rank()) {
    reject_interface("'strides' " + to_string(memory.strides) + " and 'shape' " +
                     to_string(memory.shape) + " have different lengths");
  }
  check_strides(memory);
  return memory;
}

CudaInterface parse_cuda_interface(PyObject* description) {
  if (PyDict_Check(description) != 0) {
    return {Object::borrow(description), version_of(description)};
  }
  // Versions 0 and 1 require only a "dictionary-like" object.
  const bool is_mapping =
      PyMapping_Check(description) != 0 && PyObject_HasAttrString(description, "keys") != 0;
  if (is_mapping) {
    Object copied(PyDict_New());
    if (PyDict_Update(copied.get(), description) != 0) throw PythonError{};
    const std::int64_t version = version_of(copied.get());
    if (version < 2) return {std::move(copied), version};
  }
  reject_interface_type(std::string("__cuda_array_interface__") + " must be a dict, not " +
                        type_name(description));
}

}  // namespace skerry::python
