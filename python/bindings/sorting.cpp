// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/sort.hpp"

#include <utility>

#include "core/errors.hpp"
#include "ops/move/copy.hpp"
#include "ops/sort/searchsorted.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/element_order.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// stable= is only validated: every sort is stable.
template <NdArray (*Sort)(const NdArray&, std::int64_t, bool)>
PyObject* run_sort(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool flattens = arguments[1] == Py_None;
  const std::int64_t axis = flattens ? -1 : integer(arguments, 1, -1);
  check_sort_kind(arguments, 2);
  if (arguments.has(3)) throw ValueError("order= is for fields, which skerry's arrays lack");
  const bool descending = optional_boolean(arguments, 4).value_or(false);
  static_cast<void>(optional_boolean(arguments, 5));
  return wrap(run_without_gil(x.size() > min_size_without_gil / 8, [&] {
    return flattens ? Sort(flattened(x), axis, descending) : Sort(x, axis, descending);
  }));
}

PyObject* run_searchsorted(const Arguments& arguments) {
  const NdArray& x1 = array_argument(arguments, 0);
  Operand x2{.name = "x2"};
  Scalar scalar_value;
  operand_argument(arguments, 1, x2, scalar_value);
  if (arguments[2] != nullptr && !PyUnicode_Check(arguments[2])) {
    throw TypeError("side must be a str");
  }
  const bool right = choice(arguments, 2, {"left", "right"}) == 1;
  const NdArray* sorter = arguments.has(3) ? &array_argument(arguments, 3) : nullptr;
  const std::int64_t queries = x2.array != nullptr ? x2.array->size() : 1;
  return wrap_result(queries > min_size_without_gil / 64,
                     [&] { return searchsorted(x1, x2, right, sorter); });
}

#define SKERRY_SORT_PARAMETERS                                                                     \
  "Equal elements keep their order, also with descending=True or stable=False. NaN sorts last "    \
  "in both\norders, as in NumPy; -0 and +0 are equal.\n\n"                                         \
  "Parameters\n----------\nx : Array\n    Of a real dtype or bool, of any shape but ().\n"         \
  "axis : int or None\n    The last by default; None flattens x first.\nkind : str, optional\n   " \
  " "                                                                                              \
  "Has no effect.\norder : None\n    For fields, which arrays lack.\ndescending : bool\n    Sort " \
  "from the largest to the smallest.\nstable : bool\n    Has no effect: the sort is always "       \
  "stable.\n\n"
#define SKERRY_SORT_ERRORS                                                                       \
  "Raises\n------\nTypeError\n    For a complex dtype.\nAxisError\n    For an axis that x does " \
  "not have, or a 0-d x.\n\nExamples\n--------\n>>> import skerry as sk\n"

constexpr FunctionEntry sorting_functions[] = {
    {"argsort", "(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True)",
     "The indices that sort x along an axis.\n\n" SKERRY_SORT_PARAMETERS
     "Returns\n-------\nArray\n    int64, of the shape of x.\n\n" SKERRY_SORT_ERRORS
     ">>> sk.argsort(sk.asarray([3, 1, 2, 1]))\n"
     "Array([1, 3, 2, 0], dtype=int64, device='cpu:0')",
     run_sort<argsort>},
    {"searchsorted", "(x1, x2, /, side='left', sorter=None)",
     "Indices at which inserting the values of x2 keeps x1 sorted.\n\n"
     "For index i: x1[i-1] < v <= x1[i] with side='left', x1[i-1] <= v < x1[i] with "
     "'right'.\nNaN is greater than all other values and equal to itself, as for sort.\n\n"
     "Parameters\n----------\nx1 : Array\n    1-D, of a real dtype or bool, ascending.\n"
     "x2 : Array, scalar or list\n    Of any shape; promotes with x1.\nside : {'left', 'right'}\n  "
     "  "
     "Insert before or after equal elements.\n"
     "sorter : Array, optional\n    Indices that sort x1, of an integer dtype, as returned by "
     "argsort.\n\n"
     "Returns\n-------\nArray\n    int64, of the shape of x2.\n\n"
     "Raises\n------\nTypeError\n    For complex dtypes, dtypes that don't promote, or a sorter of "
     "another dtype.\n"
     "ValueError\n    Unless x1 is 1-D and sorter of its shape.\nIndexError\n    If an index of "
     "sorter that is used is out of bounds.\nDeviceMismatchError\n    For arrays on different "
     "devices.\n\n"
     "Source: array API 2025.12, searching functions.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.searchsorted(sk.asarray([10, 20, 20, 30]), sk.asarray([20, 35]))\n"
     "Array([1, 4], dtype=int64, device='cpu:0')",
     run_searchsorted},
    {"sort", "(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True)",
     "The elements of x sorted along an axis.\n\n" SKERRY_SORT_PARAMETERS
     "Returns\n-------\nArray\n    Of the dtype and shape of x.\n\n" SKERRY_SORT_ERRORS
     ">>> sk.sort(sk.asarray([3, 1, 2, 1]), descending=True)\n"
     "Array([3, 2, 1, 1], dtype=int64, device='cpu:0')",
     run_sort<sort>},
};

#undef SKERRY_SORT_PARAMETERS
#undef SKERRY_SORT_ERRORS

}  // namespace

void add_sorting(PyObject* module) {
  add_functions<sorting_functions>(module, "sorting functions");
}

}  // namespace skerry::python
