// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/sort/sort.hpp"
#include "python/bindings/element_order.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/value_args.hpp"

// Methods of NumPy's arrays that have no function in the standard: memory order, in-place changes,
// views of bytes.
namespace skerry::python {
namespace {

PyObject* run_copy(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  const ElementOrder order = order_of(arguments, 0, x);
  return wrap_result(x.size() > min_size_without_gil, [&] { return copy_in_order(x, order); });
}

/// Returns the elements along one axis, contiguous in memory: as in NumPy, a strided vector is
/// copied, so that writes into the result of ravel don't change it.
PyObject* flattened(const Arguments& arguments, std::optional<bool> copied) {
  static constexpr std::int64_t all[] = {-1};
  const NdArray& x = value_of(arguments.self);
  const ElementOrder order = order_of(arguments, 0, x);
  return wrap_result(x.size() > min_size_without_gil, [&] {
    const NdArray vector = reshape(in_order(x, order), all, copied);
    return vector.is_c_contiguous() ? vector : copy_c_order(vector);
  });
}

PyObject* run_flatten(const Arguments& arguments) { return flattened(arguments, true); }
PyObject* run_ravel(const Arguments& arguments) { return flattened(arguments, std::nullopt); }

/// Parses `*shape` and the like: separate ints, or one tuple or list.
axis_list rest_integers(const Arguments& arguments, const char* name) {
  if (arguments.rest_count == 1) return integers(arguments, -1, name, arguments.rest[0]);
  axis_list values;
  values.reserve(static_cast<std::size_t>(arguments.rest_count));
  for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
    if (PyLong_CheckExact(arguments.rest[i])) {
      values.push_back(clamped_integer(arguments.rest[i]));
      continue;
    }
    const axis_list one = integers(arguments, -1, name, arguments.rest[i]);
    if (one.size() != 1) {
      throw TypeError(std::string(name) + " must be ints, or one tuple of them");
    }
    values.push_back(one[0]);
  }
  return values;
}

PyObject* run_reshape(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  if (arguments.rest_count == 0) {
    throw TypeError("shape is missing; call x.reshape(2, 3) or x.reshape((2, 3))");
  }
  axis_list shape = rest_integers(arguments, "shape");
  const ElementOrder order = order_of(arguments, 0, x);
  const std::optional<bool> copied = optional_boolean(arguments, 1);
  return wrap_result(x.size() > min_size_without_gil, [&] {
    if (order == ElementOrder::c) [[likely]]
      return reshape(x, shape, copied);
    return reshape_in_order(x, std::move(shape), order, copied);
  });
}

PyObject* run_transpose(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  if (arguments.rest_count == 0 || (arguments.rest_count == 1 && arguments.rest[0] == Py_None)) {
    return wrap(reversed(x));
  }
  return wrap(permute_dims(x, rest_integers(arguments, "axes")));
}

PyObject* run_swapaxes(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  const int first = normalize_axis(integer(arguments, 0), x.rank());
  const int second = normalize_axis(integer(arguments, 1), x.rank());
  axis_list axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<std::size_t>(first)], axes[static_cast<std::size_t>(second)]);
  return wrap(permute_dims(x, axes));
}

PyObject* run_sort(const Arguments& arguments) {
  const NdArray& x = target_of(arguments.self);
  const std::int64_t axis = arguments[0] == nullptr ? -1 : integer(arguments, 0);
  if (arguments.has(2)) throw ValueError("order= is for fields, which skerry's arrays lack");
  const bool descending = arguments.has(4) && boolean(arguments, 4, false);
  if (x.read_only()) throw ReadOnlyError("the array is read-only; use skerry.sort(x)");
  {
    const WithoutGil working(x.size() > min_size_without_gil / 8);
    assign(x, sort(x, axis, descending));
  }
  Py_RETURN_NONE;
}

/// Calls a function of skerry._array_attributes with the array and all arguments.
PyObject* run_in_python(const Arguments& arguments) {
  const Object function =
      package_function("skerry._array_attributes", arguments.signature->function());
  const Object positional(PyTuple_Pack(1, arguments.self));
  const Object keywords(PyDict_New());
  for (int i = 0; i < arguments.signature->count(); ++i) {
    if (arguments[i] == nullptr) continue;
    if (PyDict_SetItem(keywords.get(), arguments.signature->name(i), arguments[i]) != 0)
      throw PythonError{};
  }
  return PyObject_Call(function.get(), positional.get(), keywords.get());
}

PyObject* run_setflags(const Arguments& arguments) {
  if (arguments.has(1) && !boolean(arguments, 1, true))
    throw ValueError("align=False has no counterpart in skerry: elements are always aligned");
  if (arguments.has(2) && boolean(arguments, 2, false))
    throw ValueError("uic=True has no counterpart in skerry: arrays are no write-back copies");
  if (!arguments.has(0)) Py_RETURN_NONE;
  const NdArray& x = target_of(arguments.self);
  const bool writeable = boolean(arguments, 0, true);
  if (writeable && (x.memory()->read_only() || overlaps_itself(x.layout(), x.itemsize()))) {
    throw ValueError(describe(x) +
                     " can't become writable: its memory is read-only, or its elements share "
                     "memory; use x.copy()");
  }
  NdArray changed(x.memory(), Layout(x.layout()), x.dtype(), !writeable);
  reinterpret_cast<ArrayObject*>(arguments.self)->value = std::move(changed);
  Py_RETURN_NONE;
}

PyObject* run_fill(const Arguments& arguments) {
  if (is_array(arguments[0]) && value_of(arguments[0]).rank() > 0) {
    throw ValueError("value must be a scalar or a 0-d array, not " +
                     describe(value_of(arguments[0])) + "; use x[...] = value");
  }
  if (PyObject_SetItem(arguments.self, Py_Ellipsis, arguments[0]) != 0) throw PythonError{};
  Py_RETURN_NONE;
}

NdArray on_the_host(const NdArray& x) {
  const WithoutGil waiting(true);
  return to_device(x, Device{});
}

PyObject* run_tobytes(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  const Object host(wrap(on_the_host(in_order(x, order_of(arguments, 0, x)))));
  return to_bytes(host.get());
}

PyObject* run_to_numpy(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  if (is_host(x.device())) return to_numpy(arguments.self, Py_None, Py_None);
  const Object host(wrap(on_the_host(x)));
  return to_numpy(host.get(), Py_None, Py_None);
}

PyObject* run_item(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  if (arguments.rest_count == 0) {
    if (x.size() != 1) {
      throw ValueError("only an array of one element converts to a scalar, not " + describe(x));
    }
    return to_python(read_element(x), x.dtype());
  }
  const axis_list index = rest_integers(arguments, "index");
  std::vector<IndexItem> items;
  if (index.size() == 1 && x.rank() != 1) {
    std::int64_t left = index[0] < 0 ? index[0] + x.size() : index[0];
    if (left < 0 || left >= x.size()) {
      throw IndexError("index " + std::to_string(index[0]) + " is out of bounds for " +
                       describe(x));
    }
    items.resize(static_cast<std::size_t>(x.rank()), {.kind = IndexKind::integer});
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      items[static_cast<std::size_t>(axis)].start = left % x.shape()[axis];
      left /= x.shape()[axis];
    }
  } else {
    if (index.size() != static_cast<std::size_t>(x.rank())) {
      throw ValueError(std::to_string(index.size()) + " indices given for " + describe(x));
    }
    for (const std::int64_t position : index)
      items.push_back({.kind = IndexKind::integer, .start = position});
  }
  const NdArray element = x.view(index_view(x.layout(), items));
  return to_python(read_element(element), x.dtype());
}

/// Returns the layout of a view as a dtype of another itemsize: resizes the last axis.
Layout resized_last_axis(const NdArray& x, Dtype type) {
  const std::string subject = describe(x) + " as " + name(type) + ": ";
  const std::int64_t width = itemsize(type);
  Layout layout = x.layout();
  if (x.rank() == 0)
    throw ValueError(subject + "a 0-d array can't be viewed with another itemsize");
  const int last = x.rank() - 1;
  if (x.size() > 0 && layout.shape[last] != 1 && layout.strides[last] != x.itemsize()) {
    throw ValueError(subject + "the last axis must be contiguous; view x.copy()");
  }
  const std::int64_t bytes = layout.shape[last] * x.itemsize();
  if (width < x.itemsize() ? x.itemsize() % width != 0 : bytes % width != 0) {
    throw ValueError(subject + std::to_string(bytes) +
                     " bytes along the last axis are not a multiple of " + std::to_string(width));
  }
  layout.shape[last] = bytes / width;
  layout.strides[last] = width;
  return layout;
}

PyObject* run_view(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  if (!arguments.has(0)) return wrap(NdArray(x));
  const Dtype type = parse_dtype(arguments[0]);
  require_dtype(x.device(), type);
  Layout layout = itemsize(type) == x.itemsize() ? x.layout() : resized_last_axis(x, type);
  // Kernels and DLPack require aligned elements and strides that are multiples of the itemsize.
  const auto address = reinterpret_cast<std::uintptr_t>(x.data());
  bool aligned = address % static_cast<std::uintptr_t>(info(type).alignment) == 0;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    aligned = aligned && (layout.shape[axis] < 2 || layout.strides[axis] % itemsize(type) == 0);
  }
  if (!aligned && layout.size() > 0) {
    throw ValueError(describe(x) + " as " + name(type) +
                     ": its elements would not be aligned; view x.copy()");
  }
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (layout.strides[axis] % itemsize(type) != 0) layout.strides[axis] = itemsize(type);
  }
  return wrap(NdArray(x.memory(), std::move(layout), type, x.read_only()));
}

constexpr FunctionEntry table[] = {
    {"argpartition", "($self, kth, /, axis=-1, kind='introselect', order=None)",
     "The indices that partition the array along an axis; see skerry.argpartition.", run_in_python},
    {"byteswap", "($self, /, inplace=False)",
     "The elements with their bytes in reversed order: a copy, or the array itself, changed.\n\n"
     "The dtype stays that of the machine's byte order.",
     run_in_python},
    {"choose", "($self, /, choices, out=None, mode='raise')",
     "An array of elements of choices, selected by the elements of the array; see skerry.choose.",
     run_in_python},
    {"copy", "($self, /, order='C')",
     "A copy on the same device, in C order unless order is 'F', or 'K' to keep the memory order.",
     run_copy},
    {"fill", "($self, /, value)",
     "Set all elements to a scalar, like x[...] = value.\n\n"
     "Raises\n------\nValueError\n    For a read-only array, or a value that is not 0-d.",
     run_fill},
    {"flatten", "($self, /, order='C')", "A flattened copy of the array.", run_flatten},
    {"item", "($self, /, *args)",
     "An element as a Python scalar: the only one, or the one at an index.\n\n"
     "Blocks: reads from the device. A single int is an index in C order.\n\n"
     "Raises\n------\nValueError\n    Without an index, unless the array has one element; for an "
     "index that is neither one int\n    nor one int for each axis.\nIndexError\n    For an index "
     "out of bounds.",
     run_item},
    {"partition", "($self, kth, /, axis=-1, kind='introselect', order=None)",
     "Partition the array in place along an axis; skerry.partition(x, kth) returns a new array.",
     run_in_python},
    {"ravel", "($self, /, order='C')",
     "The flattened array: a view if its elements are contiguous, else a copy.", run_ravel},
    {"reshape", "($self, /, *shape, order='C', copy=None)",
     "The elements with another shape, given as ints or as a tuple; one may be -1.\n\n"
     "A view if the layout allows it, unless copy=True.\n\nRaises\n------\nValueError\n    For "
     "another number of elements, or with copy=False if a copy is required.",
     run_reshape},
    {"setflags", "($self, /, write=None, align=None, uic=None)",
     "Make the array read-only or writable.\n\n"
     "Raises\n------\nValueError\n    With write=True for read-only memory, or elements that "
     "overlap; with align=False or\n    uic=True.",
     run_setflags},
    {"sort", "($self, /, axis=-1, kind=None, order=None, *, stable=None, descending=None)",
     "Sort the array in place along an axis, stably. skerry.sort(x) returns a new array.\n\n"
     "Raises\n------\nTypeError\n    For a complex dtype.\nAxisError\n    For an axis that the "
     "array does not have.\nValueError\n    For a read-only array.",
     run_sort},
    {"swapaxes", "($self, axis1, axis2, /)",
     "A view with two axes exchanged.\n\nRaises\n------\n"
     "AxisError\n    For an axis that the array does not have.",
     run_swapaxes},
    {"tobytes", "($self, /, order='C')",
     "The bytes of the elements, copied to the host from any device.", run_tobytes},
    {"tofile", "($self, fid, /, sep='', format='%s')",
     "Write the elements in C order to a file, copied to the host from any device; skerry.fromfile "
     "reads them.\n\n"
     "Parameters\n----------\nfid : str, path or file\n    A file must be open for writing "
     "bytes.\nsep : str\n"
     "    Text between the elements; binary if empty.\nformat : str\n    Format of an element of a "
     "text.",
     run_in_python},
    {"to_numpy", "($self, /)",
     "The array as a numpy.ndarray: a view on a CPU device, else a copy on the host.",
     run_to_numpy},
    {"transpose", "($self, /, *axes)",
     "A view with its axes in another order, given as ints or as a tuple; reversed by default.\n\n"
     "Raises\n------\nAxisError\n    For an axis that the array does not have.\n"
     "ValueError\n    Unless each axis is given once.",
     run_transpose},
    {"view", "($self, /, dtype=None)",
     "The bytes of the array as elements of another dtype, without a copy.\n\n"
     "With another itemsize, the length of the last axis, which must be contiguous, changes.\n"
     "As bool: bytes must be 0 or 1.\n\nRaises\n------\nValueError\n    If that is not possible, "
     "or elements would not be aligned; view a copy then.",
     run_view},
};

}  // namespace

void add_own_methods(PyTypeObject* type) { add_methods(type, definitions<table>()); }

}  // namespace skerry::python
