// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "ops/move/views.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/windows.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/element_order.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/recorded_calls.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

Dims checked_shape(const std::vector<std::int64_t>& shape) {
  check_shape(shape, 1);
  return Dims(std::span<const std::int64_t>(shape));
}

PyObject* run_reshape(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> shape = integers(arguments, 1);
  const ElementOrder order = order_of(arguments, 2, x);
  const std::optional<bool> copied = optional_boolean(arguments, 3);
  return wrap_result(x.size() > min_size_without_gil, [&] {
    if (order == ElementOrder::c) [[likely]]
      return reshape(x, shape, copied);
    return reshape_in_order(x, shape, order, copied);
  });
}

/// Calls a view function that takes axes.
template <NdArray (*View)(const NdArray&, std::span<const std::int64_t>)>
PyObject* run_view(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap(View(x, integers(arguments, 1)));
}

PyObject* run_permute_dims(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap(arguments.has(1) ? permute_dims(x, integers(arguments, 1)) : reversed(x));
}

PyObject* run_squeeze(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  if (arguments.has(1)) return wrap(squeeze(x, integers(arguments, 1)));
  std::vector<std::int64_t> axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] == 1) axes.push_back(axis);
  }
  return wrap(squeeze(x, axes));
}

PyObject* run_flip(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  if (!arguments.has(1)) return wrap(flip(x, std::nullopt));
  const std::vector<std::int64_t> axes = integers(arguments, 1);
  return wrap(flip(x, axes));
}

PyObject* run_moveaxis(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const Dims source = normalize_axes(integers(arguments, 1), x.rank());
  const Dims destination = normalize_axes(integers(arguments, 2), x.rank());
  if (source.rank() != destination.rank()) {
    throw ValueError("source and destination have different lengths: " + to_string(source) +
                     " and " + to_string(destination));
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.rank()), -1);
  std::vector<bool> moved(order.size());
  for (int i = 0; i < source.rank(); ++i) {
    order[static_cast<std::size_t>(destination[i])] = source[i];
    moved[static_cast<std::size_t>(source[i])] = true;
  }
  std::int64_t next = 0;
  for (std::int64_t& axis : order) {
    if (axis >= 0) continue;
    while (moved[static_cast<std::size_t>(next)]) ++next;
    axis = next++;
  }
  return wrap(permute_dims(x, order));
}

PyObject* run_matrix_transpose(const Arguments& arguments) {
  return wrap(matrix_transpose(array_argument(arguments, 0)));
}

PyObject* run_broadcast_to(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap(broadcast_to(x, checked_shape(integers(arguments, 1))));
}

PyObject* run_sliding_windows(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> lengths = integers(arguments, 1);
  const std::vector<std::int64_t> axes = integers(arguments, 2);
  const OperationScope scope("sliding_window_view");
  return wrap(sliding_windows(x, lengths, axes));
}

PyObject* run_strided_view(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> lengths = integers(arguments, 1);
  const std::vector<std::int64_t> strides = integers(arguments, 2);
  const OperationScope scope("as_strided");
  NdArray view = strided_view(x, checked_shape(lengths), strides);
  return wrap(boolean(arguments, 3, true) ? std::move(view) : view.read_only_view());
}

PyObject* run_broadcast_arrays(const Arguments& arguments) {
  return wrap_all(broadcast_arrays(rest_arrays(arguments)));
}

PyObject* run_broadcast_shapes(const Arguments& arguments) {
  std::vector<Dims> shapes;
  shapes.reserve(static_cast<std::size_t>(arguments.rest_count));
  for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
    const std::string name = "shapes[" + std::to_string(i) + "]";
    const auto shape = integers(arguments, -1, name.c_str(), arguments.rest[i]);
    shapes.push_back(checked_shape(shape));
  }
  std::vector<const Dims*> pointers;
  pointers.reserve(shapes.size());
  for (const Dims& shape : shapes) pointers.push_back(&shape);
  const Dims common = pointers.empty() ? Dims() : broadcast_shapes(pointers);
  Object tuple(PyTuple_New(common.rank()));
  for (int i = 0; i < common.rank(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, PyLong_FromLongLong(common[i]));
  }
  return tuple.release();
}

PyObject* run_astype(const Arguments& arguments) {
  if (detail::active_recording != nullptr) [[unlikely]] {
    if (PyObject* const result = record_astype(arguments)) return result;
  }
  const NdArray& x = array_argument(arguments, 0);
  const Dtype type = parse_dtype(arguments[1]);
  const bool copied = boolean(arguments, 2, true);
  const Device device = arguments.has(3) ? usable_device(arguments[3]) : x.device();
  if (!copied && type == x.dtype() && device == x.device()) return Py_NewRef(arguments[0]);
  const auto convert = [&]() -> NdArray {
    // Cast before the copy if that does not copy more bytes. An empty array checks the cast first.
    if (device == x.device()) return astype(x, type, copied);
    if (itemsize(type) <= x.itemsize()) return to_device(astype(x, type, false), device);
    static_cast<void>(
        astype(NdArray(x.view(Layout{.shape = Dims{0}, .strides = Dims{0}})), type, false));
    return astype(to_device(x, device), type, false);
  };
  return wrap_result(x.size() > min_size_without_gil || device != x.device(), convert);
}

/// Throws DtypeError if the dtypes don't promote.
Dtype promote_types(const std::vector<Dtype>& types) {
  Promotion promotion;
  for (const Dtype type : types) promotion.add(type);
  if (const std::optional<Dtype> common = promotion.result()) return *common;
  std::string text;
  const char* separator = "";
  for (const Dtype type : types) {
    text += separator + std::string(name(type));
    separator = " and ";
  }
  throw DtypeError(text + " don't promote; convert one with astype");
}

/// Returns the default dtype of the scalars' highest kind.
Dtype dtype_of_scalars(const std::vector<Scalar>& scalars) {
  const auto lower = [](const Scalar& a, const Scalar& b) { return a.kind < b.kind; };
  return default_dtype(std::ranges::max_element(scalars, lower)->kind);
}

/// True if the scalars alone determine the dtype: without arrays and dtypes, which the standard
/// leaves open but NumPy and xarray need; or if a scalar is floating and no dtype is, so that
/// uint64 and int64 need not promote.
bool is_by_scalars(const std::vector<Dtype>& types, const std::vector<Scalar>& scalars) {
  if (types.empty() || scalars.empty()) return types.empty();
  constexpr auto is_floating = [](Dtype type) { return kind_rank(type) > 1; };
  return is_floating(dtype_of_scalars(scalars)) && std::ranges::none_of(types, is_floating) &&
         !promotion_is_strict();
}

PyObject* run_result_type(const Arguments& arguments) {
  std::vector<Scalar> scalars;
  std::vector<Device> devices;
  std::vector<Dtype> types;  // no element is read, so arrays may be on different devices
  for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
    PyObject* object = arguments.rest[i];
    Scalar value;
    if (is_array(object)) {
      types.push_back(value_of(object).dtype());
      devices.push_back(value_of(object).device());
      continue;
    }
    if (is_numpy_array(object)) {
      types.push_back(parse_dtype(Object(PyObject_GetAttrString(object, "dtype")).get()));
      continue;
    }
    const Parsed result = parse_scalar(object, value);
    if (result == Parsed::error) throw PythonError{};
    if (result == Parsed::yes) {
      scalars.push_back(value);
    } else {
      types.push_back(parse_dtype(object));
    }
  }
  if (types.empty() && scalars.empty()) {
    throw ValueError("at least one array or dtype is required");
  }
  Dtype type = is_by_scalars(types, scalars) ? dtype_of_scalars(scalars) : promote_types(types);
  for (const Scalar& value : scalars) type = promote_scalar(type, value);
  for (const Device device : devices) require_dtype(device, type);
  return Py_NewRef(dtype_object(type));
}

PyObject* run_can_cast(const Arguments& arguments) {
  const bool is_of_array = is_array(arguments[0]) || is_numpy_array(arguments[0]);
  const Dtype source_dtype =
      is_of_array ? array_argument(arguments, 0).dtype() : parse_dtype(arguments[0]);
  const Dtype type = parse_dtype(arguments[1]);
  if (is_array(arguments[0]) && !has_dtype(value_of(arguments[0]).device(), type)) {
    Py_RETURN_FALSE;
  }
  if (arguments[2] != nullptr &&
      choice(arguments, 2, {"safe", "same_kind", "unsafe", "equiv", "no"}) > 0) {
    return PyBool_FromLong(can_cast(source_dtype, type, arguments[2]));
  }
  return PyBool_FromLong(promote(source_dtype, type) == type);
}

constexpr FunctionEntry manipulation_functions[] = {
    {"astype", "(x, dtype, /, *, copy=True, device=None)",
     "Cast an array to a dtype.\n\n"
     "Floats are truncated towards zero; the result is unspecified for a float that the integer "
     "dtype can't hold.\n\n"
     "Parameters\n----------\nx : Array\ndtype : dtype\n    The dtype of the result.\ncopy : "
     "bool\n    False: return x itself if neither its dtype nor its device changes.\ndevice : "
     "Device or str, optional\n    The device of the result; that of x by default.\n\n"
     "Returns\n-------\nArray\n    A new array, or x.\n\n"
     "Raises\n------\nTypeError\n    From a complex dtype to a real "
     "one.\n\n"
     "Source: array API 2025.12, data type functions.",
     run_astype},
    {"broadcast_arrays", "(*arrays)",
     "Views of the arrays, broadcast to their common shape; read-only if an axis is broadcast.\n\n"
     "Parameters\n----------\n*arrays : Array\n    On one device.\n\n"
     "Returns\n-------\ntuple of Array\n\nRaises\n------\nDeviceMismatchError\n    For arrays on "
     "different devices.\n"
     "ValueError\n    For shapes that don't broadcast.",
     run_broadcast_arrays},
    {"broadcast_shapes", "(*shapes)",
     "The shape that the shapes broadcast to.\n\n"
     "Parameters\n----------\n*shapes : int or tuple of ints\n    Any number of shapes.\n\n"
     "Returns\n-------\ntuple of int\n\n"
     "Raises\n------\nValueError\n    If they don't broadcast.",
     run_broadcast_shapes},
    {"broadcast_to", "(x, /, shape)",
     "A view of x, broadcast to a shape; read-only if an axis is broadcast.\n\n"
     "Parameters\n----------\nx : Array\nshape : int or tuple of ints\n    Its last sizes are "
     "those of x, or any where x has size 1.\n\n"
     "Raises\n------\nValueError\n    If x does not broadcast to the shape.",
     run_broadcast_to},
    {"can_cast", "(from_, to, casting='safe')",
     "Test whether a dtype, or the dtype of an array, promotes to another one.\n\n"
     "Parameters\n----------\nfrom_ : dtype or Array\n    The dtype to convert from.\nto : "
     "dtype\n    The dtype to convert to.\ncasting : {'no', 'equiv', 'safe', 'same_kind', "
     "'unsafe'}\n    Another rule than 'safe': NumPy's rule of that name.\n\n"
     "Returns\n-------\nbool\n    By the table of the standard, in which dtypes of different "
     "kinds don't promote.\n\n"
     "Source: array API 2025.12, data type functions.",
     run_can_cast},
    {"expand_dims", "(x, /, axis)",
     "A view of x with new axes of size 1 at the positions of axis in the result.\n\n"
     "Parameters\n----------\nx : Array\naxis : int or tuple of ints\n    Negative positions "
     "count from the end of the result.\n\n"
     "Raises\n------\nAxisError\n    (ValueError and IndexError) for a position that the result "
     "does not have.",
     run_view<expand_dims>},
    {"flip", "(x, /, axis=None)",
     "A view of x with the order of elements reversed along the axes, all of them by default.\n\n"
     "Parameters\n----------\nx : Array\naxis : int or tuple of ints, optional\n    The axes to "
     "reverse.\n\n"
     "Raises\n------\nAxisError\n    For an axis that x does not have.\n"
     "ValueError\n    For repeated axes.",
     run_flip},
    {"matrix_transpose", "(x, /)",
     "A view of x with its last two axes exchanged.\n\n"
     "Parameters\n----------\nx : Array\n    At least 2-D.\n\n"
     "Raises\n------\nValueError\n    Below 2-D."
     "\n\nSource: array API 2025.12, linear algebra functions.",
     run_matrix_transpose},
    {"moveaxis", "(x, /, source, destination)",
     "A view of x with axes moved to other positions; the rest keep their order.\n\n"
     "Parameters\n----------\nx : Array\nsource : int or tuple of ints\n    The axes to "
     "move.\ndestination : int or tuple of ints\n    Their positions in the result.\n\n"
     "Raises\n------\nAxisError\n    For an axis that x does not have.\n"
     "ValueError\n    For repeated axes, or if source and destination have different lengths.",
     run_moveaxis},
    {"permute_dims", "(x, /, axes=None)",
     "A view of x with its axes in another order.\n\n"
     "Parameters\n----------\nx : Array\naxes : int or tuple of ints, optional\n    Each axis of "
     "x once, in the order of the result; reversed by default.\n\n"
     "Raises\n------\nAxisError\n    For an axis "
     "that x does not have.\nValueError\n    Unless each axis is given once.",
     run_permute_dims},
    {"reshape", "(x, /, shape, order='C', *, copy=None)",
     "The elements of x in C order with another shape, one size of which may be -1.\n\n"
     "With order='F' they are read and placed in Fortran order; 'A' means 'F' for an x in that "
     "order.\n"
     "A view if the layout of x allows it, unless copy=True.\n\n"
     "Parameters\n----------\nx : Array\nshape : int or tuple of ints\n    -1 stands for the size "
     "that follows from the number of elements.\ncopy : bool, optional\n    None: copy only if "
     "required. True: always. False: raise ValueError if a copy is required.\n\n"
     "Raises\n------\nValueError\n    For another number of elements, or with copy=False if a "
     "copy is required.",
     run_reshape},
    {"result_type", "(*arrays_and_dtypes)",
     "The dtype that arrays, dtypes and Python scalars promote to.\n\n"
     "Parameters\n----------\n*arrays_and_dtypes : Array, dtype or Python scalar\n    At least "
     "one; arrays may be on different devices.\n\nReturns\n-------\ndtype\n\n"
     "Raises\n------\nTypeError\n    If they don't promote.\nValueError\n    Without arguments."
     "\n\nSource: array API 2025.12, data type functions.",
     run_result_type},
    {"squeeze", "(x, /, axis=None)",
     "A view of x without axes of size 1.\n\n"
     "Parameters\n----------\nx : Array\naxis : int or tuple of ints, optional\n    The axes to "
     "remove, each of size 1; all of them by default.\n\n"
     "Raises\n------\nValueError\n    For an axis of "
     "another size, or repeated axes.\nAxisError\n    For an axis that x does not have.",
     run_squeeze},
};

constexpr FunctionEntry own_functions[] = {
    {"sliding_windows", "(x, lengths, axes, /)",
     "Sliding windows along each of the axes, as new axes at the end; read-only.",
     run_sliding_windows},
    {"strided_view", "(x, shape, strides, writeable, /)",
     "A view with another shape and strides in bytes, in the memory of x.", run_strided_view},
};

}  // namespace

void add_manipulation(PyObject* module) {
  add_functions<manipulation_functions>(module, "manipulation functions");
  add_functions<own_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
