// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "ops/create/create.hpp"

#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/asarray.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/element_order.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/memory_options.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

Dims parse_shape(const Arguments& arguments) {
  if (PyLong_CheckExact(arguments[0])) return {clamped_integer(arguments[0])};
  if (PyTuple_CheckExact(arguments[0]) && PyTuple_GET_SIZE(arguments[0]) == 1 &&
      PyLong_CheckExact(PyTuple_GET_ITEM(arguments[0], 0))) {
    return {clamped_integer(PyTuple_GET_ITEM(arguments[0], 0))};
  }
  const std::vector<std::int64_t> shape = integers(arguments, 0);
  return Dims(std::span<const std::int64_t>(shape));
}

/// Creates an uninitialized array in C order.
NdArray make_empty(const Dims& shape, Dtype type, Device device, const MemoryOption* memory) {
  if (memory == nullptr) return empty(shape, type, device);
  const std::int64_t nbytes = check_shape(shape.span(), itemsize(type));
  require_dtype(device, type);
  return {memory->allocate(device, static_cast<std::size_t>(nbytes)), shape, type};
}

NdArray make_full(const Dims& shape, const Scalar& value, Dtype type, Device device,
                  const MemoryOption* memory) {
  static_cast<void>(to_element(value, type));
  const std::int64_t nbytes = check_shape(shape.span(), itemsize(type));
  const WithoutGil working(nbytes > 8 * min_size_without_gil);
  if (memory == nullptr) return full(shape, value, type, device);
  NdArray result = make_empty(shape, type, device, memory);
  fill(result, value);
  return result;
}

/// Calls `make` with the shape, or in Fortran order with the reversed shape.
template <class Make>
NdArray make_in_order(const Dims& shape, bool is_fortran, Make make) {
  if (!is_fortran) [[likely]]
    return make(shape);
  check_shape(shape.span(), 1);  // the error shows the shape as passed
  const axis_list backwards(std::make_reverse_iterator(shape.end()),
                            std::make_reverse_iterator(shape.begin()));
  return reversed(make(Dims(std::span<const std::int64_t>(backwards))));
}

PyObject* run_empty(const Arguments& arguments) {
  const Dims shape = parse_shape(arguments);
  const std::optional<Dtype> requested_dtype = parse_optional_dtype(arguments[1]);
  const bool is_fortran = is_fortran_order(arguments, 2);
  const Device device = device_or_default(arguments[3]);
  const Dtype type = requested_dtype.value_or(default_dtype_on(device, default_real));
  const MemoryOption* const memory = parse_memory(arguments, 4, device);
  return wrap(make_in_order(shape, is_fortran, [&](const Dims& lengths) {
    return make_empty(lengths, type, device, memory);
  }));
}

Scalar number_of(Dtype type, std::int64_t number) {
  return type == Dtype::bool_ ? Scalar::from_value(number != 0) : Scalar::from_value(number);
}

template <int Number>
PyObject* run_filled(const Arguments& arguments) {
  const Dims shape = parse_shape(arguments);
  const std::optional<Dtype> requested_dtype = parse_optional_dtype(arguments[1]);
  const bool is_fortran = is_fortran_order(arguments, 2);
  const Device device = device_or_default(arguments[3]);
  const Dtype type = requested_dtype.value_or(default_dtype_on(device, default_real));
  const MemoryOption* const memory = parse_memory(arguments, 4, device);
  const Scalar value = number_of(type, Number);
  return wrap(make_in_order(shape, is_fortran, [&](const Dims& lengths) {
    return make_full(lengths, value, type, device, memory);
  }));
}

/// Reads the element of a 0-d array, which must be on the device of the result.
Scalar read_number(const Arguments& arguments, int parameter, const char* argument, Device device) {
  const NdArray& array = value_of(arguments[parameter]);
  require_device_match(arguments, parameter, array, device);
  const Object number(to_python(read_element(array), array.dtype()));
  return require_scalar(argument, number.get());
}

/// A fill value, and the default dtype of the result. A 0-d array on the device of the result is
/// also accepted; its dtype is then the default.
struct FillValue {
  Scalar value;
  Dtype type;
};
FillValue parse_fill(const Arguments& arguments, const NdArray* array, Device device) {
  if (array != nullptr && array->rank() == 0) {
    return {read_number(arguments, 1, "fill_value", device), array->dtype()};
  }
  const Scalar value = require_scalar("fill_value", arguments[1]);
  return {value, default_dtype_on(device, default_dtype(value.kind))};
}

/// Returns the fill value if it is an array, else null.
const NdArray* fill_array(const Arguments& arguments) {
  const bool is_one = is_array(arguments[1]) || is_numpy_array(arguments[1]);
  return is_one ? &array_argument(arguments, 1) : nullptr;
}

PyObject* run_full(const Arguments& arguments) {
  const Dims shape = parse_shape(arguments);
  // The device of an array argument takes precedence over the default device.
  const NdArray* const array = fill_array(arguments);
  const Device device =
      array != nullptr && !arguments.has(4) ? array->device() : device_or_default(arguments[4]);
  const FillValue fill = parse_fill(arguments, array, device);
  const std::optional<Dtype> requested_dtype = parse_optional_dtype(arguments[2]);
  const Scalar value = requested_dtype ? cast_scalar(fill.value, *requested_dtype) : fill.value;
  const bool is_fortran = is_fortran_order(arguments, 3);
  const MemoryOption* const memory = parse_memory(arguments, 5, device);
  return wrap(make_in_order(shape, is_fortran, [&](const Dims& lengths) {
    return make_full(lengths, value, requested_dtype.value_or(fill.type), device, memory);
  }));
}

/// The shape, dtype, order and device of a new array like x.
struct Model {
  Dims shape;
  Dtype type;
  Device device;
  axis_list axes;  ///< in the order of memory; empty for C order

  /// Calls `make` with the shape.
  template <class Make>
  [[nodiscard]] NdArray create(Make make) const {
    if (axes.empty()) [[likely]]
      return make(shape);
    Dims ordered(shape.rank());
    axis_list inverse(axes.size());
    for (int i = 0; i < shape.rank(); ++i) {
      const std::int64_t axis = axes[static_cast<std::size_t>(i)];
      ordered[i] = shape[static_cast<int>(axis)];
      inverse[static_cast<std::size_t>(axis)] = i;
    }
    return permute_dims(make(ordered), inverse);
  }
};

/// Parses dtype, order, subok, shape and device, the parameters from `dtype_at` on.
Model parse_like(const Arguments& arguments, int dtype_at) {
  const NdArray& x = array_argument(arguments, 0);
  Model model{x.shape(),
              parse_optional_dtype(arguments[dtype_at]).value_or(x.dtype()),
              arguments.has(dtype_at + 4) ? usable_device(arguments[dtype_at + 4]) : x.device(),
              {}};
  ElementOrder order = order_of(arguments, dtype_at + 1, x);
  static_cast<void>(boolean(arguments, dtype_at + 2, true));  // subok, which has no effect
  if (arguments.has(dtype_at + 3)) {
    const axis_list shape = integers(arguments, dtype_at + 3);
    model.shape = Dims(std::span<const std::int64_t>(shape));
    // The axes of x have an order only for as many axes, as in NumPy.
    if (order == ElementOrder::memory && model.shape.rank() != x.rank()) order = ElementOrder::c;
  }
  if (order == ElementOrder::f) model.axes = reversed_axes(model.shape.rank());
  if (order == ElementOrder::memory) model.axes = axes_in_memory(x);
  return model;
}

PyObject* run_empty_like(const Arguments& arguments) {
  const Model model = parse_like(arguments, 1);
  return wrap(model.create(
      [&](const Dims& shape) { return make_empty(shape, model.type, model.device, nullptr); }));
}

template <int Number>
PyObject* run_filled_like(const Arguments& arguments) {
  const Model model = parse_like(arguments, 1);
  return wrap(model.create([&](const Dims& shape) {
    return make_full(shape, number_of(model.type, Number), model.type, model.device, nullptr);
  }));
}

PyObject* run_full_like(const Arguments& arguments) {
  const Model model = parse_like(arguments, 2);
  const FillValue fill = parse_fill(arguments, fill_array(arguments), model.device);
  const bool has_dtype = arguments.has(2);
  const Scalar value = has_dtype ? cast_scalar(fill.value, model.type) : fill.value;
  return wrap(model.create([&](const Dims& shape) {
    return make_full(shape, value, model.type, model.device, nullptr);
  }));
}

/// Returns the device of a range: `device=`, else that of the first bound that is an array, else
/// the default device.
Device range_device(const Arguments& arguments, int bounds, int device_at) {
  for (int i = 0; i < bounds && !arguments.has(device_at); ++i) {
    if (arguments.has(i) && is_array(arguments[i])) return value_of(arguments[i]).device();
  }
  return device_or_default(arguments[device_at]);
}

/// Parses a bound: a number, or a 0-d array on the device of the range.
Scalar parse_bound(const Arguments& arguments, int parameter, const char* argument, Device device) {
  if (!is_array(arguments[parameter]) || value_of(arguments[parameter]).rank() > 0) {
    return require_scalar(argument, arguments[parameter]);
  }
  return read_number(arguments, parameter, argument, device);
}

PyObject* run_arange(const Arguments& arguments) {
  const Device device = range_device(arguments, 3, 4);
  Scalar start = parse_bound(arguments, 0, "start", device);
  Scalar stop = start;
  if (arguments.has(1)) {
    stop = parse_bound(arguments, 1, "stop", device);
  } else {
    start = Scalar::from_value(std::int64_t{0});
  }
  const Scalar step = arguments.has(2) ? parse_bound(arguments, 2, "step", device)
                                       : Scalar::from_value(std::int64_t{1});
  const std::optional<Dtype> type = parse_optional_dtype(arguments[3]);
  return wrap(arange(start, stop, step, type, device));
}

/// Returns the distance between `count` + 1 evenly spaced values; NaN if there is only one.
Object step_of_range(const Scalar& start, const Scalar& stop, std::int64_t count) {
  const auto first = to_element(start, Dtype::complex128).as<complex128>();
  const auto last = to_element(stop, Dtype::complex128).as<complex128>();
  const double divisor = count > 0 ? static_cast<double>(count) : std::nan("");
  const double real = (last.re - first.re) / divisor;
  if (start.kind != ScalarKind::complex && stop.kind != ScalarKind::complex)
    return Object(PyFloat_FromDouble(real));
  return Object(PyComplex_FromDoubles(real, (last.im - first.im) / divisor));
}

/// True for a bound with axes: an array, or a list.
bool has_axes(PyObject* bound) {
  if (is_list_or_tuple(bound)) return true;
  if (is_array(bound)) return header_of(bound).rank() > 0;
  if (!is_numpy_array(bound)) return false;
  if (PyObject_Length(bound) >= 0) return true;
  PyErr_Clear();
  return false;
}

/// Computes one range for each element of the bounds, in Python.
PyObject* linspace_between_arrays(const Arguments& arguments) {
  const Object function = package_function("skerry._extra.creation._spaced", "linspace");
  const Object no_arguments(PyTuple_New(0));
  const Object keywords(PyDict_New());
  for (int i = 0; i < arguments.signature->count(); ++i) {
    if (arguments[i] == nullptr) continue;
    if (PyDict_SetItem(keywords.get(), arguments.signature->name(i), arguments[i]) != 0)
      throw PythonError{};
  }
  return PyObject_Call(function.get(), no_arguments.get(), keywords.get());
}

PyObject* run_linspace(const Arguments& arguments) {
  if (has_axes(arguments[0]) || has_axes(arguments[1])) return linspace_between_arrays(arguments);
  const Device device = range_device(arguments, 2, 7);
  const Scalar start = parse_bound(arguments, 0, "start", device);
  const Scalar stop = parse_bound(arguments, 1, "stop", device);
  const std::int64_t num = integer(arguments, 2, 50);
  const bool endpoint = boolean(arguments, 3, true);
  const bool returns_step = boolean(arguments, 4, false);
  const std::optional<Dtype> type = parse_optional_dtype(arguments[5]);
  static_cast<void>(normalize_axis(integer(arguments, 6, 0), 1));
  Object values(wrap(linspace(start, stop, num, type, device, endpoint)));
  if (!returns_step) return values.release();
  const Object step = step_of_range(start, stop, num - (endpoint ? 1 : 0));
  return PyTuple_Pack(2, values.get(), step.get());
}

PyObject* run_eye(const Arguments& arguments) {
  const std::int64_t rows = integer(arguments, 0);
  const std::int64_t columns = arguments.has(1) ? integer(arguments, 1) : rows;
  const std::int64_t k = arguments.has(2) ? integer(arguments, 2) : 0;
  const std::optional<Dtype> requested_dtype = parse_optional_dtype(arguments[3]);
  const Device device = device_or_default(arguments[5]);
  const Dtype type = requested_dtype.value_or(default_dtype_on(device, default_real));
  const std::int64_t shape[] = {rows, columns};
  check_shape(shape, itemsize(type));
  if (!is_fortran_order(arguments, 4)) return wrap(eye(rows, columns, k, type, device));
  return wrap(reversed(eye(columns, rows, -k, type, device)));
}

template <NdArray (*Triangle)(const NdArray&, std::int64_t)>
PyObject* run_triangle(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap(Triangle(x, arguments.has(1) ? integer(arguments, 1) : 0));
}

PyObject* run_meshgrid(const Arguments& arguments) {
  const std::vector<NdArray> arrays = rest_arrays(arguments);
  const bool copied = boolean(arguments, 0, false);
  const bool is_sparse = boolean(arguments, 1, false);
  const bool xy = choice(arguments, 2, {"xy", "ij"}) == 0;
  std::vector<NdArray> grids = meshgrid(arrays, xy);
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (is_sparse) {
      const std::size_t axis = xy && i < 2 && grids.size() > 1 ? 1 - i : i;
      axis_list shape(grids.size(), 1);
      shape[axis] = -1;
      grids[i] = reshape(arrays[i], shape, std::nullopt);
    }
    if (copied) grids[i] = copy_c_order(grids[i]);
  }
  return wrap_all(std::move(grids));
}

PyObject* fast_asarray(PyObject* const* args, Py_ssize_t count) {
  return count == 1 && is_array(args[0]) ? Py_NewRef(args[0]) : nullptr;
}

PyObject* run_asarray(const Arguments& arguments) {
  Conversion conversion{.type = parse_optional_dtype(arguments[1]),
                        .device = std::nullopt,
                        .copied = optional_boolean(arguments, 4)};
  if (arguments.has(3)) conversion.device = usable_device(arguments[3]);
  if (!arguments.has(2)) [[likely]]
    return as_array(conversion, arguments[0]);
  // Check order= first, which does not depend on the elements unless it is 'A' or 'K'.
  const int order_index = choice(arguments, 2, {"C", "F", "A", "K"});
  const bool is_copied = conversion.copied == true;
  const bool has_any_order = order_index == 3 || (order_index == 2 && !is_copied);
  // Copies an array once, in the requested order.
  const bool copies_last = is_copied && !has_any_order && is_array(arguments[0]);
  if (copies_last) conversion.copied = std::nullopt;
  Object array(as_array(conversion, arguments[0]));
  if (has_any_order) return array.release();
  const NdArray& x = value_of(array.get());
  const ElementOrder order = parse_order(arguments, 2, x);
  const bool has_order =
      order == ElementOrder::c ? x.is_c_contiguous() : is_f_contiguous(x.layout(), x.itemsize());
  if (has_order && !copies_last) return array.release();
  if (conversion.copied == false) {
    throw ValueError("copy=False, but order=" + shown(arguments[2]) + " requires a copy of " +
                     describe(x));
  }
  return wrap_result(x.size() > min_size_without_gil, [&] { return copy_in_order(x, order); });
}

PyObject* run_from_dlpack(const Arguments& arguments) {
  PyObject* object = arguments[0];
  Conversion conversion{
      .type = std::nullopt, .device = std::nullopt, .copied = optional_boolean(arguments, 2)};
  if (arguments.has(1)) conversion.device = usable_device(arguments[1]);
  // Our own array needs no capsule, which could not express its logical device.
  if (is_array(object)) return wrap(convert(conversion, value_of(object), false));
  if (!conversion.device)
    return wrap_result(false, [&] { return from_capsule(object, conversion.copied, false); });
  const bool to_host = is_host(*conversion.device);
  // With copy=True, skerry makes the copy, so that the producer need not make another.
  const auto copied = conversion.copied == true ? std::nullopt : conversion.copied;
  NdArray array = from_capsule(object, copied, to_host);
  if (to_host && is_host(array.device()) && array.device() != *conversion.device &&
      conversion.copied != true) {
    // Host memory of another library is imported on whichever CPU device is requested.
    return wrap(rehome(std::move(array), *conversion.device));
  }
  return wrap(convert(conversion, std::move(array), false));
}

#define SKERRY_DTYPE_DOC(default_dtype) "dtype : dtype, optional\n    " default_dtype ".\n"
#define SKERRY_DEVICE_DOC                                           \
  "device : Device or str, optional\n    By default the device of " \
  "`with skerry.device(...)`, else of set_default_device, else cpu:0.\n"
#define SKERRY_ORDER_DOC "order : {'C', 'F'}\n    Order of the elements in memory.\n"
#define SKERRY_CREATION_ERRORS                                                                    \
  "\nRaises\n------\nDeviceUnavailableError\n    If the device can't be used.\n"                  \
  "ValueError\n    For a shape that is negative, has more than 64 axes or too many bytes.\n"      \
  "TypeError\n    For an unsupported dtype.\nOutOfMemoryError\n    If the device has too little " \
  "free memory."
#define SKERRY_LIKE_DOC                                                                            \
  "\n\nParameters\n----------\nx : Array\n    Determines the shape, and the default "              \
  "dtype and device.\ndtype : dtype, optional\n    That of x by default.\n"                        \
  "order : {'C', 'F', 'A', 'K'}\n    Order of the elements in memory; 'K' is that of x, 'A' is "   \
  "'F' for an x in Fortran order.\nsubok : bool\n    Has no effect.\nshape : int or tuple of "     \
  "ints, optional\n    That of x by default.\ndevice : Device or str, optional\n    That of x by " \
  "default.\n"

constexpr FunctionEntry creation_functions[] = {
    {"arange", "(start, stop=None, step=1, dtype=None, *, device=None)",
     "Evenly spaced values from start up to, but not including, stop; from 0 if only one bound is "
     "given.\n\nParameters\n----------\nstart, stop, step : int, float or 0-d Array on the device "
     "of the result, which is read on the host\n" SKERRY_DTYPE_DOC(
         "By default int64 if start, stop and step are integers, else float64") SKERRY_DEVICE_DOC
     "\nRaises\n------\nValueError\n    For a zero step or too many elements.\nTypeError\n    For "
     "complex arguments or dtype=bool.",
     run_arange},
    {"asarray", "(obj, /, dtype=None, order=None, *, device=None, copy=None)",
     "Convert an object to an array.\n\n"
     "Parameters\n----------\nobj : Array, scalar, nested list or tuple, or object of another "
     "library\n    With the C exchange API of DLPack, __cuda_array_interface__ of version 3, "
     "__dlpack__, an older interface,\n    the buffer protocol, NumPy's array interface or "
     "__array__; the first of these is used.\n" SKERRY_DTYPE_DOC(
         "By default that of obj; bool, int64, float64 or complex128 for Python scalars")
         SKERRY_DEVICE_DOC
     "    Without device=, an Array or memory of a GPU remains on its device.\n"
     "copy : bool, optional\n    None: share memory if possible. False: raise ValueError if a copy "
     "is required.\n" SKERRY_CREATION_ERRORS,
     run_asarray, fast_asarray},
    {"empty", "(shape, dtype=None, order='C', *, device=None, " SKERRY_MEMORY_PARAMETERS ")",
     "A new array with uninitialized elements.\n\nParameters\n----------\nshape : int or "
     "tuple of ints\n" SKERRY_DTYPE_DOC("float64 by default")
         SKERRY_ORDER_DOC SKERRY_DEVICE_DOC SKERRY_MEMORY_DOC SKERRY_CREATION_ERRORS,
     run_empty},
    {"empty_like", "(x, /, dtype=None, order='C', subok=True, shape=None, *, device=None)",
     "A new array with the shape of x and uninitialized elements." SKERRY_LIKE_DOC
         SKERRY_CREATION_ERRORS,
     run_empty_like},
    {"eye", "(n_rows, n_cols=None, k=0, dtype=None, order='C', *, device=None)",
     "A matrix with ones on the k-th diagonal and zeros elsewhere.\n\nParameters\n----------\n"
     "n_rows, n_cols : int\n    Extents; a square matrix by default.\nk : int\n    Positive: above "
     "the main diagonal.\n" SKERRY_DTYPE_DOC("float64 by default")
         SKERRY_DEVICE_DOC SKERRY_CREATION_ERRORS,
     run_eye},
    {"from_dlpack", "(x, /, *, device=None, copy=None)",
     "Import an object with __dlpack__ as an array.\n\nParameters\n----------\n"
     "x : object with __dlpack__ and __dlpack_device__\ndevice : Device or str, optional\n    That "
     "of x by default.\n"
     "copy : bool, optional\n    None: share memory if possible. False: raise an error if a copy "
     "is required.\n\nRaises\n------\nInterchangeError\n    (BufferError and ValueError) for a "
     "tensor that skerry can't represent, or if copy=False and a copy is required.\nTypeError\n    "
     "If x lacks these methods.\nDeviceUnavailableError\n    If the device can't be used.",
     run_from_dlpack},
    {"full",
     "(shape, fill_value, dtype=None, order='C', *, device=None, " SKERRY_MEMORY_PARAMETERS ")",
     "A new array filled with fill_value.\n\nParameters\n----------\nshape : int or tuple "
     "of ints\nfill_value : Python scalar, or 0-d Array on the device of the "
     "result\n" SKERRY_DTYPE_DOC(
         "By default that of fill_value; bool, int64, float64 or complex128 for a Python scalar")
         SKERRY_ORDER_DOC SKERRY_DEVICE_DOC SKERRY_MEMORY_DOC SKERRY_CREATION_ERRORS,
     run_full},
    {"full_like",
     "(x, /, fill_value, dtype=None, order='C', subok=True, shape=None, *, device=None)",
     "A new array with the shape of x, filled with fill_value." SKERRY_LIKE_DOC
         SKERRY_CREATION_ERRORS,
     run_full_like},
    {"linspace",
     "(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None)",
     "num evenly spaced values from start to stop.\n\nParameters\n----------\n"
     "start, stop : Python scalar, or Array on the device of the result\n    A 0-d array is read "
     "on "
     "the host. Arrays with axes broadcast, and their elements are the bounds of one range "
     "each.\nnum : int\n    The number of values.\n" SKERRY_DTYPE_DOC(
         "By default complex128 if start or stop is complex, else float64. Integers are rounded "
         "towards negative infinity") SKERRY_DEVICE_DOC
     "endpoint : bool\n    Whether stop is the last value, exactly.\naxis : int\n    Axis of the "
     "values in the result.\n" SKERRY_CREATION_ERRORS,
     run_linspace},
    {"meshgrid", "(*arrays, copy=False, sparse=False, indexing='xy')",
     "Coordinate matrices from coordinate vectors.\n\n"
     "Parameters\n----------\n*arrays : Array\n    The coordinates along each axis: 1-D or 0-d, "
     "on one device.\ncopy : bool\n    True: return new arrays, not views.\nsparse : bool\n    "
     "True: return the coordinates with axes of size 1 in place of the others, which broadcast to "
     "the\n    matrices.\nindexing : {'xy', 'ij'}\n    xy: the first array runs along axis 1 and "
     "the second along axis 0. ij: each runs along the axis of its\n    position.\n\n"
     "Returns\n-------\ntuple of Array\n    Views "
     "where possible.\n\nRaises\n------\nDeviceMismatchError\n    For arrays on different "
     "devices.\nValueError\n    For arrays of more than one axis, more than 64 arrays, or unknown "
     "indexing.",
     run_meshgrid},
    {"ones", "(shape, dtype=None, order='C', *, device=None, " SKERRY_MEMORY_PARAMETERS ")",
     "A new array of ones.\n\nParameters\n----------\nshape : int or tuple of "
     "ints\n" SKERRY_DTYPE_DOC("float64 by default")
         SKERRY_ORDER_DOC SKERRY_DEVICE_DOC SKERRY_MEMORY_DOC SKERRY_CREATION_ERRORS,
     run_filled<1>},
    {"ones_like", "(x, /, dtype=None, order='C', subok=True, shape=None, *, device=None)",
     "A new array of ones with the shape of x." SKERRY_LIKE_DOC SKERRY_CREATION_ERRORS,
     run_filled_like<1>},
    {"tril", "(x, /, k=0)",
     "A copy of matrices with zeros above the k-th diagonal.\n\n"
     "Parameters\n----------\nx : Array\n    At least 2-D.\nk : int\n    The diagonal; positive: "
     "above the main diagonal.\n\n"
     "Raises\n------\nValueError\n    "
     "Below 2-D.",
     run_triangle<tril>},
    {"triu", "(x, /, k=0)",
     "A copy of matrices with zeros below the k-th diagonal.\n\n"
     "Parameters\n----------\nx : Array\n    At least 2-D.\nk : int\n    The diagonal; positive: "
     "above the main diagonal.\n\n"
     "Raises\n------\nValueError\n    "
     "Below 2-D.",
     run_triangle<triu>},
    {"zeros", "(shape, dtype=None, order='C', *, device=None, " SKERRY_MEMORY_PARAMETERS ")",
     "A new array of zeros.\n\nParameters\n----------\nshape : int or tuple of "
     "ints\n" SKERRY_DTYPE_DOC("float64 by default")
         SKERRY_ORDER_DOC SKERRY_DEVICE_DOC SKERRY_MEMORY_DOC SKERRY_CREATION_ERRORS,
     run_filled<0>},
    {"zeros_like", "(x, /, dtype=None, order='C', subok=True, shape=None, *, device=None)",
     "A new array of zeros with the shape of x." SKERRY_LIKE_DOC SKERRY_CREATION_ERRORS,
     run_filled_like<0>},
};

#undef SKERRY_DTYPE_DOC
#undef SKERRY_DEVICE_DOC
#undef SKERRY_ORDER_DOC
#undef SKERRY_CREATION_ERRORS
#undef SKERRY_LIKE_DOC

}  // namespace

void add_creation(PyObject* module) {
  add_functions<creation_functions>(module, "creation functions");
}

}  // namespace skerry::python
