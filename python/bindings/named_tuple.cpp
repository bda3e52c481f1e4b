// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/named_tuple.hpp"

#include "python/bindings/array_type.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python {

PyObject* named_tuple_type(const char* module, const char* name, const char* fields) {
  const object collections(PyImport_ImportModule("collections"));
  const object make(PyObject_GetAttrString(collections.get(), "namedtuple"));
  const object args(Py_BuildValue("(ss)", name, fields));
  const object keywords(Py_BuildValue("{ss}", "module", module));
  object type(PyObject_Call(make.get(), args.get(), keywords.get()));
  return type.release();
}

PyObject* named_tuple(PyObject* type, std::initializer_list<ndarray> arrays) {
  const object items(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
  Py_ssize_t i = 0;
  for (const ndarray& array : arrays) PyTuple_SET_ITEM(items.get(), i++, wrap(ndarray(array)));
  object made(PyObject_CallObject(type, items.get()));
  return made.release();
}

}  // namespace skerry::python
