// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "core/errors.hpp"
#include "device/cuda/runtime.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"

namespace skerry::python {
namespace {

/// Of the interface that is exported: SKERRY_CUDA_ARRAY_INTERFACE_VERSION=0…3, for consumers that
/// know an older one only.
int exported_version() {
  static const int version = [] {
    const char* text = std::getenv("SKERRY_CUDA_ARRAY_INTERFACE_VERSION");
    return text != nullptr && text[0] >= '0' && text[0] <= '2' && text[1] == 0 ? text[0] - '0' : 3;
  }();
  return version;
}

object tuple_of(const dims& values) {
  object tuple(PyTuple_New(values.rank()));
  for (int i = 0; i < values.rank(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, PyLong_FromLongLong(values[i]));
  }
  return tuple;
}

void put(const object& into, const char* name, object value) {
  if (PyDict_SetItemString(into.get(), name, value.get()) != 0) throw python_error{};
}

/// Most consumers ignore the stream and work on the legacy default one: pending work of another
/// stream goes before what comes there, so that 1 is always right.
object stream_of(const ndarray& array) {
  if (array.device().kind == device_kind::cpu) return object::borrow(Py_None);
  const device where = array.device();
  const stream consumers(where);
  const stream current = current_stream(where);
  if (!(current == consumers)) consumers.wait(current);
  return object(PyLong_FromLong(1));
}

PyObject* get_interface(PyObject*, PyObject* self) {
  return guarded([&]() -> PyObject* {
    const ndarray& array = require_array("__cuda_array_interface__", "self", self);
    if (array.device().kind == device_kind::cpu && !array.memory()->pinned()) {
      PyErr_Format(PyExc_AttributeError,
                   "__cuda_array_interface__: the array is on %s, whose memory no GPU reads; move "
                   "it with x.to_device(\"cuda:0\"), or make it with pinned=True",
                   to_string(array.device()).c_str());
      return nullptr;
    }
    const bool empty = array.size() == 0;
    const char* typestr = info(array.dtype()).typestr;
    object about(PyDict_New());
    put(about, "shape", tuple_of(array.shape()));
    put(about, "typestr", object(PyUnicode_FromString(typestr)));
    put(about, "descr", object(Py_BuildValue("[(ss)]", "", typestr)));
    put(about, "data",
        object(Py_BuildValue("(NN)", PyLong_FromVoidPtr(empty ? nullptr : array.data()),
                             PyBool_FromLong(array.read_only()))));
    put(about, "strides",
        array.is_c_contiguous() ? object::borrow(Py_None) : tuple_of(array.strides()));
    put(about, "version", object(PyLong_FromLong(exported_version())));
    object stream = stream_of(array);
    if (exported_version() == 3) put(about, "stream", std::move(stream));
    return about.release();
  });
}

constexpr const char* op = "from_cuda_array_interface";

[[noreturn]] void reject(const std::string& what) {
  throw interchange_error(std::string(op) + ": " + what);
}

object entry(PyObject* about, const char* name, bool required) {
  PyObject* found = PyDict_GetItemString(about, name);
  if (found == nullptr && required) reject(std::string("the interface has no '") + name + "'");
  return object::borrow(found == nullptr ? Py_None : found);
}

dims integers_of(PyObject* from, const char* name) {
  if (!PyTuple_Check(from) || PyTuple_GET_SIZE(from) > max_rank) {
    reject(std::string("'") + name + "' must be a tuple of at most 64 ints");
  }
  dims values(static_cast<int>(PyTuple_GET_SIZE(from)));
  for (int i = 0; i < values.rank(); ++i) {
    PyObject* one = PyTuple_GET_ITEM(from, i);
    const Py_ssize_t value = PyIndex_Check(one) ? PyNumber_AsSsize_t(one, PyExc_OverflowError) : -1;
    if (PyErr_Occurred()) PyErr_Clear(), reject(std::string("'") + name + "' is out of range");
    if (!PyIndex_Check(one)) reject(std::string("'") + name + "' must be ints");
    values[i] = value;
  }
  return values;
}

struct foreign_pointer {
  void* data = nullptr;
  bool read_only = false;
};

foreign_pointer pointer_of(PyObject* data) {
  if (!PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 ||
      !PyLong_Check(PyTuple_GET_ITEM(data, 0))) {
    reject("'data' must be (pointer, read-only)");
  }
  const std::size_t address = PyLong_AsSize_t(PyTuple_GET_ITEM(data, 0));
  if (PyErr_Occurred()) PyErr_Clear(), reject("the pointer is out of range");
  return {reinterpret_cast<void*>(address), truth(PyTuple_GET_ITEM(data, 1), false)};
}

/// The device that the memory is on, as the driver says; the first CUDA device for no elements.
device device_of_pointer(const void* data, bool empty) {
  const device first{device_kind::cuda, 0};
  require(first);
  if (empty) return first;
  static_cast<void>(cuda::use(first));
  cuda::pointer_attributes about{};
  const int status = cuda::calls().get_pointer_attributes(&about, data);
  if (status != cuda::success || about.type == cuda::memory_type::unregistered) {
    cuda::calls().get_last_error();
    reject("the pointer is not memory that CUDA knows");
  }
  if (about.type == cuda::memory_type::host) return {};
  if (const auto found = device_of_physical(about.device)) return *found;
  reject("no device for CUDA ordinal " + std::to_string(about.device));
}

/// Work on the array comes after what the producer has enqueued on its stream.
void wait_for(PyObject* producer, device where) {
  if (producer == Py_None || where.kind == device_kind::cpu) return;
  if (!PyLong_Check(producer)) reject("'stream' must be an int or None");
  const stream pending = parse_stream(op, producer, where);
  const stream own = current_stream(where);
  if (!(pending == own)) own.wait(pending);
}

PyMethodDef interface_definition = {"__cuda_array_interface__", get_interface, METH_O, nullptr};

}  // namespace

ndarray from_cuda_interface(const char*, PyObject* from) {
  const object about(PyObject_GetAttrString(from, "__cuda_array_interface__"));
  if (!PyDict_Check(about.get())) reject("the interface is no dict");
  const object typestr = entry(about.get(), "typestr", true);
  const std::optional<dtype> type = PyUnicode_Check(typestr.get())
                                        ? parse_typestr(PyUnicode_AsUTF8(typestr.get()))
                                        : std::nullopt;
  if (!type) reject("the dtype is none of the standard's");
  dims shape = integers_of(entry(about.get(), "shape", true).get(), "shape");
  check_shape(op, shape.span(), itemsize(*type));
  const object given = entry(about.get(), "strides", false);
  dims strides = given.get() == Py_None ? c_layout(shape, itemsize(*type)).strides
                                        : integers_of(given.get(), "strides");
  if (strides.rank() != shape.rank()) reject("'strides' and 'shape' have different lengths");
  if (entry(about.get(), "mask", false).get() != Py_None) {
    throw not_implemented_error(std::string(op) + ": masked arrays are not supported");
  }
  const foreign_pointer pointer = pointer_of(entry(about.get(), "data", true).get());
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (pointer.data == nullptr && !empty) reject("a null pointer for an array with elements");
  if (reinterpret_cast<std::uintptr_t>(pointer.data) %
          static_cast<std::uintptr_t>(info(*type).alignment) !=
      0) {
    reject("the pointer is not aligned to the dtype");
  }
  const device where = device_of_pointer(pointer.data, empty);
  wait_for(entry(about.get(), "stream", false).get(), where);
  return adopt_view(op, where, pointer.data, std::move(shape), std::move(strides), *type,
                    pointer.read_only, Py_NewRef(from), drop_reference);
}

void add_interchange(PyTypeObject* type) {
  const object getter(PyCFunction_New(&interface_definition, nullptr));
  const object property(PyObject_CallFunction(
      reinterpret_cast<PyObject*>(&PyProperty_Type), "OOOs", getter.get(), Py_None, Py_None,
      "The CUDA array interface, version 3, by which Numba, CuPy, PyTorch and others take the "
      "array over without a copy. AttributeError for memory that no GPU reads."));
  if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(type), "__cuda_array_interface__",
                             property.get()) != 0) {
    throw python_error{};
  }
}

}  // namespace skerry::python
