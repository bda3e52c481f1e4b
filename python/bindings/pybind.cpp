// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/pybind.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/scalar_args.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

std::vector<PyTypeObject*> own_types;

bool is_pybind_instance(PyObject* value) {
  return Py_TYPE(value) == py::detail::get_internals().default_metaclass;
}

/// Returns the type's name without the module, which is private.
std::string unqualified_name(PyTypeObject* type) {
  const std::string name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

/// Returns pybind11's own `__new__`, which creates an object without a C++ value.
newfunc new_empty() {
  return reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base)->tp_new;
}

/// Returns the type of this module that `type` is or derives from, or null.
PyTypeObject* own_ancestor(PyTypeObject* type) {
  while (type != nullptr &&
         std::find(own_types.begin(), own_types.end(), type) == own_types.end()) {
    type = type->tp_base;
  }
  return type;
}

/// Implements `__new__`: also runs the constructor, so that the object is always initialized.
/// pybind11 ignores the second `__init__`, which Python calls after `__new__`.
PyObject* new_initialized(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return translate_exceptions([&]() -> PyObject* {
    PyTypeObject* const ancestor = own_ancestor(type);
    if (ancestor == nullptr) throw TypeError("__new__: not a type of skerry: " + type_name(args));
    PyObject* const constructor = PyDict_GetItemString(ancestor->tp_dict, "__init__");
    if (constructor == nullptr || PyInstanceMethod_Check(constructor) == 0) {
      throw TypeError(unqualified_name(ancestor) +
                      ": has no constructor; functions and attributes of skerry return instances");
    }
    Object self(new_empty()(type, args, keywords));
    const Object bound(
        Py_TYPE(constructor)
            ->tp_descr_get(constructor, self.get(), reinterpret_cast<PyObject*>(ancestor)));
    static_cast<void>(Object(PyObject_Call(bound.get(), args, keywords)));
    return self.release();
  });
}

/// The function of the type's attribute `__new__`.
PyObject* call_new(PyObject* own_type, PyObject* args, PyObject* keywords) {
  PyObject* const type = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  auto* const ancestor = reinterpret_cast<PyTypeObject*>(own_type);
  if (type == nullptr || PyType_Check(type) == 0 ||
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), ancestor) == 0) {
    PyErr_Format(PyExc_TypeError, "%s.__new__: the first argument must be that type or a subtype",
                 unqualified_name(ancestor).c_str());
    return nullptr;
  }
  PyObject* const rest = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
  if (rest == nullptr) return nullptr;
  PyObject* const result = new_initialized(reinterpret_cast<PyTypeObject*>(type), rest, keywords);
  Py_DECREF(rest);
  return result;
}

PyMethodDef new_method = {"__new__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_new)),
                          METH_VARARGS | METH_KEYWORDS, nullptr};

void forbid_empty_objects(PyTypeObject* type) {
  own_types.push_back(type);
  const Object new_function(PyCFunction_New(&new_method, reinterpret_cast<PyObject*>(type)));
  set_attribute(reinterpret_cast<PyObject*>(type), "__new__", new_function);
  // Replaces the generic slot that looks up the attribute; with that slot, the base's `__new__`
  // would reject the type.
  type->tp_new = new_initialized;
}

/// Returns "device, index=None" for
/// "name(self: Device, device: object, index: object = None) -> Device".
std::string parameters_in(std::string_view doc) {
  doc = doc.substr(0, doc.find('\n'));
  const std::size_t open = doc.find('(');
  const std::size_t close = doc.rfind(") ->");
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  std::string_view left = doc.substr(open + 1, close - open - 1);
  std::string parameters;
  while (!left.empty()) {
    const std::size_t comma = left.find(", ");
    const std::string_view parameter = left.substr(0, comma);
    left = comma == std::string_view::npos ? "" : left.substr(comma + 2);
    if (parameter.starts_with("self:")) continue;
    const std::size_t equals = parameter.find(" = ");
    parameters +=
        (parameters.empty() ? "" : ", ") + std::string(parameter.substr(0, parameter.find(':')));
    if (equals != std::string_view::npos)
      parameters += "=" + std::string(parameter.substr(equals + 3));
  }
  return parameters;
}

/// Throws the error for arguments that no overload accepts.
struct Rejection {
  std::string function;
  std::string parameters;
  bool has_self;

  [[noreturn]] void operator()(const py::args& args, const py::kwargs& keywords) const {
    std::string argument_types;
    for (std::size_t i = has_self ? 1 : 0; i < args.size(); ++i) {
      argument_types += (argument_types.empty() ? "" : ", ") + type_name(args[i].ptr());
    }
    for (const auto& [name, value] : keywords) {
      argument_types += (argument_types.empty() ? "" : ", ") + std::string(py::str(name)) + "=" +
                        type_name(value.ptr());
    }
    throw TypeError(function + ": takes (" + parameters + "), not (" + argument_types + ")");
  }
};

/// Prepends the line from which Python derives `__text_signature__`; pybind11 frees the docstring.
void set_docstring(PyObject* function, const std::string& name, bool has_self,
                   const std::string& parameters) {
  const std::string self = !has_self ? "" : parameters.empty() ? "self" : "self, ";
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  const std::string old = definition.ml_doc != nullptr ? definition.ml_doc : "";
  std::free(const_cast<char*>(definition.ml_doc));
  definition.ml_doc = strdup((name + "(" + self + parameters + ")\n--\n\n" + old).c_str());
}

/// Adds a last overload that accepts any arguments and reports why they are wrong.
void explain_rejections(py::handle scope, const std::string& name, PyObject* function) {
  if (PyCFunction_Check(function) == 0) return;
  const auto* const record =
      py::detail::function_record_ptr_from_PyObject(PyCFunction_GET_SELF(function));
  if (record == nullptr) return;
  const std::string owner =
      PyType_Check(scope.ptr()) != 0
          ? unqualified_name(reinterpret_cast<PyTypeObject*>(scope.ptr())) + "."
          : std::string();
  const std::string doc = py::str(py::handle(function).attr("__doc__"));
  const py::sibling sibling(function);
  py::options options;
  options.disable_function_signatures();
  if (record->is_constructor) {
    const Rejection rejection{owner.substr(0, owner.size() - 1), parameters_in(doc), false};
    const py::cpp_function last(
        [rejection](py::detail::value_and_holder&, const py::args& args,
                    const py::kwargs& keywords) { rejection(args, keywords); },
        py::name(record->name), py::is_method(scope), sibling,
        py::detail::is_new_style_constructor());
    set_docstring(function, name, true, rejection.parameters);
    return;
  }
  const Rejection rejection{owner + name, parameters_in(doc), record->is_method};
  const auto body = [rejection](const py::args& args, const py::kwargs& keywords) {
    rejection(args, keywords);
  };
  if (record->is_method) {
    const py::cpp_function last(body, py::name(record->name), py::is_method(scope), sibling);
  } else {
    const py::cpp_function last(body, py::name(record->name), py::scope(scope), sibling);
  }
  set_docstring(function, name, record->is_method, rejection.parameters);
}

void explain_rejections(py::handle type) {
  const auto attributes = py::dict(type.attr("__dict__"));  // a copy
  for (const auto& [name, value] : attributes) {
    const std::string text = py::str(name);
    if (PyInstanceMethod_Check(value.ptr()) != 0) {
      explain_rejections(type, text, PyInstanceMethod_GET_FUNCTION(value.ptr()));
    } else if (py::isinstance<py::staticmethod>(value)) {
      explain_rejections(type, text, py::object(value.attr("__func__")).ptr());
    } else if (Py_TYPE(value.ptr()) == &PyProperty_Type) {
      explain_rejections(type, text, py::object(value.attr("fget")).ptr());
    }
  }
}

}  // namespace

std::int64_t index_argument(const char* parameter, PyObject* object) {
  if (PyIndex_Check(object) == 0 || is_numpy_array(object)) {
    throw TypeError(std::string(parameter) + " must be an int, not " + type_name(object));
  }
  if (is_array(object)) {
    const NdArray& x = value_of(object);
    const Device usual = find_default_device().value_or(x.device());
    if (x.device() != usual) reject_device_mismatch(parameter, x, usual);
    if (x.rank() != 0 || !is_integer(x.dtype())) {
      throw TypeError(std::string(parameter) + " must be an int, not " + describe(x));
    }
  }
  return clamped_integer(Object(PyNumber_Index(object)).get());
}

void list_public_names(const py::module_& module, const char* module_name) {
  py::list names;
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (py::getattr(value, "__module__", py::none()).equal(py::str(module_name)))
      names.append(name);
  }
  module.attr("__all__") = names;
}

void finish_bindings(const py::module_& module) {
  const auto members = py::dict(module.attr("__dict__"));
  for (const auto& [name, value] : members) {
    if (is_pybind_instance(value.ptr())) {
      explain_rejections(value);
      forbid_empty_objects(reinterpret_cast<PyTypeObject*>(value.ptr()));
    } else {
      explain_rejections(module, py::str(name), value.ptr());
    }
  }
}

}  // namespace skerry::python
