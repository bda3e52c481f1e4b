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
  const bool include_initial = boolean(arguments, 4, false);
  return wrap_result(x.size() > min_size_without_gil,
                     [&] { return scan(Op, x, axis, type, include_initial); });
}

#define SKERRY_SCAN_PARAMETERS                                                                   \
  "Parameters\n----------\nx : Array\n    At least 1-D, of any dtype (bool counts as 0 "         \
  "and 1), on any device.\naxis : int, optional\n    The axis to accumulate along; required "    \
  "unless x is 1-D.\ndtype : dtype, optional\n    Dtype of the result, to which elements are "   \
  "cast first. By default the dtype of x if floating,\n    int64 for signed integers and bool, " \
  "uint64 for unsigned integers.\nout : Array, optional\n    Of the shape and device of "        \
  "the result, which is stored in it.\ninclude_initial : bool\n    Prepend the identity (0 or "  \
  "1), "                                                                                         \
  "so that the axis is longer by one.\n\nReturns\n-------\nArray\n    A new "                    \
  "array of the shape of x (but for include_initial) on its device. Integers wrap around.\n\n"   \
  "Raises\n------\nAxisError\n    (ValueError and IndexError) for an axis that x does not "      \
  "have.\nValueError\n    For a 0-d x, or if a required axis is missing.\nTypeError\n    "       \
  "For dtype=bool, or if x does not cast to dtype.\n\n"

constexpr FunctionEntry table[] = {
    {"cumulative_prod", "(x, /, *, axis=None, dtype=None, out=None, include_initial=False)",
     "The cumulative product of the elements along an axis.\n\n" SKERRY_SCAN_PARAMETERS
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.cumulative_prod(sk.asarray([1, 2, 3, 4]))\nArray([ 1,  2,  6, 24], dtype=int64, "
     "device='cpu:0')",
     run_scan<ScanId::cumulative_prod>},
    {"cumulative_sum", "(x, /, *, axis=None, dtype=None, out=None, include_initial=False)",
     "The cumulative sum of the elements along an axis.\n\n"
     "Floats are summed in blocks whose totals are kept in twice the precision, so that the error\n"
     "does not grow along the axis.\n\n" SKERRY_SCAN_PARAMETERS
     "Examples\n--------\n>>> import skerry as sk\n"
     ">>> sk.cumulative_sum(sk.asarray([1, 2, 3]), include_initial=True)\n"
     "Array([0, 1, 3, 6], dtype=int64, device='cpu:0')",
     run_scan<ScanId::cumulative_sum>},
};

#undef SKERRY_SCAN_PARAMETERS

}  // namespace

void add_scans(PyObject* module) { add_functions<table>(module, "statistical functions"); }

}  // namespace skerry::python
