// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/shared_objects.hpp"

#ifdef Py_GIL_DISABLED
#include "python/bindings/errors.hpp"
#endif

namespace skerry::python {

#ifdef Py_GIL_DISABLED

void stop_counting(PyObject* object) noexcept {
  // As CPython marks None. It has no public function for this before 3.14.
  object->ob_tid = 0;
  object->ob_ref_local = _Py_IMMORTAL_REFCNT_LOCAL;
  object->ob_ref_shared = 0;
}

void stop_counting_functions(PyObject* owner) {
  const Object dictionary = PyType_Check(owner) != 0
                                ? Object(PyType_GetDict(reinterpret_cast<PyTypeObject*>(owner)))
                                : Object::borrow(PyModule_GetDict(owner));
  const Object values(PyDict_Values(dictionary.get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values.get()); ++i) {
    PyObject* const value = PyList_GET_ITEM(values.get(), i);
    if (PyType_Check(value) != 0) continue;
    if (PyCallable_Check(value) != 0 || Py_TYPE(value)->tp_descr_get != nullptr)
      stop_counting(value);
  }
}

#else

void stop_counting(PyObject*) noexcept {}
void stop_counting_functions(PyObject*) {}

#endif

}  // namespace skerry::python
