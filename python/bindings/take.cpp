// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/take.hpp"

#include <optional>

#include "core/view.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/element_order.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/sequence.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

constexpr int mode_parameter = 4;  ///< of take

/// True if the call may take long enough to release the GIL. Uses an upper bound of the result's
/// size: each index selects at most as many elements as the array has.
bool takes_long(const NdArray& x, const NdArray& indices) {
  return static_cast<double>(x.size()) * static_cast<double>(indices.size()) > min_size_without_gil;
}

/// Brings indices into the range of an axis: mode='wrap' or 'clip'.
Object indices_in_range(PyObject* indices, std::int64_t count, bool wraps) {
  const Object wide(wrap(astype(value_of(indices), Dtype::int64, false)));
  const Object first(PyLong_FromLong(0));
  const Object last(PyLong_FromLongLong(count - 1));
  const Object length(PyLong_FromLongLong(count));
  if (wraps) return called("remainder", {wide.get(), length.get()});
  return called("clip", {wide.get(), first.get(), last.get()});
}

/// Handles arguments of NumPy's: an int as index, an x of other than one axis without axis=, which
/// is flattened, and mode=.
[[gnu::noinline]] PyObject* take_as_numpy(const Arguments& arguments, const NdArray& array) {
  const NdArray x = arguments.has(2) ? array : flattened(array);
  const std::int64_t axis = arguments.has(2) ? integer(arguments, 2) : 0;
  Object indices;
  if (PyIndex_Check(arguments[1]) && !PyBool_Check(arguments[1]) && !is_array(arguments[1]) &&
      !is_numpy_array(arguments[1])) {
    const Scalar index = Scalar::from_value(integer(arguments, 1));
    indices = Object(wrap(from_number(index, Dtype::int64, x.device())));
  } else {
    indices = Object::borrow(array_object(arguments, 1));
  }
  if (arguments[mode_parameter] != nullptr) {
    const int mode = choice(arguments, mode_parameter, {"raise", "wrap", "clip"});
    const std::int64_t count = x.shape()[normalize_axis(axis, x.rank())];
    if (mode > 0 && count > 0) indices = indices_in_range(indices.get(), count, mode == 1);
  }
  const NdArray& positions = value_of(indices.get());
  return wrap_result(takes_long(x, positions), [&] { return take(x, positions, axis); });
}

PyObject* run_take(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool is_standard = is_array(arguments[1]) && (arguments.has(2) || x.rank() == 1) &&
                           arguments[mode_parameter] == nullptr;
  if (!is_standard) [[unlikely]]
    return take_as_numpy(arguments, x);
  const NdArray& indices = value_of(arguments[1]);
  const std::optional<std::int64_t> axis = optional_integer(arguments, 2);
  return wrap_result(takes_long(x, indices), [&] { return take(x, indices, axis); });
}

PyObject* run_take_along_axis(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& indices = array_argument(arguments, 1);
  if (arguments[2] == Py_None) {
    return wrap_result(takes_long(x, indices),
                       [&] { return take_along_axis(flattened(x), indices, 0); });
  }
  const std::int64_t axis = integer(arguments, 2, -1);
  return wrap_result(takes_long(x, indices), [&] { return take_along_axis(x, indices, axis); });
}

PyObject* run_nonzero(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap_all(run_without_gil(true, [&] { return nonzero(x); }));
}

constexpr FunctionEntry take_functions[] = {
    {"nonzero", "(x, /)",
     "The indices of the elements that are not zero.\n\n"
     "Blocks, as the size of the result depends on the data.\n\n"
     "Parameters\n----------\nx : Array\n    At least 1-D, of any dtype. NaN is not zero.\n\n"
     "Returns\n-------\ntuple of Array\n    An int64 array for each axis of x, in C order of the "
     "elements, on the device of x.\n\n"
     "Raises\n------\nValueError\n    For a 0-d array.\n\n"
     "Source: array API 2025.12, searching functions.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> [i.tolist() for i in sk.nonzero(sk.asarray([[0, 1], [2, 0]]))]\n[[0, 1], [1, 0]]",
     run_nonzero},
    {"take", "(x, /, indices, axis=None, out=None, mode='raise')",
     "Take elements of x by index along an axis.\n\n"
     "Parameters\n----------\nx : Array\nindices : Array or int\n    Of any integer dtype, on "
     "the device of x; negative ones count from the end. Its axes replace the\n    axis.\n"
     "axis : int, optional\n    x is flattened in C order by default.\n"
     "out : Array, optional\n    Of the shape and device of the result, which is stored in "
     "it.\nmode : {'raise', 'wrap', 'clip'}\n    'wrap' takes indices modulo the length of the "
     "axis; 'clip' replaces those out of bounds by the\n    first or last one.\n\n"
     "Returns\n-------\nArray\n    Of the dtype of x.\n\n"
     "Raises\n------\nIndexError\n    For an index out of bounds: immediately on a CPU device; on "
     "a CUDA device at the next synchronization\n    (SKERRY_SYNC=1: immediately). The device "
     "stays usable.\n"
     "DeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    If indices is not of an integer dtype.\n"
     "AxisError\n    For an axis that x does not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.take(sk.asarray([10, 20, 30]), sk.asarray([2, 0, -1])).tolist()\n[30, 10, 30]",
     run_take},
    {"take_along_axis", "(x, /, indices, axis=-1)",
     "Take elements of x along an axis, by indices of their own for each row.\n\n"
     "Parameters\n----------\nx : Array\nindices : Array\n    Of any integer dtype, on the device "
     "of x and with as many axes; the others broadcast.\n    Negative ones count from the end.\n"
     "axis : int or None\n    The last by default; None flattens x first.\n\n"
     "Returns\n-------\nArray\n    Of the dtype of x; as long as indices along the axis.\n\n"
     "Raises\n------\nIndexError\n    For an index out of bounds; on a CUDA device at the next "
     "synchronization.\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    If indices is not of an integer dtype.\n"
     "ValueError\n    For different numbers of axes, or if the other axes don't broadcast.\n"
     "AxisError\n    For an axis that x does not have.\n\n"
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> x = sk.asarray([[1, 2], [3, 4]])\n"
     ">>> sk.take_along_axis(x, sk.asarray([[1], [0]])).tolist()\n[[2], [3]]",
     run_take_along_axis},
};

}  // namespace

void add_take(PyObject* module) { add_functions<take_functions>(module, "indexing functions"); }

}  // namespace skerry::python
