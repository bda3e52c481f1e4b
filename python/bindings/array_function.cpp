// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/promotion.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/promotion.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/call_sites.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/profiled_call.hpp"
#include "python/bindings/sequence.hpp"
#include "python/bindings/sequence_items.hpp"
#include "python/bindings/ufunc_type.hpp"
#include "python/bindings/value_args.hpp"

// Functions written in Python that accept NumPy's arrays and lists, like those in C++ do
// (python/skerry/_arrays.py). Most calls need no conversion: they call the function directly,
// without a Python frame in between to check the arguments.
namespace skerry::python {
namespace {

struct ArrayFunction {
  UfuncHeader header;  ///< inputs is 0 unless the function is a ufunc in NumPy
  PyObject* attributes;
  PyObject* weak_references;
  PyObject* direct;      ///< the function
  PyObject* converting;  ///< the function with conversion of arguments
  PyObject* operation;   ///< the private elementwise operation of the same name, or null
  const OpEntry* entry;  ///< of `operation`
  PyObject* parameters;  ///< a tuple: the name of each positional parameter for an array, else None
  bool writes;           ///< into its first argument
  vectorcallfunc call;
};

/// Decides whether the arguments of a call need conversion.
class ArgumentSummary {
 public:
  /// Adds an argument. False if it needs conversion regardless of the other arguments.
  template <class IsOfArray>
  bool add(PyObject* value, IsOfArray is_of_array) {
    if (is_array(value)) {
      add_array(value);
      return true;
    }
    if (!may_become_array(value)) return true;
    if (!is_list_or_tuple(value) || is_of_array()) return false;
    const SequenceItems items(value);
    has_sequences_ = true;
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      if (is_array(items[i])) {
        add_array(items[i]);
      } else if (may_become_array(items[i])) {
        return false;
      }
    }
    return true;
  }
  /// True if no conversion is needed: without any array, scalars become arrays, and the converting
  /// form also checks the devices of arrays inside sequences.
  [[nodiscard]] bool is_direct(bool takes_arrays) const noexcept {
    return !(has_sequences_ && devices_differ_) && !(takes_arrays && arrays_ == 0);
  }

 private:
  void add_array(PyObject* value) {
    const Device device = header_device(value);
    if (arrays_++ == 0) {
      first_ = device;
    } else {
      devices_differ_ = devices_differ_ || device != first_;
    }
  }

  Device first_{};
  std::int64_t arrays_ = 0;
  bool devices_differ_ = false;
  bool has_sequences_ = false;
};

bool is_direct(const ArrayFunction& function, PyObject* const* args, Py_ssize_t count,
               PyObject* keywords) {
  ArgumentSummary summary;
  const Py_ssize_t all = count + (keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0);
  if (function.writes && count > 0 && !is_array(args[0])) return false;
  PyObject* const* const names = PySequence_Fast_ITEMS(function.parameters);
  PyObject* const* const end = names + PyTuple_GET_SIZE(function.parameters);
  for (Py_ssize_t i = 0; i < all; ++i) {
    const auto is_of_array = [&] {
      if (i < count) return names + i < end && names[i] != Py_None;
      return std::find(names, end, PyTuple_GET_ITEM(keywords, i - count)) != end;
    };
    if (!summary.add(args[i], is_of_array)) return false;
  }
  return summary.is_direct(names != end);
}

/// Returns the kind of an int or float, Python's or NumPy's; empty for other objects.
std::optional<ScalarKind> kind_of_number(PyObject* object) {
  if (PyFloat_CheckExact(object)) return ScalarKind::real;
  if (PyLong_CheckExact(object)) return ScalarKind::integer;
  Scalar value;
  if (!is_numpy_scalar(object) || parse_scalar(object, value) != Parsed::yes) {
    PyErr_Clear();
    return std::nullopt;
  }
  const bool is_real = value.kind == ScalarKind::real || value.kind == ScalarKind::integer;
  return is_real ? std::optional(value.kind) : std::nullopt;
}

/// True if the operation gives the same result as the function: for arrays of one dtype that it has
/// a loop for, or of integers, which it promotes, and scalars of no higher kind.
bool is_of_operation(const ArrayFunction& function, PyObject* const* args, Py_ssize_t count) {
  if (function.operation == nullptr || count != function.entry->arity) return false;
  std::optional<Dtype> type;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_array(args[i])) continue;
    const Dtype own_type = header_of(args[i]).dtype();
    if (type.value_or(own_type) != own_type) return false;
    type = own_type;
  }
  if (!type) return false;
  const DtypeKind dtype_kind = kind(*type);
  const bool is_floating = dtype_kind == DtypeKind::real_floating;
  const bool is_integer =
      dtype_kind == DtypeKind::signed_integer || dtype_kind == DtypeKind::unsigned_integer;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (is_array(args[i])) continue;
    const std::optional<ScalarKind> number = kind_of_number(args[i]);
    if (!number || (*number == ScalarKind::real && !is_floating)) return false;
  }
  return function.entry->result[static_cast<int>(*type)].has_value() ||
         (is_integer && !promotion_is_strict());
}

PyObject* call(PyObject* self, PyObject* const* args, std::size_t count, PyObject* keywords) {
  const ArrayFunction& function = *reinterpret_cast<ArrayFunction*>(self);
  const Py_ssize_t positional = PyVectorcall_NARGS(count);
  if (keywords == nullptr && is_of_operation(function, args, positional)) {
    return PyObject_Vectorcall(function.operation, args, count, nullptr);
  }
  const bool direct = is_direct(function, args, positional, keywords);
  PyObject* const called = direct ? function.direct : function.converting;
  PyObject* const result = PyObject_Vectorcall(called, args, count, keywords);
  if (result != nullptr) [[likely]]
    return result;
  return name_failed_call(function.direct, args, positional, keywords);
}

/// Calls a function that is a ufunc in NumPy.
PyObject* call_ufunc(PyObject* self, PyObject* const* args, std::size_t count, PyObject* keywords) {
  const Py_ssize_t positional = PyVectorcall_NARGS(count);
  const Py_ssize_t inputs = reinterpret_cast<UfuncHeader*>(self)->inputs;
  if (positional < inputs || (keywords == nullptr && positional == inputs)) {
    return call(self, args, count, keywords);
  }
  return call_with_options(self, args, positional, keywords);
}

/// Calls a function while a profile is open.
template <vectorcallfunc Call>
PyObject* call_profiled(PyObject* self, PyObject* const* args, std::size_t count,
                        PyObject* keywords) {
  PyObject* const name =
      PyObject_GetAttrString(reinterpret_cast<ArrayFunction*>(self)->direct, "__name__");
  const char* const text = name != nullptr ? PyUnicode_AsUTF8(name) : nullptr;
  PyErr_Clear();
  PyObject* result = nullptr;
  {
    ProfiledCall profiled_call(text != nullptr ? text : "?", nullptr,
                               all_values(args, PyVectorcall_NARGS(count), keywords));
    result = profiled_call.end(Call(self, args, count, keywords));
  }
  Py_XDECREF(name);
  return result;
}

/// Binds like a function: as a class attribute it is a method.
PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

/// Pickles by name.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* represent(PyObject* self) {
  return translate_exceptions([&] {
    const Object name(PyObject_GetAttrString(self, "__qualname__"));
    return PyUnicode_FromFormat("<function skerry.%U>", name.get());
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  const ArrayFunction& function = *reinterpret_cast<ArrayFunction*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function.attributes);
  Py_VISIT(function.direct);
  Py_VISIT(function.converting);
  Py_VISIT(function.operation);
  Py_VISIT(function.parameters);
  return 0;
}

int clear(PyObject* self) {
  ArrayFunction& function = *reinterpret_cast<ArrayFunction*>(self);
  Py_CLEAR(function.attributes);
  Py_CLEAR(function.direct);
  Py_CLEAR(function.converting);
  Py_CLEAR(function.operation);
  Py_CLEAR(function.parameters);
  return 0;
}

void** call_site(PyObject* self) noexcept {
  return reinterpret_cast<void**>(&reinterpret_cast<ArrayFunction*>(self)->call);
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  remove_call_site(call_site(self));
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<ArrayFunction*>(self)->weak_references != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  static_cast<void>(clear(self));
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(ArrayFunction, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayFunction, weak_references), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ArrayFunction, call), READONLY, nullptr},
    {},
};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
/// Creates a type with these methods and attributes.
PyTypeObject* make_type(const char* name, PyMethodDef* type_methods, PyGetSetDef* type_attributes) {
  PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                         {Py_tp_descr_get, slot(bind)},
                         {Py_tp_repr, slot(represent)},
                         {Py_tp_traverse, slot(traverse)},
                         {Py_tp_clear, slot(clear)},
                         {Py_tp_dealloc, slot(dealloc)},
                         {Py_tp_members, members},
                         {Py_tp_methods, type_methods},
                         {Py_tp_getset, type_attributes},
                         {}};
  PyType_Spec spec{name, sizeof(ArrayFunction), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                       Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   slots};
  return reinterpret_cast<PyTypeObject*>(Object(PyType_FromSpec(&spec)).release());
}

constinit PyTypeObject* array_function_type = nullptr;
constinit PyTypeObject* array_ufunc_type = nullptr;

PyObject* run_array_function(const Arguments& arguments) {
  const std::int64_t inputs = integer(arguments, 5, 0);
  Object result(PyType_GenericAlloc(inputs > 0 ? array_ufunc_type : array_function_type, 0));
  ArrayFunction& function = *reinterpret_cast<ArrayFunction*>(result.get());
  function.header.inputs = inputs;
  function.header.outputs = integer(arguments, 6, 1);
  function.direct = Py_NewRef(arguments[0]);
  function.converting = Py_NewRef(arguments[1]);
  function.writes = PyObject_IsTrue(arguments[2]) == 1;
  static_cast<void>(items_of(arguments[4]));  // throws unless it is a tuple
  function.parameters = Py_NewRef(arguments[4]);
  if (arguments.has(3)) {
    const Object name(PyObject_GetAttrString(arguments[3], "__name__"));
    if (const std::optional<op_id> id = find_op(utf8(name.get()))) {
      function.entry = &op_table()[*id];
      function.operation = Py_NewRef(arguments[3]);
    }
  }
  function.call = inputs > 0 ? call_ufunc : call;
  add_call_site(call_site(result.get()));
  return result.release();
}

PyObject* run_require_one_device(const Arguments& arguments) {
  const std::span<PyObject* const> arrays = items_of(arguments[1]);
  if (are_arrays_of_one_device(arrays)) Py_RETURN_NONE;
  const OperationScope scope(utf8(arguments[0]));
  ConvertedArgs converted_args(nullptr);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    converted_args.add(
        arguments.has(2) ? utf8(items_of(arguments[2])[i]) : "arrays[" + std::to_string(i) + "]",
        arrays[i]);
  }
  converted_args.require_one_device();
  Py_RETURN_NONE;
}

PyObject* run_literals(const Arguments& arguments) {
  const std::span<PyObject* const> names = items_of(arguments[1]);
  const std::span<PyObject* const> values = items_of(arguments[2]);
  const std::span<PyObject* const> context = items_of(arguments[3]);
  const OperationScope scope(utf8(arguments[0]));
  ConvertedArgs converted_args(nullptr);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_named = i < names.size();
    converted_args.add(is_named ? utf8(names[i]) : "arrays[" + std::to_string(i) + "]", values[i]);
  }
  for (PyObject* other : context) converted_args.add_context("condition", other);
  converted_args.convert_all(true);
  Object result(PyTuple_New(std::ssize(values)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                     Py_NewRef(converted_args.values()[i]));
  }
  return result.release();
}

PyObject* run_are_arrays(const Arguments& arguments) {
  return PyBool_FromLong(are_arrays_of_one_device(items_of(arguments[0])));
}

PyObject* run_agree(const Arguments& arguments) {
  return PyBool_FromLong(agree(items_of(arguments[0])));
}

/// Adds axes of length 1 at the positions of NumPy's atleast_1d to atleast_3d.
NdArray with_axes(const NdArray& x, int min_rank) {
  static constexpr std::int64_t to_one[] = {0};
  static constexpr std::int64_t to_two[] = {0, 1};
  static constexpr std::int64_t to_three[][3] = {{0, 1, 2}, {0, 2}, {2}};
  const int missing = min_rank - x.rank();
  if (missing <= 0) return x;
  const std::int64_t* const axes =
      min_rank == 3 ? to_three[x.rank()] : (min_rank == 2 ? to_two : to_one);
  return expand_dims(x, {axes, static_cast<std::size_t>(missing)});
}

PyObject* run_with_axes(const Arguments& arguments) {
  const std::span<PyObject* const> values = items_of(arguments[0]);
  if (!are_arrays_of_one_device(values)) Py_RETURN_NONE;
  const int min_rank = static_cast<int>(integer(arguments, 1));
  Object result(PyTuple_New(std::ssize(values)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyObject* const x = values[i];
    const bool has_enough = value_of(x).rank() >= min_rank;
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                     has_enough ? Py_NewRef(x) : wrap(with_axes(value_of(x), min_rank)));
  }
  return result.release();
}

/// Converts an argument to values that can be assigned to elements of `target`.
NdArray assigned_values(const char* parameter, PyObject* object, const NdArray& target) {
  Scalar value;
  const Parsed number = is_array(object) ? Parsed::no : parse_scalar(object, value);
  if (number == Parsed::error) throw PythonError{};
  if (number == Parsed::yes) {
    static_cast<void>(to_element(value, target.dtype()));
    return full({}, value, target.dtype(), target.device());
  }
  NdArray x;
  if (is_array(object)) {
    x = value_of(object);
  } else if (is_numpy_array(object)) {
    x = share_numpy_array(parameter, object);
  } else if (is_list_or_tuple(object) || is_other_sequence(object)) {
    x = values_to_assign(object, target);
  } else {
    x = require_array(parameter, object);
  }
  const Operand both[] = {{.array = &target, .name = "the target"},
                          {.array = &x, .name = parameter}};
  static_cast<void>(common_device(both));
  if (x.size() > 0) check_assigned_dtype(target, x.dtype());
  return astype(x, target.dtype(), false);
}

PyObject* run_assigned(const Arguments& arguments) {
  const OperationScope scope(utf8(arguments[0]));
  return wrap(assigned_values(utf8(arguments[1]), arguments[2], array_argument(arguments, 3)));
}

constexpr FunctionEntry array_functions[] = {
    {"assigned", "(name, parameter, values, like, /)",
     "Convert an argument to values that can be assigned to elements of an array: of its dtype, on "
     "its device. Raises the errors of an assignment, in the name of a function and its parameter.",
     run_assigned},
    {"literals", "(name, names, values, context, /)",
     "Convert the literals among values, by parameter name: scalars and lists become arrays on the "
     "device of the arrays among values and context, or the default device, with the dtype that "
     "they have beside values. Errors name the function.",
     run_literals},
    {"with_axes", "(values, least, /)",
     "Return the arrays of a tuple with at least that many axes, 1 to 3, added as by NumPy; None "
     "unless all are arrays of one device.",
     run_with_axes},
    {"are_arrays", "(values, /)", "Test whether all items of a tuple are arrays of one device.",
     run_are_arrays},
    {"agree", "(values, /)",
     "Test whether all items of a tuple are arrays of one device and one dtype.", run_agree},
    {"require_one_device", "(name, arrays, names=None, /)",
     "Raise DeviceMismatchError, in the name of a function, unless all arrays of a tuple, NumPy's "
     "included, are on one device. `names` has a name for each.",
     run_require_one_device},
    {"array_function", "(direct, converting, writes, operation, parameters, nin=0, nout=1, /)",
     "Return a callable that calls `direct`, or `converting` if arguments may need conversion: "
     "NumPy's arrays, also in sequences, and lists and scalars for arrays. Calls an elementwise "
     "`operation` directly for arrays of a dtype that it supports. `parameters` has the name of "
     "each positional parameter that takes an array, None for context; it is empty if there is "
     "none. With `nin`, the callable has the attributes and options of NumPy's ufuncs.",
     run_array_function},
};

}  // namespace

void add_array_functions(PyObject* module) {
  add_profiled_form(reinterpret_cast<void*>(call), reinterpret_cast<void*>(call_profiled<call>));
  add_profiled_form(reinterpret_cast<void*>(call_ufunc),
                    reinterpret_cast<void*>(call_profiled<call_ufunc>));
  array_function_type = make_type("skerry._core.ArrayFunction", methods, attributes);
  array_ufunc_type = make_type("skerry._core.ArrayUfunc", join_definitions(methods, ufunc_methods),
                               join_definitions(attributes, ufunc_attributes));
  add_functions<array_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
