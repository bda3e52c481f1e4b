// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "absent_attribute_names.hpp"
#include "python/bindings/method_table.hpp"

// Attributes of NumPy's, CuPy's and PyTorch's arrays that skerry's arrays lack: their
// AttributeError names the replacement. Each is a descriptor that raises it, for instances and for
// the type, so that hasattr is False. A custom tp_getattro would slow down all other lookups.
namespace skerry::python {
namespace {

struct AbsentObject {
  PyObject_HEAD PyObject* name;  ///< a reference; never released, as the class lives on
};

PyObject* raise_absent(PyObject* self, PyObject*, PyObject*) {
  return translate_exceptions([&]() -> PyObject* {
    const Object function = package_function("skerry._absent_names", "missing_attribute");
    PyObject* const name = reinterpret_cast<AbsentObject*>(self)->name;
    const Object error(PyObject_CallOneArg(function.get(), name));
    PyErr_SetObject(PyExc_AttributeError, error.get());
    return nullptr;
  });
}

PyType_Slot slots[] = {{Py_tp_descr_get, slot(raise_absent)}, {}};
PyType_Spec spec{"skerry._core.AbsentAttribute", sizeof(AbsentObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

bool is_absent_attribute(std::string_view name) {
  return std::ranges::binary_search(absent_attribute_names, name);
}

void add_absent_attributes(PyTypeObject* type) {
  const Object kind(PyType_FromSpec(&spec));
  for (const std::string_view name : absent_attribute_names) {
    const Object descriptor(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(kind.get()), 0));
    PyObject* key = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
    if (key == nullptr) throw PythonError{};
    PyUnicode_InternInPlace(&key);
    reinterpret_cast<AbsentObject*>(descriptor.get())->name = key;
    // Not PyObject_SetAttr: it would invalidate the type 500 times, which import would spend 0.5 ms
    // on.
    if (PyDict_SetItem(type->tp_dict, key, descriptor.get()) != 0) throw PythonError{};
  }
  PyType_Modified(type);
}

}  // namespace skerry::python
