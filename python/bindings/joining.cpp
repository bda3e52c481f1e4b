// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar_conversion.hpp"
#include "ops/create/create.hpp"
#include "ops/move/join.hpp"

#include <optional>
#include <string>

#include "core/errors.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/rearrange.hpp"
#include "ops/move/views.hpp"
#include "ops/scan/diff.hpp"
#include "ops/select/take.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/sequence_items.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Returns the arrays of the first argument, a sequence.
std::vector<NdArray> array_sequence(const Arguments& arguments) {
  PyObject* object = arguments[0];
  if (PySequence_Check(object) == 0 || PyUnicode_Check(object)) {
    throw TypeError(std::string("arrays must be a sequence of arrays, not ") +
                    Py_TYPE(object)->tp_name);
  }
  if (is_numpy_array(object)) object = array_object(arguments, 0);
  const Object items = fast_sequence(object, "arrays must be a sequence of arrays");
  return require_arrays(arguments, 0, items_of_sequence(items.get()));
}

std::int64_t total_size(const std::vector<NdArray>& arrays) {
  std::int64_t size = 0;
  for (const NdArray& x : arrays) size += x.size();
  return size;
}

template <class Body>
PyObject* compute(std::int64_t size, Body&& body) {
  return wrap_result(size > min_size_without_gil, body);
}

/// Parses the arrays, cast to dtype= by the rule casting=.
std::vector<NdArray> joined_arrays(const Arguments& arguments) {
  std::vector<NdArray> arrays = array_sequence(arguments);
  static_cast<void>(choice(arguments, 4, {"no", "equiv", "safe", "same_kind", "unsafe"}));
  if (!arguments.has(3)) [[likely]]
    return arrays;
  const Dtype type = parse_dtype(arguments[3]);
  const Object same_kind(PyUnicode_FromString("same_kind"));
  PyObject* const casting = arguments[4] != nullptr ? arguments[4] : same_kind.get();
  for (const NdArray& x : arrays) require_cast(x.dtype(), type, casting);
  for (NdArray& x : arrays) x = astype(x, type, false);
  return arrays;
}

PyObject* run_concat(const Arguments& arguments) {
  const std::vector<NdArray> arrays = joined_arrays(arguments);
  const std::optional<std::int64_t> axis =
      arguments[1] != nullptr ? optional_integer(arguments, 1) : 0;
  return compute(total_size(arrays), [&] { return concat(arrays, axis); });
}

PyObject* run_stack(const Arguments& arguments) {
  const std::vector<NdArray> arrays = joined_arrays(arguments);
  const std::int64_t axis = integer(arguments, 1, 0);
  return compute(total_size(arrays), [&] { return stack(arrays, axis); });
}

PyObject* run_unstack(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  Unstacked parts(x, integer(arguments, 1, 0));
  require_memory_for_objects(static_cast<double>(parts.count()), nbytes_of_array);
  Object tuple(PyTuple_New(parts.count()));
  for (std::int64_t i = 0; i < parts.count(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, wrap_result(false, [&] { return parts.next(); }));
  }
  return tuple.release();
}

PyObject* run_tile(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> repetitions = integers(arguments, 1);
  return compute(min_size_without_gil + 1, [&] { return tile(x, repetitions); });
}

PyObject* run_roll(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> shifts = exact_integers(arguments, 1);
  std::vector<std::int64_t> axes;
  if (arguments.has(2)) axes = integers(arguments, 2);
  return compute(x.size(), [&] {
    return roll(
        x, shifts,
        arguments.has(2) ? std::optional<std::span<const std::int64_t>>(axes) : std::nullopt);
  });
}

PyObject* run_repeat(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::optional<std::int64_t> axis = optional_integer(arguments, 2);
  const auto repeat_by = [&](const NdArray& repeats) {
    return compute(min_size_without_gil + 1, [&] { return repeat(x, repeats, axis); });
  };
  if (is_array(arguments[1])) return repeat_by(value_of(arguments[1]));
  if (may_become_array(arguments[1])) return repeat_by(array_argument(arguments, 1));
  const std::int64_t repeats = exact_integer(arguments, 1);
  return compute(min_size_without_gil + 1, [&] { return repeat(x, repeats, axis); });
}

/// Returns prepend= or append= of `diff`; broadcasts a scalar or 0-d array to one slice.
std::optional<NdArray> end_of_diff(const Arguments& arguments, int parameter, const NdArray& x,
                                   std::int64_t axis) {
  if (!arguments.has(parameter)) return std::nullopt;
  Scalar value;
  const bool is_number =
      !is_array(arguments[parameter]) && parse_scalar(arguments[parameter], value) == Parsed::yes;
  NdArray end = is_number ? full({}, value, promote_scalar(x.dtype(), value), x.device())
                          : array_argument(arguments, parameter);
  if (end.rank() > 0 || axis < -x.rank() || axis >= x.rank()) return end;
  Dims one = x.shape();
  one[static_cast<int>(axis < 0 ? axis + x.rank() : axis)] = 1;
  return broadcast_to(end, one);
}

PyObject* run_diff(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::int64_t n = integer(arguments, 1, 1);
  const std::int64_t axis = integer(arguments, 2, -1);
  const std::optional<NdArray> prepend = end_of_diff(arguments, 3, x, axis);
  const std::optional<NdArray> append = end_of_diff(arguments, 4, x, axis);
  return compute(x.size(), [&] {
    return diff(x, axis, n, prepend ? &*prepend : nullptr, append ? &*append : nullptr);
  });
}

constexpr FunctionEntry joining_functions[] = {
    {"concat", "(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')",
     "Join arrays along an existing axis.\n\n"
     "Parameters\n----------\narrays : sequence of Array\n    At least one, all on one device; "
     "equal shapes except along the axis; dtypes promote.\naxis : int or None\n    None: the "
     "arrays are flattened in C order first.\n"
     "out : Array, optional\n    Of the shape and device of the result, which is stored in "
     "it.\n"
     "dtype : dtype, optional\n    To which the arrays are cast first.\ncasting : str\n    NumPy's "
     "rule "
     "for these casts.\n\n"
     "Returns\n-------\nArray\n    A new array of the promoted dtype.\n\n"
     "Raises\n------\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote.\n"
     "ValueError\n    For no arrays, 0-d arrays or different shapes.\n"
     "AxisError\n    (ValueError and IndexError) for an axis that the arrays do not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.concat([sk.asarray([1, 2]), sk.asarray([3])]).tolist()\n[1, 2, 3]",
     run_concat},
    {"diff", "(x, /, n=1, axis=-1, prepend=None, append=None)",
     "The n-th differences of adjacent elements along an axis.\n\n"
     "Parameters\n----------\nx : Array\n    At least 1-D. Differences of bools are bools: whether "
     "they differ.\nn : int\n    The number of "
     "times to take differences; 0 returns x.\naxis : int\n    The last by default.\n"
     "prepend, append : Array, scalar or list, optional\n    Joined to x along the axis first; "
     "of the shape of x except along that axis, or a scalar or\n    0-d array for one slice.\n\n"
     "Returns\n-------\nArray\n    n elements shorter along the axis, or of length 0; of the "
     "promoted dtype.\n\n"
     "Raises\n------\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote.\n"
     "ValueError\n    For a negative n, or shapes that differ along other axes.\n"
     "AxisError\n    For an axis that x does not have.\n\n"
     "Source: array API 2025.12, utility functions.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.diff(sk.asarray([1, 4, 9, 16])).tolist()\n[3, 5, 7]",
     run_diff},
    {"repeat", "(x, /, repeats, axis=None)",
     "Repeat each element of an array after itself.\n\n"
     "Parameters\n----------\nx : Array\nrepeats : int or Array\n    The number of repetitions: an "
     "int, or an integer array of shape (1,) or with one for each\n    index along the axis.\n"
     "axis : int, optional\n    x is flattened in C order by default.\n\n"
     "Returns\n-------\nArray\n    Of the dtype of x, on its device.\n\n"
     "Raises\n------\nValueError\n    For negative repeats, or the wrong number of them.\n"
     "DeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    If repeats is not of an integer dtype.\n"
     "AxisError\n    For an axis that x does not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.repeat(sk.asarray([1, 2]), 2).tolist()\n[1, 1, 2, 2]",
     run_repeat},
    {"roll", "(x, /, shift, axis=None)",
     "Shift elements along axes; those shifted beyond the end reappear at the start.\n\n"
     "Parameters\n----------\nx : Array\nshift : int or tuple of ints\n    Positive: towards "
     "higher indices.\naxis : int or tuple of ints, optional\n    One for each shift, or one shift "
     "for all; by default x is flattened, shifted, and reshaped.\n\n"
     "Returns\n-------\nArray\n    Of the shape and dtype of x.\n\n"
     "Raises\n------\nValueError\n    If the numbers of shifts and axes differ.\nAxisError\n    "
     "For an axis that x does not have.\n"
     "OverflowError\n    For a shift outside 64 bits.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.roll(sk.asarray([1, 2, 3]), 1).tolist()\n[3, 1, 2]",
     run_roll},
    {"stack", "(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')",
     "Join arrays along a new axis.\n\n"
     "Parameters\n----------\narrays : sequence of Array\n    At least one, all on one device and "
     "of one shape; dtypes promote.\naxis : int\n    Position of the new axis in the result.\n"
     "out : Array, optional\n    Of the shape and device of the result, which is stored in "
     "it.\n"
     "dtype : dtype, optional\n    To which the arrays are cast first.\ncasting : str\n    NumPy's "
     "rule "
     "for these casts.\n\n"
     "Returns\n-------\nArray\n    A new array of the promoted dtype.\n\n"
     "Raises\n------\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote.\n"
     "ValueError\n    For no arrays, or different shapes.\n"
     "AxisError\n    For a position that the result does not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.stack([sk.asarray([1, 2]), sk.asarray([3, 4])], axis=1).tolist()\n"
     "[[1, 3], [2, 4]]",
     run_stack},
    {"tile", "(x, /, repetitions)",
     "Repeat an array as a whole along each axis.\n\n"
     "Parameters\n----------\nx : Array\nrepetitions : int or tuple of ints\n    The number of "
     "repetitions along each of the last axes; axes are prepended to x if there are more.\n\n"
     "Returns\n-------\nArray\n    Of the dtype of x, on its device.\n\n"
     "Raises\n------\nValueError\n    For a negative number.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.tile(sk.asarray([1, 2]), (2, 2)).tolist()\n[[1, 2, 1, 2], [1, 2, 1, 2]]",
     run_tile},
    {"unstack", "(x, /, *, axis=0)",
     "Split x along an axis into views without that axis.\n\n"
     "Parameters\n----------\nx : Array\n    At least 1-D.\naxis : int\n    The axis to split "
     "along.\n\n"
     "Returns\n-------\ntuple of Array\n\nRaises\n------\nAxisError\n    For an axis that x does "
     "not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> [part.tolist() for part in sk.unstack(sk.asarray([[1, 2], [3, 4]]))]\n"
     "[[1, 2], [3, 4]]",
     run_unstack},
};

}  // namespace

void add_joining(PyObject* module) {
  add_functions<joining_functions>(module, "manipulation functions");
}

}  // namespace skerry::python
