// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/bins/bins.hpp"
#include "ops/call/kernels.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/join.hpp"
#include "ops/select/scatter_reduce.hpp"
#include "ops/select/take.hpp"
#include "ops/sort/partial.hpp"
#include "ops/sort/sort.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/sequence_items.hpp"
#include "python/bindings/value_args.hpp"

// Kernels behind skerry._extra.statistics and skerry._extra.sorting, which have the public
// signatures.

namespace skerry::python {
namespace {

PyObject* run_order_statistics(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> ranks = integers(arguments, 1);
  return wrap_result(x.size() > min_size_without_gil / 8,
                     [&] { return order_statistics(x, ranks); });
}

PyObject* run_partition(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::vector<std::int64_t> ranks = integers(arguments, 1);
  const std::int64_t axis = integer(arguments, 2);
  const bool indices = boolean(arguments, 3, false);
  const OperationScope scope(indices ? "argpartition" : "partition");
  return wrap_result(x.size() > min_size_without_gil / 8,
                     [&] { return partition(x, ranks, axis, indices); });
}

PyObject* run_topk(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::int64_t count = integer(arguments, 1);
  const std::int64_t axis = integer(arguments, 2);
  const bool largest = boolean(arguments, 3, true);
  const OperationScope scope("topk");
  BestItems best_items = run_without_gil(x.size() > min_size_without_gil / 8,
                                         [&] { return topk(x, count, axis, largest); });
  std::vector<NdArray> both;
  both.push_back(std::move(best_items.values));
  both.push_back(std::move(best_items.indices));
  return wrap_all(std::move(both));
}

/// Returns the number of bits of a bool or unsigned key; 65, too many to join, for other keys.
std::int64_t bits_of(const NdArray& key) {
  if (key.dtype() == Dtype::bool_) return 1;
  return kind(key.dtype()) == DtypeKind::unsigned_integer ? 8 * key.itemsize() : 65;
}

/// Packs several bool or unsigned keys into one, the last in the highest bits; empty if they don't
/// fit.
std::optional<NdArray> joined(std::span<const NdArray> keys) {
  std::int64_t bits = 0;
  for (const NdArray& key : keys) bits += bits_of(key);
  const Dtype type = bits <= 8    ? Dtype::uint8
                     : bits <= 16 ? Dtype::uint16
                     : bits <= 32 ? Dtype::uint32
                                  : Dtype::uint64;
  if (bits > 64 || !is_built(type)) return std::nullopt;
  NdArray all = astype(keys[0], type, false);
  std::int64_t bit_offset = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    bit_offset += bits_of(keys[i - 1]);
    const NdArray wide = astype(keys[i], type, false);
    const Scalar shift_count = Scalar::from_value(bit_offset);
    const Operand shifted[] = {{.array = &wide}, {.value = &shift_count}};
    const NdArray high = apply(op_id_of<ops::bitwise_left_shift>, shifted);
    const Operand both[] = {{.array = &all}, {.array = &high}};
    all = apply(op_id_of<ops::bitwise_or>, both);
  }
  return all;
}

/// Returns the indices that sort by several keys of one device; the last is the primary key.
NdArray lexsort(std::span<const NdArray> keys, std::int64_t axis) {
  check_shapes(keys, -1);
  const NdArray& first = keys[0];
  if (first.rank() == 0)
    return full({}, Scalar::from_value(std::int64_t{0}), default_integer, first.device());
  const int along = normalize_axis(axis, first.rank());
  if (keys.size() > 1 && first.size() > 1) {
    if (const std::optional<NdArray> all = joined(keys)) return argsort(*all, along, false);
  }
  NdArray order = argsort(first, along, false);
  for (const NdArray& key : keys.subspan(1)) {
    if (first.size() == 1) {  // nothing to sort, but rejects a dtype that can't be sorted
      if (key.dtype() != first.dtype()) order = argsort(key, along, false);
      continue;
    }
    const NdArray key_order = argsort(take_along_axis(key, order, along), along, false);
    order = take_along_axis(order, key_order, along);
  }
  return order;
}

PyObject* run_lexsort(const Arguments& arguments) {
  const Object listed = fast_sequence(arguments[0], "lexsort: keys must be a sequence");
  const std::vector<NdArray> keys = require_arrays(arguments, 0, items_of_sequence(listed.get()));
  const std::int64_t axis = integer(arguments, 1);
  const OperationScope scope("lexsort");
  return wrap_result(keys[0].size() > min_size_without_gil / 8,
                     [&] { return lexsort(keys, axis); });
}

PyObject* run_bincount(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray* weights = arguments.has(1) ? &array_argument(arguments, 1) : nullptr;
  const std::int64_t min_bins = integer(arguments, 2);
  const OperationScope scope("bincount");
  return wrap_result(x.size() > min_size_without_gil,
                     [&] { return bincount(x, weights, min_bins); });
}

PyObject* run_count_numbers(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray* weights = arguments.has(1) ? &array_argument(arguments, 1) : nullptr;
  const std::int64_t bins = integer(arguments, 2);
  const OperationScope scope("histogram");
  return wrap_result(x.size() > min_size_without_gil,
                     [&] { return count_numbers(x, weights, bins); });
}

PyObject* run_histogram(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const NdArray& edges = array_argument(arguments, 1);
  const bool uniform = boolean(arguments, 2, false);
  const double first = arguments.has(3) ? number(arguments, 3) : 0.0;
  const double last = arguments.has(4) ? number(arguments, 4) : 1.0;
  const OperationScope scope("histogram");
  return wrap_result(x.size() > min_size_without_gil / 8,
                     [&] { return histogram(x, edges, uniform, first, last); });
}

PyObject* run_scatter_reduce(const Arguments& arguments) {
  // In the order of ScatterOp. The logical operations map to the bitwise ones, as x is bool.
  const int op_index =
      choice(arguments, 0,
             {"add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or",
              "bitwise_xor", "logical_and", "logical_or", "logical_xor"});
  const NdArray& x = array_argument(arguments, 1);
  const NdArray& index = array_argument(arguments, 2);
  Operand values{.name = "values"};
  Scalar value;
  operand_argument(arguments, 3, values, value);
  if (op_index >= scatter_op_count && x.dtype() != Dtype::bool_) {
    throw DtypeError("logical operations require a bool x, not " + describe(x));
  }
  const auto op = static_cast<ScatterOp>(op_index < scatter_op_count ? op_index : op_index - 3);
  static_cast<void>(target_of(arguments[1]));
  run_without_gil(index.size() > min_size_without_gil / 8,
                  [&] { scatter_reduce(op, x, index, values); });
  Py_RETURN_NONE;
}

constexpr FunctionEntry counting_functions[] = {
    {"order_statistics", "(x, ranks, /)", nullptr, run_order_statistics},
    {"partition_items", "(x, kth, axis, as_order, /)", nullptr, run_partition},
    {"best_items", "(x, k, axis, largest, /)", nullptr, run_topk},
    {"lexical_order", "(keys, axis, /)", nullptr, run_lexsort},
    {"count_occurrences", "(x, weights, minlength, /)", nullptr, run_bincount},
    {"count_numbers", "(x, weights, bins, /)", nullptr, run_count_numbers},
    {"count_in_bins", "(x, edges, uniform, first, last, /)", nullptr, run_histogram},
    {"scatter_reduce", "(op, x, indices, values, /)",
     "Combine elements of x with values, in place: x.flat[i] = op(x.flat[i], value) for each "
     "index.\n\n"
     "A repeated index is applied each time, unlike in x[i] = op(x[i], values).",
     run_scatter_reduce},
};

}  // namespace

void add_counting(PyObject* module) {
  add_functions<counting_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
