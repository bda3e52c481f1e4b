// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort.hpp"

#include <utility>

#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"

namespace skerry::python {
namespace {

/// stable= is only checked: every sort is stable.
template <class Sort>
PyObject* run_along(const char* op, const arguments& with, Sort sort_it) {
  const ndarray& x = require_array(op, "x", with[0]);
  const std::int64_t axis = with[1] == nullptr ? -1 : clamped_integer(with[1]);
  const bool descending = truth(with[2], false);
  static_cast<void>(truth(with[3], true));
  ndarray result;
  {
    const without_gil working(x.size() > long_work / 8);
    result = sort_it(x, axis, descending);
  }
  return wrap(std::move(result));
}

PyObject* run_sort(const arguments& with) { return run_along("sort", with, sort); }
PyObject* run_argsort(const arguments& with) { return run_along("argsort", with, argsort); }

constexpr function_entry functions[] = {
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

void add_sorting(PyObject* module) { add_functions<functions>(module); }

}  // namespace skerry::python
