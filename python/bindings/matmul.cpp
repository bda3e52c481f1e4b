// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/matmul.hpp"

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "ops/linear/library.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/sequence_items.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// True if the product may take long enough to release the GIL: by its operands' sizes, or by the
/// number of multiplications.
bool takes_long(const NdArray& x1, const NdArray& x2) {
  const std::int64_t inner = x1.rank() > 0 ? x1.shape()[x1.rank() - 1] : 1;
  const std::int64_t columns = inner > 0 ? x2.size() / inner : 0;
  return x1.size() > min_size_without_gil || x2.size() > min_size_without_gil ||
         x1.size() * columns > min_size_without_gil;
}

PyObject* product(const NdArray& x1, const NdArray& x2) {
  find_openblas();
  return wrap_result(takes_long(x1, x2), [&] { return matmul(x1, x2); });
}

/// True if an argument after the operands is specified.
bool has_options(const Arguments& arguments) {
  for (int i = 2; i < arguments.signature->count(); ++i) {
    if (arguments.has(i)) return true;
  }
  return false;
}

/// Calls the function of the same name in Python, which handles out= and the other options.
PyObject* call_with_options(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  static_cast<void>(array_argument(arguments, 0));
  static_cast<void>(array_argument(arguments, 1));
  const Object operands(PyTuple_Pack(2, arguments[0], arguments[1]));
  const Object options(PyDict_New());
  for (int i = 2; i < signature.count(); ++i) {
    if (!arguments.has(i)) continue;
    if (PyDict_SetItem(options.get(), signature.name(i), arguments[i]) < 0) throw PythonError();
  }
  const Object function = package_function("skerry._linalg.outputs", signature.function());
  return PyObject_Call(function.get(), operands.get(), options.get());
}

/// Multiplies into `out=`, if that is the only option. Returns null, without an error, for other
/// calls: those of Python check the arguments.
PyObject* multiply_into_out(const Arguments& arguments) {
  for (int i = 3; i < arguments.signature->count(); ++i) {
    if (arguments.has(i)) return nullptr;
  }
  PyObject* const out = arguments[2];
  if (!is_array(out) || !agree({arguments.values, 3})) return nullptr;
  const NdArray& output = value_of(out);
  if (output.read_only()) return nullptr;
  const NdArray& x1 = array_argument(arguments, 0);
  const NdArray& x2 = array_argument(arguments, 1);
  find_openblas();
  bool is_stored = false;
  {
    const WithoutGil working(takes_long(x1, x2));
    is_stored = matmul_to_output(output, x1, x2);
  }
  return is_stored ? Py_NewRef(out) : nullptr;
}

PyObject* run_matmul(const Arguments& arguments) {
  if (has_options(arguments)) [[unlikely]] {
    if (PyObject* const out = multiply_into_out(arguments)) return out;
    return call_with_options(arguments);
  }
  const NdArray& x1 = array_argument(arguments, 0);
  return product(x1, array_argument(arguments, 1));
}

PyObject* run_vecdot(const Arguments& arguments) {
  constexpr int axis_parameter = 6;
  for (int i = 2; i < arguments.signature->count(); ++i) {
    if (i != axis_parameter && arguments.has(i)) [[unlikely]]
      return call_with_options(arguments);
  }
  const NdArray& x1 = array_argument(arguments, 0);
  const NdArray& x2 = array_argument(arguments, 1);
  const std::int64_t axis = integer(arguments, axis_parameter, -1);
  return wrap_result(takes_long(x1, x2), [&] { return vecdot(x1, x2, axis); });
}

struct SummedAxes {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
};

/// Parses axes=: an int is a number of axes at the end of x1 and the start of x2; two sequences
/// list the axes of x1 and of x2.
SummedAxes parse_summed_axes(const Arguments& arguments, const NdArray& x1, const NdArray& x2) {
  PyObject* object = arguments[2];
  if (object == nullptr || PyIndex_Check(object)) {
    const std::int64_t count = integer(arguments, 2, 2);
    if (count < 0 || count > x1.rank() || count > x2.rank()) {
      throw ValueError("axes=" + std::to_string(count) +
                       " must be between 0 and the ranks of x1, " + describe(x1) + ", and x2, " +
                       describe(x2));
    }
    SummedAxes axes;
    axes.first.resize(static_cast<std::size_t>(count));
    axes.second.resize(static_cast<std::size_t>(count));
    std::iota(axes.first.begin(), axes.first.end(), x1.rank() - count);
    std::iota(axes.second.begin(), axes.second.end(), 0);
    return axes;
  }
  if (PyTuple_Check(object) || PyList_Check(object)) {
    const SequenceItems items(object);
    if (items.size() == 2) {
      return {integers(arguments, 2, "axes[0]", items[0]),
              integers(arguments, 2, "axes[1]", items[1])};
    }
  }
  throw TypeError("axes must be an int or a tuple of two sequences of ints, not " +
                  std::string(Py_TYPE(object)->tp_name));
}

PyObject* run_tensordot(const Arguments& arguments) {
  const NdArray& x1 = array_argument(arguments, 0);
  const NdArray& x2 = array_argument(arguments, 1);
  const SummedAxes axes = parse_summed_axes(arguments, x1, x2);
  find_openblas();
  return wrap_result(x1.size() + x2.size() > 1024,
                     [&] { return tensordot(x1, x2, axes.first, axes.second); });
}

/// Fast path for matrices and vectors of one device and numeric dtype. None for bool, which is cast
/// first.
PyObject* run_product_of_matrices(const Arguments& arguments) {
  if (!agree({arguments.values, 2})) Py_RETURN_NONE;
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& y = array_argument(arguments, 1);
  const auto is_matrix_or_vector = [](int rank) { return rank == 1 || rank == 2; };
  if (!is_matrix_or_vector(x.rank()) || !is_matrix_or_vector(y.rank())) Py_RETURN_NONE;
  if (x.dtype() == Dtype::bool_) Py_RETURN_NONE;
  const bool is_of_rows = boolean(arguments, 2, false) && y.rank() == 2;
  if (x.shape()[x.rank() - 1] != y.shape()[is_of_rows ? 1 : 0]) Py_RETURN_NONE;
  return is_of_rows ? product(x, matrix_transpose(y)) : product(x, y);
}

PyObject* run_vdot(const Arguments& arguments) {
  if (!agree({arguments.values, 2})) Py_RETURN_NONE;
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& y = array_argument(arguments, 1);
  return wrap_result(x.size() > min_size_without_gil, [&] {
    if (x.size() != y.size()) {
      throw ValueError(std::to_string(x.size()) + " and " + std::to_string(y.size()) +
                       " elements; the sizes must be equal");
    }
    const std::int64_t flat[] = {x.size()};
    return vecdot(reshape(x, flat, std::nullopt), reshape(y, flat, std::nullopt), -1);
  });
}

constexpr FunctionEntry private_products[] = {
    {"product_of_matrices", "(a, b, of_rows, /)",
     "``a @ b``, or ``a @ b.mT`` (`of_rows`); None unless both are matrices or vectors of one "
     "device and "
     "numeric dtype that match.",
     run_product_of_matrices},
    {"vdot", "(a, b, /)", "None unless both are arrays of one device and dtype.", run_vdot},
};

}  // namespace

#define SKERRY_PRODUCT_OPTIONS                                                                   \
  "out : Array, optional\n    Array of the shape of the result to store it in; it is returned. " \
  "May overlap x1 and x2.\n"                                                                     \
  "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}\n    Which casts are allowed to "    \
  "dtype and to the dtype of out.\n"                                                             \
  "order : {'K', 'A', 'C', 'F'}\n    Memory order of a new result: 'F' is column-major, the "    \
  "others are C order.\n"                                                                        \
  "dtype : dtype, optional\n    Dtype of the computation; by default the promoted dtype.\n"

constexpr FunctionEntry product_functions[] = {
    {"matmul", "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, axes=None)",
     "The matrix product, like the operator @.\n\n"
     "Parameters\n----------\n"
     "x1 : Array\n    Of shape (..., M, K), or (K,): a row vector; the result lacks that axis.\n"
     "x2 : Array\n    Of shape (..., K, N), or (K,): a column vector. Stacks (...) "
     "broadcast.\n" SKERRY_PRODUCT_OPTIONS
     "axes : list of tuples of ints, optional\n    The axes of the matrices in x1, x2 and the "
     "result; [(-2, -1), (-2, -1), (-2, -1)] by\n    default. The tuple of a vector has one axis, "
     "that of a scalar result none.\n\n"
     "Returns\n-------\nArray\n    Of shape (..., M, N), of the promoted dtype. Integers wrap "
     "around,\n    float32 is computed in float32; float16 too, rounded "
     "once; K = 0 gives zeros. The product of bools\n    is bool: True if both elements of some "
     "pair are True.\n\n"
     "Raises\n------\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote, and for bools under strict promotion.\n"
     "ValueError\n    For 0-d arrays, or if the shapes don't match.\n"
     "RuntimeError\n    Without OpenBLAS, for floating dtypes on a CPU device.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.matmul(sk.asarray([[1, 2], [3, 4]]), sk.asarray([1, 1])).tolist()\n[3, 7]",
     run_matmul, nullptr, true},
    {"tensordot", "(x1, x2, /, axes=2)",
     "Sums of products over pairs of axes, one from each array.\n\n"
     "Parameters\n----------\nx1, x2 : Array\n    Of any shapes; bools as in matmul.\n"
     "axes : int or tuple of two sequences of ints\n    An int sums over the last `axes` axes of "
     "x1 and the first `axes` axes of x2, in order; two\n    sequences name the axes of x1 and the "
     "matching axes of x2. 0 or ((), ()): the outer product.\n\n"
     "Returns\n-------\nArray\n    With the other axes of x1, then those of x2.\n\n"
     "Raises\n------\nAxisError\n    For an axis that x1 or x2 does not have.\n"
     "DeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote, and for bools under strict promotion.\n"
     "ValueError\n    If the axes of a pair have different sizes, an axis is repeated, the two "
     "sequences have\n    different lengths, or an int is negative or exceeds the rank of x1 or "
     "x2.\n"
     "RuntimeError\n    Without OpenBLAS, for floating dtypes on a CPU device.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> x = sk.reshape(sk.arange(6), (2, 3))\n"
     ">>> sk.tensordot(x, x, axes=((0,), (0,))).tolist()\n"
     "[[9, 12, 15], [12, 17, 22], [15, 22, 29]]",
     run_tensordot},
    {"vecdot",
     "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, axis=-1, axes=None)",
     "The dot products of vectors: sums of conj(x1) * x2 along an axis.\n\n"
     "Parameters\n----------\nx1, x2 : Array\n    Of the same size along axis, the other axes "
     "broadcast; bools as in matmul.\n" SKERRY_PRODUCT_OPTIONS
     "axis : int\n    Counted from the end of both, so negative.\n"
     "axes : list of ints, optional\n    The axis of x1 and that of x2, instead of axis.\n\n"
     "Returns\n-------\nArray\n    Without the axis, of the promoted dtype of x1 and x2; integers "
     "wrap around,\n    float16 is accumulated in float32.\n\n"
     "Raises\n------\nAxisError\n    For an axis that is not negative, or that x1 or x2 does not "
     "have.\nDeviceMismatchError\n    For arrays on different devices.\n"
     "TypeError\n    For dtypes that don't promote, and for bools under strict promotion.\n"
     "ValueError\n    If the sizes along axis differ, or the other axes don't broadcast.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.vecdot(sk.asarray([1j, 2]), sk.asarray([1j, 1])).item()\n(3+0j)",
     run_vecdot, nullptr, true},
};

#undef SKERRY_PRODUCT_OPTIONS

PyObject* multiply_matrices(PyObject* left, PyObject* right) {
  if (!is_array(left) || !is_array(right)) {
    return operate_converted("matmul", left, right, multiply_matrices);
  }
  return translate_exceptions("matmul", [&] { return product(value_of(left), value_of(right)); });
}

PyObject* multiply_matrices_in_place(PyObject* self, PyObject* other) {
  if (!is_array(other)) return operate_converted("matmul", self, other, multiply_matrices_in_place);
  return translate_exceptions("matmul", [&] {
    find_openblas();
    {
      static_cast<void>(value_of(other));
      const NdArray& x = target_of(self);
      const WithoutGil working(takes_long(x, value_of(other)));
      matmul_into(x, value_of(other));
    }
    return Py_NewRef(self);
  });
}

void find_openblas() {
  static constinit std::atomic<bool> looked = false;
  if (looked.load(std::memory_order_acquire)) return;
  const Object module(PyImport_ImportModule("skerry._openblas"));
  const Object path(PyObject_CallMethod(module.get(), "library", nullptr));
  if (path.get() != Py_None) blas::set_library(utf8(path.get()));
  looked.store(true, std::memory_order_release);
  // Load with the GIL held, so that Python can't fork meanwhile: such a fork would run before the
  // atfork handlers of OpenBLAS and ours are registered, and the child could inherit held locks.
  try {
    blas::require();
  } catch (const LibraryError&) {  // raised later by the product that needs it
  }
}

void add_products(PyObject* module) {
  add_functions<product_functions>(module, "linear algebra functions");
  add_functions<private_products>(module, nullptr, private_module);
}

}  // namespace skerry::python
