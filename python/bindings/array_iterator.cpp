// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "python/bindings/array_type.hpp"
#include "python/bindings/call_sites.hpp"
#include "python/bindings/noted.hpp"

namespace skerry::python {
namespace {

PyTypeObject* iterator_type = nullptr;

/// Iterates over the first axis. The items are views.
struct IteratorObject {
  PyObject_HEAD PyObject* array;  ///< null at the end
  std::int64_t index;
};

IteratorObject* iterator_of(PyObject* self) { return reinterpret_cast<IteratorObject*>(self); }

PyObject* next_item(PyObject* object) {
  IteratorObject* const self = iterator_of(object);
  if (self->array == nullptr) return nullptr;
  return translate_exceptions("__next__", [&]() -> PyObject* {
    const NdArray& x = value_of(self->array);
    if (self->index >= x.shape()[0]) {
      Py_CLEAR(self->array);
      return nullptr;
    }
    const std::int64_t offset = x.layout().offset + self->index++ * x.strides()[0];
    if (x.rank() == 1) return wrap_result(false, [&] { return x.view({{}, {}, offset}); });
    const auto rest = static_cast<std::size_t>(x.rank() - 1);
    return wrap_result(false, [&] {
      return x.view(
          {Dims({x.shape().data() + 1, rest}), Dims({x.strides().data() + 1, rest}), offset});
    });
  });
}

PyObject* length_hint(PyObject* object, PyObject*) {
  const IteratorObject* const self = iterator_of(object);
  return PyLong_FromLongLong(
      self->array == nullptr ? 0 : header_of(self->array).shape()[0] - self->index);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(iterator_of(object)->array);
  return 0;
}

int clear(PyObject* object) {
  Py_CLEAR(iterator_of(object)->array);
  return 0;
}

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_XDECREF(iterator_of(object)->array);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, "The number of items left."},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_iter, slot(PyObject_SelfIter)},
    {Py_tp_iternext, slot(with_call_note<next_item>("getitem"))},
    {Py_tp_methods, methods},
    {Py_tp_traverse, slot(traverse)},
    {Py_tp_clear, slot(clear)},
    {Py_tp_dealloc, slot(deallocate)},
    {},
};
PyType_Spec spec{"skerry._core.ArrayIterator", sizeof(IteratorObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
                 slots};

}  // namespace

PyObject* iterate(PyObject* self) {
  if (header_of(self).rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "iter: a 0-d array can't be iterated over");
    return nullptr;
  }
  IteratorObject* const iterator = PyObject_GC_New(IteratorObject, iterator_type);
  if (iterator == nullptr) return nullptr;
  iterator->array = Py_NewRef(self);
  iterator->index = 0;
  PyObject_GC_Track(iterator);
  return reinterpret_cast<PyObject*>(iterator);
}

void prepare_iterator_type() {
  iterator_type = reinterpret_cast<PyTypeObject*>(Object(PyType_FromSpec(&spec)).release());
  add_call_sites(iterator_type);
}

}  // namespace skerry::python
