// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/functions.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/table/table.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/recorded_calls.hpp"
#include "python/bindings/recording_lock.hpp"
#include "python/bindings/reduction_options.hpp"
#include "python/bindings/ufunc_type.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

const char* const unary_names[] = {"x"};
const char* const binary_names[] = {"x1", "x2"};

/// The functions by op_id; filled at import.
constinit PyObject* elementwise_functions[unary_count + binary_count]{};

PyObject* reject_count(const OpEntry& op, Py_ssize_t count) {
  PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s, got %zd", op.name, op.arity,
               op.arity == 1 ? "" : "s", count);
  return nullptr;
}

template <int Arity>
PyObject* elementwise_of(op_id id, const char* name, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords);

/// Computes into an array that has the dtype and the shape of the result. Returns null, without an
/// error, for other calls.
PyObject* compute_into(op_id id, PyObject* const* args, int arity, PyObject* out) {
  if (detail::active_recording != nullptr || !is_array(out)) return nullptr;
  return translate_exceptions(op_table()[id].name, [&]() -> PyObject* {
    Scalar values[2];
    Operand operands[2];
    bool any_array = false;
    for (int i = 0; i < arity; ++i) {
      operands[i].name = arity == 1 ? unary_names[i] : binary_names[i];
      const Parsed result = parse_operand(args[i], operands[i], values[i]);
      if (result == Parsed::error) throw PythonError{};
      if (result == Parsed::no) return nullptr;
      any_array = any_array || operands[i].array != nullptr;
    }
    if (!any_array) return nullptr;
    const std::span<const Operand> all(operands, static_cast<std::size_t>(arity));
    const NdArray& output = target_of(out);
    bool is_computed = false;
    {
      const WithoutGil working(takes_long(all));
      is_computed = apply_to_output(id, output, all);
    }
    return is_computed ? Py_NewRef(out) : nullptr;
  });
}

/// Calls a function with keywords or with a wrong number of arguments.
[[gnu::noinline, gnu::cold]] PyObject* elementwise_with_options(op_id id, PyObject* const* args,
                                                                Py_ssize_t count,
                                                                PyObject* keywords) {
  const OpEntry& op = op_table()[id];
  const Py_ssize_t keyword_count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  const bool has_output = count == op.arity + 1;
  const bool has_decimals = id == op_id_of<ops::round> && count == 3;
  if (count != op.arity && !has_output && !has_decimals && keyword_count == 0)
    return reject_count(op, count);
  const bool has_out_only =
      keyword_count == 1 && count == op.arity &&
      PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "out") == 0;
  if ((has_output && keyword_count == 0) || has_out_only) {
    PyObject* const result = compute_into(id, args, op.arity, args[op.arity]);
    if (result != nullptr || PyErr_Occurred() != nullptr) return result;
  }
  return call_with_options(elementwise_functions[id], args, count, keywords);
}

/// Slow path of a call whose argument at index `first` is neither an array nor a scalar. `read` is
/// the first operand, which is parsed already if `first` is 1.
template <int Arity>
[[gnu::noinline, gnu::cold]] PyObject* elementwise_converted(op_id id, PyObject* const* args,
                                                             int first, const Operand* read) {
  if (PyErr_Occurred() != nullptr) throw PythonError{};
  const char* const* const names = Arity == 1 ? unary_names : binary_names;
  Scalar values[Arity];
  Operand operands[Arity] = {*read};
  ConvertedArgs converted_args(nullptr);
  for (int i = 0; i < Arity; ++i) {
    operands[i].name = names[i];
    if (i >= first && !may_become_array(args[i])) {
      if (i == first) reject_operand(names[i], args[i]);
      require_operand(args[i], operands[i], values[i]);
    }
    converted_args.add(names[i], args[i]);
  }
  converted_args.convert_all();
  PyObject* const* const converted_values = converted_args.values();
  for (int i = first; i < Arity; ++i) {
    if (operands[i].value == nullptr) operands[i].array = &value_of(converted_values[i]);
  }
  if (detail::active_recording != nullptr && !runs_at_once(converted_values, Arity)) {
    PyObject* const result = record_call(id, converted_values, Arity);
    if (result != nullptr || PyErr_Occurred() != nullptr) return result;
  }
  if constexpr (Arity == 1) {
    PyObject* const component = part_of_reals(id, converted_values[0], *operands[0].array);
    if (component != nullptr) return component;
  }
  PyObject* const result = wrap_result(takes_long(operands), [&] { return apply(id, operands); });
  return converted_args.complete(result, [&] {
    return elementwise_of<Arity>(id, op_table()[id].name, converted_values, Arity, nullptr);
  });
}

/// Slow path of a call with scalars only: some become 0-d arrays on the default device.
template <int Arity>
[[gnu::noinline, gnu::cold]] PyObject* elementwise_of_scalars(op_id id, PyObject* const* args) {
  PyObject* values[Arity];
  std::copy_n(args, Arity, values);
  Object arrays[Arity];
  for (const std::size_t i : placed_scalars({args, Arity})) {
    arrays[i] = placed_scalar(args[i]);
    values[i] = arrays[i].get();
  }
  return elementwise_of<Arity>(id, op_table()[id].name, values, Arity, nullptr);
}

/// Calls an elementwise function of one or two arrays, all positional.
template <int Arity>
inline PyObject* elementwise_of(op_id id, const char* name, PyObject* const* args, Py_ssize_t count,
                                PyObject* keywords) {
  if (count != Arity || (keywords != nullptr && PyTuple_GET_SIZE(keywords) > 0)) {
    return elementwise_with_options(id, args, count, keywords);
  }
  if (detail::active_recording != nullptr && !runs_at_once(args, Arity)) [[unlikely]] {
    PyObject* const result = record_call(id, args, Arity);
    if (result != nullptr || PyErr_Occurred() != nullptr) return result;
  }
  return translate_exceptions(name, [&]() -> PyObject* {
    Scalar values[Arity];
    Operand operands[Arity];
    bool any_array = false;
    for (int i = 0; i < Arity; ++i) {
      operands[i].name = Arity == 1 ? unary_names[i] : binary_names[i];
      if (parse_operand(args[i], operands[i], values[i]) != Parsed::yes) [[unlikely]] {
        return elementwise_converted<Arity>(id, args, i, operands);
      }
      any_array = any_array || operands[i].array != nullptr;
    }
    if (!any_array) [[unlikely]]
      return elementwise_of_scalars<Arity>(id, args);
    if constexpr (Arity == 1) {
      if (id == op_id_of<ops::real> || id == op_id_of<ops::imag>) [[unlikely]] {
        if (PyObject* const component = part_of_reals(id, args[0], *operands[0].array))
          return component;
      }
    }
    return wrap_result(takes_long(operands), [&] { return apply(id, operands); });
  });
}

/// Entry points for Python. Flattened: the calls inside translate_exceptions() are measurable.
template <int Arity>
[[gnu::flatten]] PyObject* elementwise(PyObject* self, PyObject* const* args, std::size_t count,
                                       PyObject* keywords) {
  const auto& function = *reinterpret_cast<UfuncObject*>(self);
  return elementwise_of<Arity>(function.id, function.name, args, PyVectorcall_NARGS(count),
                               keywords);
}
template <int Arity>
PyObject* elementwise_noted(PyObject* self, PyObject* const* args, std::size_t count,
                            PyObject* keywords) {
  const PythonNote note(reinterpret_cast<UfuncObject*>(self)->name, args,
                        PyVectorcall_NARGS(count));
  const guard::NotedCall noting(note);
  return elementwise<Arity>(self, args, count, keywords);
}
template <int Arity>
vectorcallfunc elementwise_entry() {
  return guard::is_on() ? elementwise_noted<Arity> : elementwise<Arity>;
}
template <int Arity>
PyObject* elementwise_profiled(PyObject* self, PyObject* const* args, std::size_t count,
                               PyObject* keywords) {
  const Py_ssize_t positional = PyVectorcall_NARGS(count);
  ProfiledCall profiled_call(reinterpret_cast<UfuncObject*>(self)->name, nullptr,
                             all_values(args, positional, keywords));
  return profiled_call.end(elementwise_entry<Arity>()(self, args, count, keywords));
}
template <int Arity>
void add_profiled_elementwise() {
  add_profiled_form(reinterpret_cast<void*>(elementwise_entry<Arity>()),
                    reinterpret_cast<void*>(elementwise_profiled<Arity>));
}

/// Entry point for methods, whose arguments are already bound.
template <op_id Op>
PyObject* run_elementwise(const Arguments& arguments) {
  return elementwise <
         Op<unary_count ? 1 : 2>(elementwise_functions[Op], arguments.values,
                                 static_cast<std::size_t>(arguments.signature->count()), nullptr);
}

PyObject* run_clip(const Arguments& arguments) {
  if (detail::active_recording != nullptr) [[unlikely]] {
    if (PyObject* const result = record_clip(arguments)) return result;
  }
  const NdArray& x = array_argument(arguments, 0);
  Scalar values[2];
  Operand bounds[3] = {{.array = &x}, {.name = "min"}, {.name = "max"}};
  for (int i = 1; i < 3; ++i) {
    if (arguments.has(i)) operand_argument(arguments, i, bounds[i], values[i - 1]);
  }
  return wrap_result(takes_long(bounds), [&] { return clip(x, bounds[1], bounds[2]); });
}

/// Implements where(condition): the indices of the true elements. Returns null if x1 or x2 is None.
[[gnu::noinline, gnu::cold]] PyObject* where_true(const Arguments& arguments) {
  if (arguments.has(1) || arguments.has(2)) {
    if (arguments[1] != nullptr && arguments[2] != nullptr) return nullptr;
    throw TypeError("x1 and x2 must be passed both, or neither of them");
  }
  PyObject* values[Signature::max_parameters] = {array_object(arguments, 0)};
  const RegisteredFunction& nonzero = find_function("nonzero");
  return nonzero.implementation({arguments.self, values, nullptr, 0, &nonzero.signature});
}

PyObject* run_where(const Arguments& arguments) {
  if (!arguments.has(1) || !arguments.has(2)) [[unlikely]] {
    if (PyObject* const indices = where_true(arguments)) return indices;
  }
  if (detail::active_recording != nullptr) [[unlikely]] {
    if (PyObject* const result = record_where(arguments)) return result;
  }
  Scalar values[3];
  Operand operands[3] = {{.name = "condition"}, {.name = "x1"}, {.name = "x2"}};
  for (int i = 0; i < 3; ++i) operand_argument(arguments, i, operands[i], values[i]);
  const bool any_array =
      operands[0].array != nullptr || operands[1].array != nullptr || operands[2].array != nullptr;
  if (!any_array) [[unlikely]]
    place_scalars(arguments, std::span(operands).last(2), 1);
  return wrap_result(takes_long(operands),
                     [&] { return where(operands[0], operands[1], operands[2]); });
}

/// True if the argument is referenced outside this call. From Python 3.14 on, the interpreter
/// passes locals as borrowed references, so a count of 1 no longer proves the opposite.
bool is_referenced(PyObject* argument) {
#if PY_VERSION_HEX >= 0x030E0000
  return PyUnstable_Object_IsUniqueReferencedTemporary(argument) == 0;
#else
  return Py_REFCNT(argument) > 1;
#endif
}

PyObject* reduce_call(reduction_id id, const Arguments& arguments,
                      const ReductionParameters& parameters) {
  const ReductionEntry& op = reduction_table()[static_cast<std::size_t>(id)];
  // A pending array is computed only if the call is not recorded.
  const bool was_pending = is_array(arguments[0]) && pending_of(arguments[0]) != nullptr;
  const NdArray& x = was_pending ? header_of(arguments[0]) : array_argument(arguments, 0);
  const bool keep = boolean(arguments, parameters.keepdims, false);
  std::optional<Dtype> type;
  if (parameters.dtype >= 0) type = parse_optional_dtype(arguments[parameters.dtype]);
  const double correction = op.has_correction ? parse_correction(arguments, parameters) : 0;
  std::vector<std::int64_t> axes;
  const bool all_axes = !arguments.has(1);
  if (!all_axes)
    axes = op.has_one_axis ? std::vector{integer(arguments, 1)} : integers(arguments, 1);
  std::optional<std::span<const std::int64_t>> selected_axes;
  if (!all_axes) selected_axes = axes;
  if (detail::active_recording != nullptr && !type) [[unlikely]] {
    const RecordingLock lock(*detail::active_recording);
    if (Recording* const recording = recording_for(arguments[0])) {
      const Operand operand{.array = &x, .pending = pending_in(*recording, arguments[0])};
      std::optional<PendingArray> result = reduce_recorded(
          *recording, id, operand, is_referenced(arguments[0]), selected_axes, keep, correction);
      if (result) return wrap(std::move(*result));
    }
  }
  static_cast<void>(value_of(arguments[0]));
  if (!op.has_dtype && (type || kind(x.dtype()) == DtypeKind::complex_floating)) [[unlikely]]
    return reduce_moments(id, x, selected_axes, type, keep, correction);
  return wrap_result(x.size() > min_size_without_gil,
                     [&] { return reduce(id, x, selected_axes, type, keep, correction); });
}

/// Signature, parameters and method definition of a reduction; filled at import.
template <reduction_id Op>
constinit Signature reduction_takes{};
template <reduction_id Op>
constinit ReductionParameters reduction_parameters{};
template <reduction_id Op>
constinit PyMethodDef reduction_definition{};

template <reduction_id Op>
PyObject* run_reduction(const Arguments& arguments) {
  const ReductionParameters& parameters = reduction_parameters<Op>;
  if (parameters.selects_elements(arguments)) [[unlikely]]
    return reduce_selected(arguments, parameters, run_reduction<Op>);
  return reduce_call(Op, arguments, parameters);
}

template <reduction_id Op>
PyObject* reduction(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  const Signature& signature = reduction_takes<Op>;
  PyObject* bound[Signature::max_parameters];
  if (signature.bind(args, count, keywords, bound) < 0) return nullptr;
  const Arguments arguments{self, bound, nullptr, 0, &signature};
  // At most two positional arguments are those of the standard: x and axis.
  if (keywords != nullptr || count > 2) return call_bound(arguments, run_reduction<Op>);
  return call_with_conversion(arguments, [](const Arguments& values) {
    return reduce_call(Op, values, reduction_parameters<Op>);
  });
}

/// Formats the table of an operation's result dtypes for its docstring.
std::string dtype_lines(const std::optional<Dtype> (&results)[dtype_count]) {
  std::string same;
  std::string other_lines;
  for (int i = 0; i < dtype_count; ++i) {
    if (!results[i]) continue;
    const std::string name = skerry::name(static_cast<Dtype>(i));
    if (*results[i] == static_cast<Dtype>(i)) {
      same += (same.empty() ? "" : ", ") + name;
    } else {
      other_lines += "    " + name + " gives " + skerry::name(*results[i]) + ".\n";
    }
  }
  if (!same.empty()) same = "    The dtype is that of the argument for " + same + ".\n";
  return same + other_lines;
}

/// Parameters of NumPy's ufuncs after the inputs. Functions in Python copy it from add's docstring.
constexpr const char* options_doc =
    "out, where, casting, order, dtype, subok : optional\n"
    "    As in NumPy's ufuncs. Without ``out``, results are 0 where ``where`` is false.\n";

std::string elementwise_doc(const OpEntry& op) {
  std::string text = std::string(op.doc) + "\n\nParameters\n----------\n";
  if (op.arity == 1) {
    text += "x : Array\n    Any shape, on any device.\n";
  } else if (op.arity == 3) {
    text +=
        "x : Array\n    Any shape, on any device.\nmin, max : Array, scalar or list, optional\n"
        "    Bounds, broadcast against x; None means no bound.\nout : Array, optional\n    Of the "
        "shape, dtype and device of the result, which is stored in it.\n";
  } else {
    text +=
        "x1, x2 : Array, scalar or list\n    Arrays on one device; shapes are broadcast, dtypes "
        "promoted. Scalars and lists of numbers\n    take the dtype and the device of an array.\n";
  }
  if (std::string_view(op.name) == "round")
    text += "decimals : int\n    Number of decimal places, as in around().\n";
  if (op.arity != 3) text += options_doc;
  text +=
      "\nReturns\n-------\nArray\n    On the device of the arguments: out if given, else a new "
      "array.\n" +
      dtype_lines(op.result);
  text +=
      "\nRaises\n------\nTypeError\n    For dtypes that the function does not support or that "
      "don't promote.\n";
  if (op.arity > 1) {
    text +=
        "DeviceMismatchError\n    For arrays on different devices.\nValueError\n    For shapes "
        "that don't broadcast.\nOverflowError\n    For a Python int outside the dtype.\n";
  }
  return text;
}

std::string reduction_doc(const ReductionEntry& op) {
  std::string text = std::string(op.doc) +
                     "\n\nParameters\n----------\nx : Array\n    Any shape, on any device.\n";
  if (op.has_one_axis) {
    text +=
        "axis : int, optional\n    The axis to search along; by default the index is that of the "
        "flattened x.\n";
  } else {
    text +=
        "axis : int or tuple of ints, optional\n    The axes to reduce over; all of them by "
        "default, none for ().\n";
  }
  text += reduction_options_doc(op);
  text +=
      "keepdims : bool\n    Keep reduced axes with size 1, so that the result broadcasts against "
      "x.\n\nReturns\n-------\nArray\n    On the device of x.\n" +
      dtype_lines(op.result) +
      "\nRaises\n------\nTypeError\n    For an unsupported dtype.\nAxisError\n"
      "    (ValueError and IndexError) for an axis that x does not have.\n";
  return text;
}

constexpr FunctionEntry own_signature[] = {
    {"clip", "(x, /, min=None, max=None, out=None)", "", run_clip},
    {"where", "(condition, x1=None, x2=None, /)",
     "Elements of x1 where condition is true, of x2 elsewhere.\n\n"
     "Parameters\n----------\ncondition : Array, scalar or list\n    Boolean, or numbers, which "
     "are true unless zero.\n"
     "x1, x2 : Array, scalar or list, optional\n    Shapes of all three are broadcast, dtypes of "
     "x1 "
     "and x2 promoted; all on one device.\n\n"
     "Returns\n-------\nArray\n    A new array of the promoted dtype on their device. Without x1 "
     "and x2 the result of\n    nonzero(condition), a tuple of arrays, for which the call "
     "blocks.\n\n"
     "Raises\n------\nDeviceMismatchError\n    For arrays on different devices.\nTypeError\n    "
     "For "
     "dtypes of x1 and x2 that don't promote, or a numeric condition under strict "
     "promotion.\nValueError\n    For shapes that don't broadcast.",
     run_where},
};

template <class Entry>
const char* module_name_of(const Entry& entry) {
  return entry.is_private ? private_module : "skerry";
}

/// Signatures of elementwise functions: the standard's, and the arguments of NumPy's ufuncs.
#define SKERRY_OPTIONS \
  "/, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)"
constexpr const char* unary_signature = "(x, " SKERRY_OPTIONS;
constexpr const char* binary_signature = "(x1, x2, " SKERRY_OPTIONS;
/// round also takes NumPy's decimals: skerry._ufunc_calls.call handles it.
constexpr const char* round_signature =
    "(x, /, decimals=0, out=None, *, where=True, casting='same_kind', order='K', dtype=None, "
    "subok=True)";
#undef SKERRY_OPTIONS

void add_clip(PyObject* module) {
  const OpEntry& op = op_table()[unary_count + binary_count];
  static constinit PyMethodDef definition{};
  definition = method_definition<entry_function<own_signature, 0>>(
      op.name, make_docstring(op.name, own_signature[0].signature, elementwise_doc(op)));
  add_function(module, &definition, module_name_of(op));
  register_function(
      {definition.ml_name, entry_signature<own_signature, 0>(), run_clip, definition.ml_doc});
}

template <op_id Op>
void add_elementwise(PyObject* module) {
  const OpEntry& op = op_table()[Op];
  const bool is_unary = op.arity == 1;
  const char* const text = is_unary ? "(x, /)" : "(x1, x2, /)";
  const char* const doc = copy_text(elementwise_doc(op));
  const char* const signature = Op == op_id_of<ops::round> ? round_signature
                                : is_unary                 ? unary_signature
                                                           : binary_signature;
  const Object function(new_ufunc(Op, is_unary ? elementwise_entry<1>() : elementwise_entry<2>(),
                                  signature, doc, module_name_of(op)));
  elementwise_functions[Op] = Py_NewRef(function.get());
  if (module_name_of(op) != private_module) {
    add_call_site(reinterpret_cast<void**>(&reinterpret_cast<UfuncObject*>(function.get())->call));
  }
  add_to_module(module, op.name, function);
  register_function({op.name, Signature(op.name, text), run_elementwise<Op>,
                     make_docstring(op.name, text, elementwise_doc(op))});
}

template <reduction_id Op>
void add_reduction(PyObject* module) {
  const ReductionEntry& op = reduction_table()[Op];
  PyMethodDef& definition = reduction_definition<Op>;
  definition = method_definition<reduction<Op>>(
      op.name, make_docstring(op.name, reduction_signature(op), reduction_doc(op)));
  reduction_takes<Op> = Signature(op.name, reduction_signature(op));
  reduction_parameters<Op> = ReductionParameters(reduction_takes<Op>);
  add_function(module, &definition, module_name_of(op));
  register_function(
      {definition.ml_name, reduction_takes<Op>, run_reduction<Op>, definition.ml_doc});
}

template <op_id... Op>
void add_all_elementwise(PyObject* module, std::integer_sequence<op_id, Op...>) {
  (add_elementwise<Op>(module), ...);
}
template <reduction_id... Op>
void add_all_reductions(PyObject* module, std::integer_sequence<reduction_id, Op...>) {
  (add_reduction<Op>(module), ...);
}

static_assert(
    ternary_count == 1,
    "clip is the only ternary operation; add a signature to own_signature for another one");

}  // namespace

void add_manipulation(PyObject* module);

void add_functions(PyObject* module) {
  prepare_signatures<own_signature>();
  prepare_ufunc_type();
  add_profiled_elementwise<1>();
  add_profiled_elementwise<2>();
  add_all_elementwise(module, std::make_integer_sequence<op_id, unary_count + binary_count>{});
  add_clip(module);
  add_all_reductions(module, std::make_integer_sequence<reduction_id, reduction_count>{});
  static constinit PyMethodDef where_definition{};
  where_definition = method_definition<entry_function<own_signature, 1>>(
      "where", make_docstring("where", own_signature[1].signature,
                              docstring_text(own_signature[1].doc, "searching functions")));
  add_function(module, &where_definition);
  register_function(
      {"where", entry_signature<own_signature, 1>(), run_where, where_definition.ml_doc});
  add_manipulation(module);
}

}  // namespace skerry::python
