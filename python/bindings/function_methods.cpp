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
#include "python/bindings/element_order.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/value_args.hpp"

// Methods that forward to a function: the table, and the `prepare` functions that handle NumPy's
// parameters before the call. A `prepare` function returns null unless it computes the result.
namespace skerry::python {
namespace {

bool is_specified(const MethodCall& call, int parameter) { return call.arguments.has(parameter); }

NdArray flat(const NdArray& x) {
  static constexpr std::int64_t all[] = {-1};
  return reshape(x, all, std::nullopt);
}

void flatten(MethodCall& call) {
  const NdArray& x = call.array();
  call.put(0, Object(wrap_result(x.size() > min_size_without_gil, [&] { return flat(x); })));
}

/// Flattens the array if axis is None or absent; axis is the method's first parameter.
PyObject* flat_without_axis(MethodCall& call) {
  if (is_specified(call, 0) || call.array().rank() == 1) return nullptr;
  flatten(call);
  return nullptr;
}

bool has_one_axis(PyObject* const* values) { return value_of(values[0]).rank() == 1; }

/// True if `object` is one of these strings.
bool is_one_of(PyObject* object, std::initializer_list<const char*> choices) {
  for (const char* option : choices) {
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, option) == 0)
      return true;
  }
  return false;
}

/// Checks casting=, and returns the result in the order that order= requests.
PyObject* cast_in_order(MethodCall& call) {
  const Arguments& arguments = call.arguments;
  constexpr int order_parameter = 1;
  const NdArray& x = call.array();
  require_cast(x.dtype(), parse_dtype(arguments[0]), arguments[2]);
  const bool keeps_order =
      !arguments.has(order_parameter) || is_one_of(arguments[order_parameter], {"K"});
  if (keeps_order) return nullptr;
  const ElementOrder order = order_of(arguments, order_parameter, x);
  PyObject* const copied = arguments[4] != nullptr ? arguments[4] : Py_True;
  Object result = called("astype", {call.values[0], arguments[0], copied});
  const NdArray& y = value_of(result.get());
  const bool has_order =
      order == ElementOrder::f ? is_f_contiguous(y.layout(), y.itemsize()) : y.is_c_contiguous();
  if (has_order) return result.release();
  return wrap_result(y.size() > min_size_without_gil, [&] { return copy_in_order(y, order); });
}

bool takes_directly(PyObject* const* values) { return is_array(values[1]); }

/// Returns real and boolean arrays themselves, as NumPy does.
PyObject* own_conjugate(MethodCall& call) {
  const Dtype type = header_of(call.values[0]).dtype();
  if (kind(type) == DtypeKind::complex_floating) return nullptr;
  return Py_NewRef(call.values[0]);
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
    return called("multiply", {call.values[0], other}).release();
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
#define SKERRY_MEAN "($self, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True)"
#define SKERRY_SUM \
  "($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)"
#define SKERRY_SPREAD                                                                   \
  "($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, " \
  "mean=None)"
#define SKERRY_EXTREME "($self, /, axis=None, out=None, keepdims=False, initial=None, where=True)"
#define SKERRY_PLACE "($self, /, axis=None, out=None, *, keepdims=False)"

constexpr MethodEntry table[] = {
    {"all", SKERRY_LOGICAL, "all"},
    {"any", SKERRY_LOGICAL, "any"},
    {"argmax", SKERRY_PLACE, "argmax"},
    {"argmin", SKERRY_PLACE, "argmin"},
    {"argsort", "($self, /, axis=-1, kind=None, order=None, *, stable=None, descending=None)",
     "argsort"},
    {"astype", "($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)", "astype",
     cast_in_order, true},
    {"clip", "($self, /, min=None, max=None, out=None)", "clip"},
    {"conj", "($self, /)", "conj", own_conjugate},
    {"conjugate", "($self, /)", "conj", own_conjugate},
    {"cumprod", "($self, /, axis=None, dtype=None, out=None)", "cumulative_prod", flat_without_axis,
     false, has_one_axis},
    {"cumsum", "($self, /, axis=None, dtype=None, out=None)", "cumulative_sum", flat_without_axis,
     false, has_one_axis},
    {"diagonal", "($self, /, offset=0, axis1=0, axis2=1)", "diagonal", planes_at_end},
    {"dot", "($self, other, /, out=None)", "matmul", prepare_dot, false, multiplies_directly},
    {"max", SKERRY_EXTREME, "max"},
    {"mean", SKERRY_MEAN, "mean"},
    {"min", SKERRY_EXTREME, "min"},
    {"nonzero", "($self, /)", "nonzero"},
    {"prod", SKERRY_SUM, "prod"},
    {"repeat", "($self, repeats, /, axis=None)", "repeat"},
    {"round", "($self, /, decimals=0, out=None)", "round", round_to_decimals, true},
    {"searchsorted", "($self, v, /, side='left', sorter=None)", "searchsorted"},
    {"squeeze", "($self, /, axis=None)", "squeeze"},
    {"std", SKERRY_SPREAD, "std"},
    {"sum", SKERRY_SUM, "sum"},
    {"take", "($self, indices, /, axis=None, out=None, mode='raise')", "take", nullptr, false,
     takes_directly},
    {"trace", "($self, /, offset=0, axis1=0, axis2=1, dtype=None, out=None)", "trace",
     planes_at_end},
    {"var", SKERRY_SPREAD, "var"},
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
