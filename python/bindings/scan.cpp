// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan/scan.hpp"

#include <utility>

#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

template <ScanId Op>
PyObject* run_scan(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::optional<std::int64_t> axis = optional_integer(arguments, 1);
  const std::optional<Dtype> type = parse_optional_dtype(arguments[2]);
  const bool include_initial = boolean(arguments, 3, false);
  return wrap_result(x.size() > min_size_without_gil,
                     [&] { return scan(Op, x, axis, type, include_initial); });
}

#define SKERRY_SCAN_PARAMETERS                                                                  \
  "Parameters\n----------\nx : Array\n    Of at least one axis, any dtype (bool counts as 0 "   \
  "and 1), on any device.\naxis : int, optional\n    The axis to run along; may be left out "   \
  "for a one-dimensional x only.\ndtype : dtype, optional\n    Of the result; elements are "    \
  "cast to it first. By default floating dtypes keep theirs,\n    signed integers and bool "    \
  "give int64, unsigned ones uint64.\ninclude_initial : bool\n    Put the result over no "      \
  "elements first, so that the axis is longer by one.\n\nReturns\n-------\nArray\n    A fresh " \
  "array of the shape of x (but for include_initial) on its device. Integers wrap around.\n\n"  \
  "Raises\n------\nAxisError\n    (ValueError and IndexError) for an axis that x does not "     \
  "have.\nValueError\n    For an x without axes, and where axis is missing.\nTypeError\n    "   \
  "For dtype=bool, and where x does not cast to dtype.\n\n"

constexpr FunctionEntry table[] = {
    {"cumulative_prod", "(x, /, *, axis=None, dtype=None, include_initial=False)",
     "Products of the elements up to each one along an axis.\n\n" SKERRY_SCAN_PARAMETERS
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.cumulative_prod(sk.asarray([1, 2, 3, 4]))\nArray([ 1,  2,  6, 24], dtype=int64, "
     "device='cpu:0')",
     run_scan<ScanId::cumulative_prod>},
    {"cumulative_sum", "(x, /, *, axis=None, dtype=None, include_initial=False)",
     "Sums of the elements up to each one along an axis.\n\n"
     "Floats are added in blocks, whose totals are kept in twice the precision: the error of an\n"
     "element does not grow with its distance from the start.\n\n" SKERRY_SCAN_PARAMETERS
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.cumulative_sum(sk.asarray([1, 2, 3]), include_initial=True)\n"
     "Array([0, 1, 3, 6], dtype=int64, device='cpu:0')",
     run_scan<ScanId::cumulative_sum>},
};

#undef SKERRY_SCAN_PARAMETERS

}  // namespace

void add_scans(PyObject* module) { add_functions<table>(module, "statistical functions"); }

}  // namespace skerry::python
