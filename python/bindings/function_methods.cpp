// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/value_args.hpp"

// Methods that forward to a function: the table, and the `prepare` functions that handle NumPy's
// parameters before the call. A `prepare` function returns null unless it computes the result.
namespace skerry::python {
namespace {

bool is_specified(const MethodCall& call, int parameter) { return call.arguments.has(parameter); }

[[noreturn]] void reject(const MethodCall& call, int parameter, const char* remedy) {
  const char* name = PyUnicode_AsUTF8(call.arguments.signature->name(parameter));
  throw ValueError(std::string(name) + "=" + shown(call.arguments[parameter]) +
                   " has no counterpart in skerry; " + remedy);
}

NdArray flat(const NdArray& x) {
  static constexpr std::int64_t all[] = {-1};
  return reshape(x, all, std::nullopt);
}

void flatten(MethodCall& call) {
  const NdArray& x = call.array();
  call.put(0, Object(wrap_result(x.size() > min_size_without_gil, [&] { return flat(x); })));
}

/// Calls a function by name with positional arguments.
Object called(const char* function, std::initializer_list<PyObject*> args) {
  const RegisteredFunction& known_function = find_function(function);
  PyObject* values[Signature::max_parameters] = {};
  std::copy(args.begin(), args.end(), values);
  return Object(known_function.implementation(
      {*args.begin(), values, nullptr, 0, &known_function.signature}));
}

/// Returns the identity of a reduction, as a bool or int; null for min and max, which have none.
Object identity_of(std::string_view op, Dtype type) {
  if (op == "min" || op == "max") return {};
  const bool one = op == "prod" || op == "all";
  return Object(type == Dtype::bool_ ? PyBool_FromLong(one) : PyLong_FromLong(one));
}

/// Handles where= and initial=, the last parameters of a reduction: replaces elements where `where`
/// is false by the identity (by `initial` for min and max), and combines the result with `initial`.
template <bool HasInitial>
PyObject* reduce_some(MethodCall& call) {
  const Arguments& arguments = call.arguments;
  const std::string_view op = arguments.signature->function();
  const int last = arguments.signature->count() - 1;
  PyObject* const where_argument = arguments[last];
  PyObject* const initial =
      HasInitial && is_specified(call, last - 1) ? arguments[last - 1] : nullptr;
  if (where_argument != nullptr && where_argument != Py_True) {
    Object neutral = identity_of(op, call.array().dtype());
    if (neutral.get() == nullptr) {
      if (initial == nullptr)
        throw ValueError("where= needs initial=, as this reduction has no identity");
      neutral = Object::borrow(initial);
    }
    const Object mask = array_of_items(where_argument, call.array().device());
    call.put(0, called("where", {mask.get(), call.values[0], neutral.get()}));
  }
  if (initial == nullptr) return nullptr;
  const RegisteredFunction& function = find_function(op);
  const Object result(
      function.implementation({arguments.self, call.values, nullptr, 0, &function.signature}));
  if (op == "sum") return Object(PyNumber_Add(result.get(), initial)).release();
  if (op == "prod") return Object(PyNumber_Multiply(result.get(), initial)).release();
  return called(op == "max" ? "maximum" : "minimum", {result.get(), initial}).release();
}

/// Casts the array to the requested dtype, in which mean, std and var compute.
PyObject* cast_first(MethodCall& call) {
  if (!is_specified(call, 1)) return nullptr;
  const Dtype type = parse_dtype(call.arguments[1]);
  if (!is_floating(type)) {
    throw DtypeError(std::string("dtype must be a floating dtype, not ") + name(type));
  }
  const NdArray& x = call.array();
  call.put(0, Object(wrap_result(x.size() > min_size_without_gil,
                                 [&] { return astype(x, type, false); })));
  return nullptr;
}

/// Flattens the array if axis is None or absent; axis is the method's first parameter.
PyObject* flat_without_axis(MethodCall& call) {
  if (is_specified(call, 0) || call.array().rank() == 1) return nullptr;
  flatten(call);
  return nullptr;
}

bool has_one_axis(PyObject* const* values) { return value_of(values[0]).rank() == 1; }

/// Flattens the array if axis is None, but not if it is absent. Rejects order=, which selects
/// fields of structured dtypes in NumPy.
PyObject* flat_if_axis_is_none(MethodCall& call) {
  if (is_specified(call, 2)) reject(call, 2, "leave it out");
  if (call.arguments[0] != Py_None) return nullptr;
  flatten(call);
  call.values[1] = nullptr;
  return nullptr;
}

/// True if `object` is one of these strings.
bool is_one_of(PyObject* object, std::initializer_list<const char*> choices) {
  for (const char* option : choices) {
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, option) == 0)
      return true;
  }
  return false;
}

PyObject* check_cast(MethodCall& call) {
  const Arguments& arguments = call.arguments;
  if (arguments[1] != nullptr && !is_one_of(arguments[1], {"K", "C", "A"})) {
    reject(call, 1, "results are in C order or keep the array's order");
  }
  if (arguments[2] == nullptr || is_one_of(arguments[2], {"unsafe"})) return nullptr;
  const Dtype source_dtype = call.array().dtype();
  const Dtype destination_dtype = parse_dtype(arguments[0]);
  const Object allowed(PyObject_CallMethod(numpy(), "can_cast", "OOO", dtype_object(source_dtype),
                                           dtype_object(destination_dtype), arguments[2]));
  if (allowed.get() == Py_True) return nullptr;
  throw DtypeError(std::string(name(source_dtype)) + " does not cast to " +
                   name(destination_dtype) + " with casting=" + shown(arguments[2]) +
                   "; use casting='unsafe'");
}

/// Converts the method's first argument, if it is a list, a tuple or an int, to an array on the
/// array's device.
PyObject* items_in_first(MethodCall& call) {
  call.put(1, array_of_items(call.values[1], call.array().device()));
  return nullptr;
}

PyObject* lists_of_repeats(MethodCall& call) {
  return PyLong_Check(call.values[1]) ? nullptr : items_in_first(call);
}

PyObject* prepare_take(MethodCall& call) {
  constexpr int mode = 3;
  if (call.arguments[mode] != nullptr && !is_one_of(call.arguments[mode], {"raise"})) {
    reject(call, mode, "bring the indices into range first, with % or skerry.clip");
  }
  items_in_first(call);
  if (!is_specified(call, 1) && call.array().rank() != 1) flatten(call);
  return nullptr;
}

bool takes_directly(PyObject* const* values) {
  const bool has_axis = values[2] != nullptr && values[2] != Py_None;
  return is_array(values[1]) && (has_axis || value_of(values[0]).rank() == 1);
}

PyObject* prepare_search(MethodCall& call) {
  const Device device = call.array().device();
  if (!PyLong_Check(call.values[1])) call.put(1, array_of_items(call.values[1], device));
  if (is_specified(call, 2)) call.put(3, array_of_items(call.values[3], device));
  return nullptr;
}

/// Returns real and boolean arrays themselves, as NumPy does.
PyObject* own_conjugate(MethodCall& call) {
  const Dtype type = header_of(call.values[0]).dtype();
  if (kind(type) == DtypeKind::complex_floating) return nullptr;
  return Py_NewRef(call.values[0]);
}

PyObject* all_axes_of_size_1(MethodCall& call) {
  if (is_specified(call, 0)) return nullptr;
  const NdArray& x = call.array();
  std::vector<std::int64_t> axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] == 1) axes.push_back(axis);
  }
  return wrap(squeeze(x, axes));
}

/// Moves axis1= and axis2= to the end: the function works on the last two axes.
PyObject* planes_at_end(MethodCall& call) {
  const NdArray& x = call.array();
  const std::int64_t planes[] = {integer(call.arguments, 1, 0), integer(call.arguments, 2, 1)};
  const Dims axes = normalize_axes(planes, x.rank());
  const std::vector<std::int64_t> moved(axes.begin(), axes.end());
  const AxesAtEnd order(x.rank(), moved);
  call.put(0, Object(wrap(permute_dims(x, order.forward))));
  return nullptr;
}

/// Rounds to decimals with skerry.around, which is written in Python.
PyObject* round_to_decimals(MethodCall& call) {
  const std::int64_t decimals = integer(call.arguments, 0, 0);
  if (decimals == 0) return nullptr;
  const Object module(PyImport_ImportModule("skerry"));
  return Object(PyObject_CallMethod(module.get(), "around", "OL", call.values[0],
                                    static_cast<long long>(decimals)))
      .release();
}

/// Computes the products that matmul does not: by `*` with scalars and 0-d arrays, by tensordot
/// with an operand of three or more axes.
PyObject* prepare_dot(MethodCall& call) {
  PyObject* const other = call.values[1];
  Scalar value;
  const bool no_axes =
      is_array(other) ? value_of(other).rank() == 0 : parse_scalar(other, value) == Parsed::yes;
  if (no_axes || call.array().rank() == 0) {
    return Object(PyNumber_Multiply(call.values[0], other)).release();
  }
  if (!is_array(other) || value_of(other).rank() < 3) return nullptr;
  const Object axes(Py_BuildValue("((i)(i))", -1, -2));
  return called("tensordot", {call.values[0], other, axes.get()}).release();
}

bool multiplies_directly(PyObject* const* values) {
  if (!is_array(values[1])) return false;
  const int rank = value_of(values[1]).rank();
  return (rank == 1 || rank == 2) && value_of(values[0]).rank() > 0;
}

#define SKERRY_LOGICAL "($self, /, axis=None, out=None, keepdims=False, *, where=True)"
#define SKERRY_MEAN "($self, /, axis=None, dtype=None, out=None, keepdims=False)"
#define SKERRY_SUM \
  "($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)"
#define SKERRY_SPREAD "($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False)"
#define SKERRY_EXTREME "($self, /, axis=None, out=None, keepdims=False, initial=None, where=True)"
#define SKERRY_PLACE "($self, /, axis=None, out=None, *, keepdims=False)"

constexpr MethodEntry table[] = {
    {"all", SKERRY_LOGICAL, "all", reduce_some<false>, true},
    {"any", SKERRY_LOGICAL, "any", reduce_some<false>, true},
    {"argmax", SKERRY_PLACE, "argmax"},
    {"argmin", SKERRY_PLACE, "argmin"},
    {"argsort", "($self, /, axis=-1, kind=None, order=None, *, stable=None, descending=None)",
     "argsort", flat_if_axis_is_none},
    {"astype", "($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)", "astype",
     check_cast, true},
    {"clip", "($self, /, min=None, max=None, out=None)", "clip"},
    {"conj", "($self, /)", "conj", own_conjugate},
    {"conjugate", "($self, /)", "conj", own_conjugate},
    {"cumprod", "($self, /, axis=None, dtype=None, out=None)", "cumulative_prod", flat_without_axis,
     false, has_one_axis},
    {"cumsum", "($self, /, axis=None, dtype=None, out=None)", "cumulative_sum", flat_without_axis,
     false, has_one_axis},
    {"diagonal", "($self, /, offset=0, axis1=0, axis2=1)", "diagonal", planes_at_end},
    {"dot", "($self, other, /, out=None)", "matmul", prepare_dot, false, multiplies_directly},
    {"max", SKERRY_EXTREME, "max", reduce_some<true>, true},
    {"mean", SKERRY_MEAN, "mean", cast_first, true},
    {"min", SKERRY_EXTREME, "min", reduce_some<true>, true},
    {"nonzero", "($self, /)", "nonzero"},
    {"prod", SKERRY_SUM, "prod", reduce_some<true>, true},
    {"repeat", "($self, repeats, /, axis=None)", "repeat", lists_of_repeats},
    {"round", "($self, /, decimals=0, out=None)", "round", round_to_decimals, true},
    {"searchsorted", "($self, v, /, side='left', sorter=None)", "searchsorted", prepare_search},
    {"squeeze", "($self, /, axis=None)", "squeeze", all_axes_of_size_1},
    {"std", SKERRY_SPREAD, "std", cast_first, true},
    {"sum", SKERRY_SUM, "sum", reduce_some<true>, true},
    {"take", "($self, indices, /, axis=None, out=None, mode='raise')", "take", prepare_take, false,
     takes_directly},
    {"trace", "($self, /, offset=0, axis1=0, axis2=1, dtype=None, out=None)", "trace",
     planes_at_end},
    {"var", SKERRY_SPREAD, "var", cast_first, true},
};

#undef SKERRY_LOGICAL
#undef SKERRY_MEAN
#undef SKERRY_SUM
#undef SKERRY_SPREAD
#undef SKERRY_EXTREME
#undef SKERRY_PLACE

}  // namespace

void add_function_methods(PyTypeObject* type) { add_methods(type, method_definitions<table>()); }

}  // namespace skerry::python
