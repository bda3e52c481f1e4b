// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/reduction_options.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/errors.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/promotion.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/move/copy.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/reduce/reductions.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/asarray.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Kinds of reductions that differ in NumPy's parameters.
enum class ReductionKind : std::uint8_t { sum, mean, spread, extreme, logical, position, other };

ReductionKind kind_of(const ReductionEntry& op) {
  const std::string_view name(op.name);
  if (op.is_private) return ReductionKind::other;
  if (op.has_dtype) return ReductionKind::sum;
  if (op.has_correction) return ReductionKind::spread;
  if (op.has_one_axis) return ReductionKind::position;
  if (name == "mean") return ReductionKind::mean;
  if (name == "max" || name == "min") return ReductionKind::extreme;
  if (name == "all" || name == "any") return ReductionKind::logical;
  return ReductionKind::other;
}

/// Returns the identity of a reduction, as a Python scalar of the array's kind; null for max and
/// min, which have none.
Object identity_of(std::string_view op, Dtype type) {
  if (op == "min" || op == "max") return {};
  const bool one = op == "prod" || op == "all";
  return Object(type == Dtype::bool_ ? PyBool_FromLong(one) : PyLong_FromLong(one));
}

/// Returns the array, with elements for which `mask` is false replaced by the identity, or by
/// `initial` if the reduction has none.
Object masked(std::string_view op, PyObject* array, PyObject* mask, PyObject* initial) {
  const NdArray& x = value_of(array);
  Object neutral = identity_of(op, x.dtype());
  if (neutral.get() == nullptr) {
    if (initial == nullptr)
      throw ValueError("where= needs initial=, as this reduction has no identity");
    neutral = Object::borrow(initial);
  }
  return called("where", {mask, array, neutral.get()});
}

/// Combines the results of a reduction with `initial`.
Object combined(std::string_view op, const Object& result, PyObject* initial) {
  const char* const function = op == "sum"    ? "add"
                               : op == "prod" ? "multiply"
                               : op == "max"  ? "maximum"
                                              : "minimum";
  return called(function, {result.get(), initial});
}

/// Calls the function of the same name in Python, which handles where= and mean=.
PyObject* reduce_in_python(const Arguments& arguments, const ReductionParameters& parameters) {
  const Signature& signature = *arguments.signature;
  const Object operands(PyTuple_Pack(1, array_object(arguments, 0)));
  const Object options(PyDict_New());
  const int out = signature.find("out");
  for (int i = 1; i < signature.count(); ++i) {
    if (!arguments.has(i) || i == out || i == parameters.ddof || i == parameters.correction)
      continue;
    if (PyDict_SetItem(options.get(), signature.name(i), arguments[i]) != 0) throw PythonError{};
  }
  if (parameters.correction >= 0) {
    const Object correction(PyFloat_FromDouble(parse_correction(arguments, parameters)));
    if (PyDict_SetItemString(options.get(), "correction", correction.get()) != 0)
      throw PythonError{};
  }
  const Object function = package_function("skerry._moments", signature.function());
  return PyObject_Call(function.get(), operands.get(), options.get());
}

}  // namespace

ReductionParameters::ReductionParameters(const Signature& signature)
    : dtype(signature.find("dtype")),
      keepdims(signature.find("keepdims")),
      initial(signature.find("initial")),
      mask(signature.find("where")),
      mean(signature.find("mean")),
      correction(signature.find("correction")),
      ddof(signature.find("ddof")) {}

const char* reduction_signature(const ReductionEntry& op) {
  switch (kind_of(op)) {
    case ReductionKind::sum:
      return "(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)";
    case ReductionKind::mean:
      return "(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True)";
    case ReductionKind::spread:
      return "(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=0.0, "
             "where=True, mean=None)";
    case ReductionKind::extreme:
      return "(x, /, axis=None, out=None, keepdims=False, initial=None, where=True)";
    case ReductionKind::logical:
      return "(x, /, axis=None, out=None, keepdims=False, *, where=True)";
    case ReductionKind::position:
      return "(x, /, axis=None, out=None, *, keepdims=False)";
    case ReductionKind::other:
      break;
  }
  return "(x, /, axis=None, *, keepdims=False)";
}

std::string reduction_options_doc(const ReductionEntry& op) {
  const std::string_view signature = reduction_signature(op);
  const auto has = [&](const char* name) { return signature.find(name) != std::string_view::npos; };
  std::string text;
  if (op.has_dtype) {
    text += "dtype : dtype, optional\n    Dtype of the result.\n";
  } else if (has("dtype=")) {
    text +=
        "dtype : dtype, optional\n    A floating dtype, to which the elements are cast first.\n";
  }
  if (has("out=")) {
    text +=
        "out : Array, optional\n    Of the shape and device of the result, which is stored "
        "in it.\n";
  }
  if (op.has_correction) {
    text +=
        "correction, ddof : float\n    Subtracted from the number of elements in the divisor: 0 "
        "for a population, 1 for a\n    sample (Bessel's correction). ddof is NumPy's name.\n";
  }
  if (has("initial=")) {
    text += "initial : Python scalar or 0-d Array, optional\n    Combined with each result.\n";
  }
  if (has("where=")) {
    text += "where : Array or bool\n    Elements to include, broadcast against x.";
    text += kind_of(op) == ReductionKind::extreme ? " It requires initial.\n" : "\n";
  }
  if (has("mean=")) {
    text +=
        "mean : Array, optional\n    The mean, computed with keepdims=True, so that it is not "
        "computed again.\n";
  }
  return text;
}

double parse_correction(const Arguments& arguments, const ReductionParameters& parameters) {
  const bool has_ddof = arguments[parameters.ddof] != nullptr;
  const int position = has_ddof ? parameters.ddof : parameters.correction;
  if (arguments[position] == nullptr) return 0;
  if (has_ddof && arguments[parameters.correction] != nullptr) {
    throw ValueError("correction and ddof are the same parameter; pass one of them");
  }
  const Object object = value_argument(arguments, position, arguments[position]);
  const Scalar value = require_scalar(has_ddof ? "ddof" : "correction", object.get());
  return to_element(value, Dtype::float64).as<double>();
}

PyObject* reduce_moments(reduction_id id, const NdArray& x,
                         std::optional<std::span<const std::int64_t>> axes,
                         std::optional<Dtype> type, bool keepdims, double correction) {
  if (type && !is_floating(*type)) {
    throw DtypeError(std::string("dtype must be a floating dtype, not ") + name(*type));
  }
  const ReductionEntry& op = reduction_table()[static_cast<std::size_t>(id)];
  return wrap_result(x.size() > min_size_without_gil, [&]() -> NdArray {
    const NdArray elements = type ? astype(x, *type, false) : x;
    const bool is_complex = kind(elements.dtype()) == DtypeKind::complex_floating;
    if (!op.has_correction || !is_complex || promotion_is_strict())
      return reduce(id, elements, axes, std::nullopt, keepdims, correction);
    constexpr reduction_id variance = ops::index_of<ops::var, ops::reductions>;
    const auto of_part = [&](bool imaginary) {
      return reduce(variance, part_of(elements, imaginary), axes, std::nullopt, keepdims,
                    correction);
    };
    const NdArray sum = linalg::add(of_part(false), of_part(true));
    return id == variance ? sum : linalg::sqrt(sum);
  });
}

PyObject* reduce_selected(const Arguments& arguments, const ReductionParameters& parameters,
                          PyObject* (*reduction)(const Arguments& arguments)) {
  const std::string_view op = arguments.signature->function();
  const bool has_mean = parameters.mean >= 0 && arguments.has(parameters.mean);
  const bool has_mask =
      arguments[parameters.mask] != nullptr && arguments[parameters.mask] != Py_True;
  if (has_mean || (has_mask && (op == "mean" || op == "std" || op == "var")))
    return reduce_in_python(arguments, parameters);
  Object array = Object::borrow(array_object(arguments, 0));
  const bool has_initial = parameters.initial >= 0 && arguments.has(parameters.initial);
  PyObject* const initial = has_initial ? arguments[parameters.initial] : nullptr;
  if (has_mask) {
    if (is_numpy_array(arguments[parameters.mask]))
      static_cast<void>(array_argument(arguments, parameters.mask));
    array = masked(op, array.get(), arguments[parameters.mask], initial);
  }
  PyObject* values[Signature::max_parameters] = {};
  std::copy_n(arguments.values, arguments.signature->count(), values);
  values[0] = array.get();
  values[parameters.mask] = nullptr;
  if (has_initial) values[parameters.initial] = nullptr;
  const Arguments selected{arguments.self, values, nullptr, 0, arguments.signature};
  const NdArray& x = value_of(array.get());
  if (has_initial && x.size() == 0 && (op == "max" || op == "min")) {
    // Counts over no elements are zeros of the shape of the result.
    PyObject* const keepdims = values[parameters.keepdims];
    const Object zeros = called("count_nonzero", {array.get(), values[1], keepdims});
    return called("full_like", {zeros.get(), initial, dtype_object(x.dtype())}).release();
  }
  Object result(reduction(selected));
  return has_initial ? combined(op, result, initial).release() : result.release();
}

}  // namespace skerry::python
