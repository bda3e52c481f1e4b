// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/set.hpp"

#include <utility>
#include <vector>

#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

UniqueResult find_unique(const Arguments& arguments, UniqueParts requested_parts) {
  const NdArray& x = array_argument(arguments, 0);
  const WithoutGil working(x.size() > min_size_without_gil / 8);
  return unique(x, requested_parts);
}

/// Returns a named tuple of arrays, whose class is created by the first call.
PyObject* results(LazyObject& type, const char* name, const char* fields,
                  std::vector<NdArray>&& arrays) {
  return named_tuple(type.get([&] { return named_tuple_type("skerry", name, fields); }),
                     std::move(arrays));
}

PyObject* run_unique_all(const Arguments& arguments) {
  static constinit LazyObject type;
  const UniqueResult result =
      find_unique(arguments, {.indices = true, .inverse = true, .counts = true});
  return results(type, "UniqueAllResult", "values indices inverse_indices counts",
                 {result.values, result.indices, result.inverse, result.counts});
}

PyObject* run_unique_counts(const Arguments& arguments) {
  static constinit LazyObject type;
  const UniqueResult result = find_unique(arguments, {.counts = true});
  return results(type, "UniqueCountsResult", "values counts", {result.values, result.counts});
}

PyObject* run_unique_inverse(const Arguments& arguments) {
  static constinit LazyObject type;
  const UniqueResult result = find_unique(arguments, {.inverse = true});
  return results(type, "UniqueInverseResult", "values inverse_indices",
                 {result.values, result.inverse});
}

PyObject* run_unique_values(const Arguments& arguments) {
  return wrap(find_unique(arguments, {}).values);
}

PyObject* run_isin(const Arguments& arguments) {
  Operand x1{.name = "x1"};
  Operand x2{.name = "x2"};
  Scalar values[2];
  operand_argument(arguments, 0, x1, values[0]);
  operand_argument(arguments, 1, x2, values[1]);
  Operand operands[] = {x1, x2};
  place_scalars(arguments, operands);
  const bool invert = boolean(arguments, 3, false);
  static_cast<void>(boolean(arguments, 2, false));
  if (arguments.has(4)) static_cast<void>(choice(arguments, 4, {"sort", "table"}));
  const auto size = [](const Operand& x) { return x.array != nullptr ? x.array->size() : 1; };
  return wrap(run_without_gil(size(operands[0]) + size(operands[1]) > min_size_without_gil / 8,
                              [&] { return isin(operands[0], operands[1], invert); }));
}

#define SKERRY_UNIQUE_ORDER                                                                    \
  "The values are ascending, complex ones by real, then imaginary part, NaNs last. Every NaN " \
  "is distinct;\n-0 equals +0. Blocks, as the shape depends on the data.\n\n"                  \
  "Parameters\n----------\nx : Array\n    Of any dtype and shape.\n\n"

constexpr FunctionEntry set_functions[] = {
    {"isin", "(x1, x2, /, assume_unique=False, invert=False, *, kind=None)",
     "Test whether each element of x1 is in x2.\n\n"
     "NaN equals nothing, -0 equals +0.\n\n"
     "Parameters\n----------\nx1, x2 : Array, scalar or list\n    Of any shapes. Their dtypes "
     "promote.\nassume_unique : bool\n    Has no effect.\ninvert : bool\n    "
     "Negate the result.\nkind : {'sort', 'table'}, optional\n    Has no effect.\n\n"
     "Returns\n-------\nArray\n    bool, of the shape of x1.\n\n"
     "Raises\n------\nTypeError\n    For dtypes that don't promote.\n"
     "DeviceMismatchError\n    For arrays on different devices.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.isin(sk.asarray([1, 2, 3]), sk.asarray([3, 1]))\n"
     "Array([ True, False,  True], dtype=bool, device='cpu:0')",
     run_isin},
    {"unique_all", "(x, /)",
     "The distinct elements of x with the indices of their first occurrence, inverse indices and "
     "counts.\n\n" SKERRY_UNIQUE_ORDER
     "Returns\n-------\nUniqueAllResult\n    A named tuple: values (1-D, of the dtype of x), "
     "indices (int64, into x in C order),\n    inverse_indices (int64, of the shape of x: "
     "values[inverse_indices] equals x), counts (int64).\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.unique_all(sk.asarray([3, 1, 3])).inverse_indices\n"
     "Array([1, 0, 1], dtype=int64, device='cpu:0')",
     run_unique_all},
    {"unique_counts", "(x, /)",
     "The distinct elements of x and their counts.\n\n" SKERRY_UNIQUE_ORDER
     "Returns\n-------\nUniqueCountsResult\n    A named tuple: values (1-D, of the dtype of x), "
     "counts (int64).\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.unique_counts(sk.asarray([3, 1, 3])).counts\n"
     "Array([1, 2], dtype=int64, device='cpu:0')",
     run_unique_counts},
    {"unique_inverse", "(x, /)",
     "The distinct elements of x, and for each element of x the index of its "
     "value.\n\n" SKERRY_UNIQUE_ORDER
     "Returns\n-------\nUniqueInverseResult\n    A named tuple: values (1-D, of the dtype of x), "
     "inverse_indices (int64, of the shape of x:\n    values[inverse_indices] equals x).\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.unique_inverse(sk.asarray([3, 1, 3])).values\n"
     "Array([1, 3], dtype=int64, device='cpu:0')",
     run_unique_inverse},
    {"unique_values", "(x, /)",
     "The distinct elements of x.\n\n" SKERRY_UNIQUE_ORDER
     "Returns\n-------\nArray\n    1-D, of the dtype of x.\n\n"
     "Examples\n--------\n"
     ">>> import skerry as sk\n"
     ">>> sk.unique_values(sk.asarray([3, 1, 3]))\n"
     "Array([1, 3], dtype=int64, device='cpu:0')",
     run_unique_values},
};

#undef SKERRY_UNIQUE_ORDER

}  // namespace

void add_sets(PyObject* module) { add_functions<set_functions>(module, "set functions"); }

}  // namespace skerry::python
