// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/sort.hpp"

#include <utility>

#include "core/errors.hpp"
#include "ops/sort/searchsorted.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// stable= is only checked: every sort is stable.
template <class Sort>
PyObject* run_along(const char* op, const arguments& with, Sort sort_it) {
  const ndarray& x = require_array(op, "x", with[0]);
  const std::int64_t axis = integer(with, 1, -1);
  const bool descending = truth(with, 2, false);
  static_cast<void>(truth(with, 3, true));
  return wrap(
      run_without_gil(x.size() > long_work / 8, [&] { return sort_it(x, axis, descending); }));
}

PyObject* run_sort(const arguments& with) { return run_along("sort", with, sort); }
PyObject* run_argsort(const arguments& with) { return run_along("argsort", with, argsort); }

bool parse_side(PyObject* from) {
  if (from == nullptr) return false;
  if (!PyUnicode_Check(from)) throw dtype_error("searchsorted: side must be a str");
  if (PyUnicode_CompareWithASCIIString(from, "left") == 0) return false;
  if (PyUnicode_CompareWithASCIIString(from, "right") == 0) return true;
  throw value_error("searchsorted: side must be 'left' or 'right'");
}

PyObject* run_searchsorted(const arguments& with) {
  constexpr const char* op = "searchsorted";
  const ndarray& x1 = require_array(op, "x1", with[0]);
  operand x2{.name = "x2"};
  scalar scalar_value;
  require_operand(op, with[1], x2, scalar_value);
  const bool right = parse_side(with[2]);
  const ndarray* sorter = with.has(3) ? &require_array(op, "sorter", with[3]) : nullptr;
  const std::int64_t queries = x2.array != nullptr ? x2.array->size() : 1;
  return wrap_made(queries > long_work / 64, [&] { return searchsorted(x1, x2, right, sorter); });
}

constexpr function_entry sorting_functions[] = {
    {"argsort", "(x, /, *, axis=-1, descending=False, stable=True)",
     "The indices that sort x along an axis.\n\n"
     "Equal elements keep their order, also with descending=True and stable=False. NaN comes last "
     "in either\norder, as in NumPy; -0 and +0 are equal.\n\n"
     "Parameters\n----------\nx : Array\n    Of a real dtype or bool, of any shape but ().\n"
     "axis : int\n    The last by default.\ndescending : bool\nstable : bool\n\n"
     "Returns\n-------\nArray\n    int64, of the shape of x.\n\n"
     "Raises\n------\nTypeError\n    For a complex dtype.\nAxisError\n    For an axis that x does "
     "not have, as of a 0-d array.\n\n"
     "Source: array API 2025.12, sorting functions.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.argsort(sk.asarray([3, 1, 2, 1]))\n"
     "Array([1, 3, 2, 0], dtype=int64, device='cpu:0')\n",
     run_argsort},
    {"searchsorted", "(x1, x2, /, *, side='left', sorter=None)",
     "The indices at which the values of x2 go into the sorted array x1.\n\n"
     "Index i keeps x1 in order: x1[i-1] < v <= x1[i] with side='left', x1[i-1] <= v < x1[i] with "
     "'right'.\nNaN is greater than all else and equal to itself, as for sort.\n\n"
     "Parameters\n----------\nx1 : Array\n    1-D, of a real dtype or bool, ascending.\n"
     "x2 : Array, int, float\n    Of any shape; promotes with x1.\nside : {'left', 'right'}\n"
     "sorter : Array, optional\n    Indices that sort x1, of an integer dtype: what argsort "
     "returns.\n\n"
     "Returns\n-------\nArray\n    int64, of the shape of x2.\n\n"
     "Raises\n------\nTypeError\n    For complex dtypes, or dtypes that don't promote.\n"
     "ValueError\n    Unless x1 is 1-D and sorter of its shape.\nIndexError\n    For a sorter "
     "with an index out of bounds, where it is met.\nDeviceMismatchError\n\n"
     "Source: array API 2025.12, searching functions.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.searchsorted(sk.asarray([10, 20, 20, 30]), sk.asarray([20, 35]))\n"
     "Array([1, 4], dtype=int64, device='cpu:0')\n",
     run_searchsorted},
    {"sort", "(x, /, *, axis=-1, descending=False, stable=True)",
     "The elements of x sorted along an axis.\n\n"
     "Equal elements keep their order, also with descending=True and stable=False. NaN comes last "
     "in either\norder, as in NumPy; -0 and +0 are equal.\n\n"
     "Parameters\n----------\nx : Array\n    Of a real dtype or bool, of any shape but ().\n"
     "axis : int\n    The last by default.\ndescending : bool\nstable : bool\n\n"
     "Returns\n-------\nArray\n    Of the dtype and shape of x.\n\n"
     "Raises\n------\nTypeError\n    For a complex dtype.\nAxisError\n    For an axis that x does "
     "not have, as of a 0-d array.\n\n"
     "Source: array API 2025.12, sorting functions.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.sort(sk.asarray([3, 1, 2, 1]), descending=True)\n"
     "Array([3, 2, 1, 1], dtype=int64, device='cpu:0')\n",
     run_sort},
};

}  // namespace

void add_sorting(PyObject* module) { add_functions<sorting_functions>(module); }

}  // namespace skerry::python
