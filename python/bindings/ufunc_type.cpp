// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/ufunc_type.hpp"

#include <structmember.h>

#include <cstddef>
#include <vector>

#include "python/bindings/array_type.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/lazy_object.hpp"

namespace skerry::python {
namespace {

/// Calls a function of skerry/_ufunc_methods.py, imported by the first call, with `self` before the
/// arguments.
PyObject* call_python(LazyObject& function, const char* name, PyObject* self, PyObject* const* args,
                      Py_ssize_t count, PyObject* keywords) noexcept {
  return translate_exceptions([&] {
    PyObject* const called =
        function.get([&] { return package_function("skerry._ufunc_methods", name).release(); });
    const Py_ssize_t all = count + (keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0);
    std::vector<PyObject*> values(args, args + all);
    values.insert(values.begin(), self);
    return PyObject_Vectorcall(called, values.data(), static_cast<std::size_t>(count + 1),
                               keywords);
  });
}

#define SKERRY_UFUNC_METHOD(name)                                                                 \
  PyObject* run_##name(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keys) { \
    static constinit LazyObject function;                                                         \
    return call_python(function, #name, self, args, count, keys);                                 \
  }
SKERRY_UFUNC_METHOD(accumulate)
SKERRY_UFUNC_METHOD(at)
SKERRY_UFUNC_METHOD(outer)
SKERRY_UFUNC_METHOD(reduce)
SKERRY_UFUNC_METHOD(reduceat)
#undef SKERRY_UFUNC_METHOD

const UfuncHeader& header(PyObject* self) { return *reinterpret_cast<UfuncHeader*>(self); }
const UfuncObject& ufunc(PyObject* self) { return *reinterpret_cast<UfuncObject*>(self); }

PyObject* identity(PyObject* self, void*) {
  static constinit LazyObject function;
  return call_python(function, "identity", self, nullptr, 0, nullptr);
}
PyObject* inputs(PyObject* self, void*) { return PyLong_FromSsize_t(header(self).inputs); }
PyObject* outputs(PyObject* self, void*) { return PyLong_FromSsize_t(header(self).outputs); }
PyObject* operands(PyObject* self, void*) {
  return PyLong_FromSsize_t(header(self).inputs + header(self).outputs);
}
PyObject* no_signature(PyObject*, void*) { Py_RETURN_NONE; }

PyObject* name(PyObject* self, void*) { return PyUnicode_FromString(ufunc(self).name); }
PyObject* doc(PyObject* self, void*) { return PyUnicode_FromString(ufunc(self).doc); }
PyObject* text_signature(PyObject* self, void*) {
  return PyUnicode_FromString(ufunc(self).signature);
}
PyObject* module_name(PyObject* self, void*) {
  return PyUnicode_FromString(ufunc(self).module_name);
}
PyObject* format_name(PyObject* self) {
  return PyUnicode_FromFormat("<function skerry.%s>", ufunc(self).name);
}
/// Pickles by name.
PyObject* pickle(PyObject* self, PyObject*) { return name(self, nullptr); }
/// As a class attribute the function is not a method, as builtin functions are not. With this slot,
/// inspect reads `__text_signature__`.
PyObject* get(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

void dealloc(PyObject* self) {
  if (ufunc(self).weak_references != nullptr) PyObject_ClearWeakRefs(self);
  PyObject_Free(self);
}

PyMethodDef own_methods[] = {{"__reduce__", pickle, METH_NOARGS, nullptr}, {}};
PyGetSetDef own_attributes[] = {
    {"__name__", name, nullptr, nullptr, nullptr},
    {"__qualname__", name, nullptr, nullptr, nullptr},
    {"__doc__", doc, nullptr, nullptr, nullptr},
    {"__text_signature__", text_signature, nullptr, nullptr, nullptr},
    {"__module__", module_name, nullptr, nullptr, nullptr},
    {},
};

/// A static type: in a heap type, the name of its module would hide `__module__` of the functions.
constinit PyTypeObject ufunc_type{};

}  // namespace

PyMethodDef ufunc_methods[] = {
    make_definition("accumulate", run_accumulate,
                    "accumulate($self, array, /, axis=0, dtype=None, out=None)\n--\n\nCombine the "
                    "elements along an axis and return all intermediate results."),
    make_definition("at", run_at,
                    "at($self, a, indices, b=None, /)\n--\n\nCompute a[indices] = f(a[indices], b) "
                    "in place, repeatedly for repeated indices."),
    make_definition("outer", run_outer,
                    "outer($self, a, b, /, **kwargs)\n--\n\nApply the function to all pairs of "
                    "elements of two arrays."),
    make_definition("reduce", run_reduce,
                    "reduce($self, array, /, axis=0, dtype=None, out=None, keepdims=False, "
                    "initial=None, where=True)\n--\n\nCombine the elements along axes."),
    make_definition("reduceat", run_reduceat,
                    "reduceat($self, array, /, indices, axis=0, dtype=None, out=None)\n--\n\n"
                    "Reduce slices that begin at indices."),
    {},
};

PyGetSetDef ufunc_attributes[] = {
    {"nin", inputs, nullptr, "Number of inputs.", nullptr},
    {"nout", outputs, nullptr, "Number of outputs.", nullptr},
    {"nargs", operands, nullptr, "Number of inputs and outputs.", nullptr},
    {"identity", identity, nullptr, "Value of an empty reduction, or None.", nullptr},
    {"signature", no_signature, nullptr, "None: the function works on single elements.", nullptr},
    {},
};

void prepare_ufunc_type() {
  Py_SET_REFCNT(&ufunc_type, 1);
  ufunc_type.tp_name = "skerry._core.Ufunc";
  ufunc_type.tp_basicsize = sizeof(UfuncObject);
  ufunc_type.tp_dealloc = dealloc;
  ufunc_type.tp_vectorcall_offset = offsetof(UfuncObject, call);
  ufunc_type.tp_call = PyVectorcall_Call;
  ufunc_type.tp_repr = format_name;
  ufunc_type.tp_flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  ufunc_type.tp_weaklistoffset = offsetof(UfuncObject, weak_references);
  ufunc_type.tp_methods = join_definitions(own_methods, ufunc_methods);
  ufunc_type.tp_getset = join_definitions(own_attributes, ufunc_attributes);
  ufunc_type.tp_descr_get = get;
  if (PyType_Ready(&ufunc_type) != 0) throw PythonError{};
}

PyObject* new_ufunc(op_id id, vectorcallfunc call, const char* signature, const char* doc,
                    const char* module_name) {
  const OpEntry& op = op_table()[static_cast<std::size_t>(id)];
  Object object(PyType_GenericAlloc(&ufunc_type, 0));
  auto& function = *reinterpret_cast<UfuncObject*>(object.get());
  function.header.inputs = op.arity;
  function.header.outputs = 1;
  function.call = call;
  function.id = id;
  function.name = op.name;
  function.signature = signature;
  function.doc = doc;
  function.module_name = module_name;
  return object.release();
}

PyObject* call_with_options(PyObject* function, PyObject* const* args, Py_ssize_t count,
                            PyObject* keywords) noexcept {
  static constinit LazyObject called;
  PyObject* const result = call_python(called, "call", function, args, count, keywords);
  if (result != nullptr) [[likely]]
    return result;
  return name_failed_call(function, args, count, keywords);
}

}  // namespace skerry::python
