// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/host_interface.hpp"

// Attributes of NumPy's and CuPy's arrays that the standard lacks: base, data, flags and flat. The
// classes of flags and flat are in skerry._array_attributes.
namespace skerry::python {
namespace {

PyTypeObject* data_type = nullptr;

/// The memory of an array: its address, and on a CPU device a buffer.
struct DataObject {
  PyObject_HEAD PyObject* array;
};

PyObject* array_of(PyObject* data) { return reinterpret_cast<DataObject*>(data)->array; }

PyObject* get_address(PyObject* self, void*) {
  return translate_exceptions("data.ptr", [&] {
    const NdArray& x = target_of(array_of(self));
    x.memory()->begin_export();  // never ended: nobody reports the end of the use of an int
    return PyLong_FromVoidPtr(x.size() == 0 ? nullptr : x.data());
  });
}

PyObject* get_device(PyObject* self, void*) {
  return translate_exceptions(
      [&] { return Py_NewRef(device_object(header_device(array_of(self)))); });
}

PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(header_of(array_of(self)).nbytes());
}

PyObject* represent_data(PyObject* self) {
  return translate_exceptions([&] {
    const std::string text = "<memory of " + describe(header_of(array_of(self))) + ">";
    return PyUnicode_FromString(text.c_str());
  });
}

/// Exports the buffer of NumPy's view of the array.
int get_buffer(PyObject* self, Py_buffer* buffer, int buffer_flags) {
  return translate_exceptions(
      "data",
      [&] {
        const NdArray& x = value_of(array_of(self));
        if (!is_host_accessible(x)) {
          throw InterchangeError("an array on " + to_string(x.device()) +
                                 " has no buffer; copy it first: x.to_device(\"cpu\").data");
        }
        const Object view(PyObject_CallMethod(numpy(), "asarray", "O", array_of(self)));
        if (PyObject_GetBuffer(view.get(), buffer, buffer_flags) != 0) throw PythonError{};
        return 0;
      },
      -1);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(array_of(object));
  return 0;
}

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_XDECREF(array_of(object));
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

PyGetSetDef data_attributes[] = {
    {"device", get_device, nullptr, "The Device of the memory.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"ptr", get_address, nullptr,
     "The address of the first element, an int; 0 for an array without elements.", nullptr},
    {},
};
PyType_Slot data_slots[] = {
    {Py_tp_getset, data_attributes},
    {Py_tp_repr, slot(represent_data)},
    {Py_tp_traverse, slot(traverse)},
    {Py_tp_dealloc, slot(deallocate)},
    {Py_bf_getbuffer, slot(get_buffer)},
    {Py_tp_doc, const_cast<char*>(
                    "The memory of an array, as CuPy's MemoryPointer: ``ptr`` is its address.\n\n"
                    "On a CPU device and in managed memory it has a buffer, as NumPy's ``data``: "
                    "``memoryview(x.data)``.\n"
                    "skerry does not know of uses of the address: call synchronize() first, and "
                    "keep the array alive.")},
    {},
};
PyType_Spec data_spec{"skerry._core.ArrayData", sizeof(DataObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
                      data_slots};

PyObject* get_data(PyObject* self, void*) {
  DataObject* const data = PyObject_GC_New(DataObject, data_type);
  if (data == nullptr) return nullptr;
  data->array = Py_NewRef(self);
  PyObject_GC_Track(data);
  return reinterpret_cast<PyObject*>(data);
}

/// Returns an array of all the memory that the array is a view of; None if it has all of it.
PyObject* get_base(PyObject* self, void*) {
  return translate_exceptions("base", [&]() -> PyObject* {
    const NdArray& x = value_of(self);
    const auto nbytes = static_cast<std::int64_t>(x.memory()->nbytes());
    bool repeats_elements = false;
    for (int axis = 0; axis < x.rank(); ++axis)
      repeats_elements = repeats_elements || (x.strides()[axis] == 0 && x.shape()[axis] > 1);
    if (x.nbytes() == nbytes && !repeats_elements) Py_RETURN_NONE;
    const Dtype type = nbytes % x.itemsize() == 0 ? x.dtype() : Dtype::uint8;
    const Dims shape{nbytes / itemsize(type)};
    return wrap(NdArray(x.memory(), {shape, Dims{itemsize(type)}, 0}, type));
  });
}

PyObject* call_attribute(const char* function, PyObject* self, PyObject* value) {
  return translate_exceptions([&] {
    const Object callable = package_function("skerry._array_attributes", function);
    return PyObject_CallFunctionObjArgs(callable.get(), self, value, nullptr);
  });
}

PyObject* get_flags(PyObject* self, void*) { return call_attribute("ArrayFlags", self, nullptr); }
PyObject* get_flat(PyObject* self, void*) { return call_attribute("FlatIterator", self, nullptr); }

int set_flat(PyObject* self, PyObject* value, void*) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "flat: the attribute can't be deleted");
    return -1;
  }
  PyObject* const result = call_attribute("set_flat", self, value);
  Py_XDECREF(result);
  return result == nullptr ? -1 : 0;
}

}  // namespace

PyGetSetDef numpy_attributes[] = {
    {"base", get_base, nullptr,
     "A 1-D array of all the memory that the array is a view of; None if it has all of it.\n\n"
     "Views keep the memory alive, not the array that they were taken from, so x[1:].base is not x "
     "but shares its\nmemory.",
     nullptr},
    {"data", get_data, nullptr,
     "The memory of the array: ``ptr`` is its address, and on a CPU device it has a buffer.",
     nullptr},
    {"flags", get_flags, nullptr, "The memory layout, as numpy.ndarray.flags.", nullptr},
    {"flat", get_flat, set_flat,
     "The elements in C order, as numpy.ndarray.flat: for iteration, indexing and assignment.",
     nullptr},
    {},
};

void prepare_data_type() {
  data_type = reinterpret_cast<PyTypeObject*>(Object(PyType_FromSpec(&data_spec)).release());
}

}  // namespace skerry::python
