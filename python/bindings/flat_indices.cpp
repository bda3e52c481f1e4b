// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/reduce/reduce.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

// Kernels behind skerry._extra.indexing.flat_indices, which has the public signatures: conversion
// to and from indices of the flattened array.

namespace skerry::python {
namespace {

/// Returns the maximum of the integers reinterpreted as unsigned, so that negative ones are greater
/// than all others.
Element max_unsigned(const NdArray& x) {
  static constexpr Dtype unsigned_of_width[] = {Dtype::uint8, Dtype::uint16, Dtype::uint32,
                                                Dtype::uint64};
  const int width = std::countr_zero(static_cast<unsigned>(x.itemsize()));
  const NdArray bits(x.memory(), x.layout(), unsigned_of_width[width], true);
  const reduction_id max = find_reduction("max").value();
  return read_element(reduce(max, bits, std::nullopt, std::nullopt, false));
}

/// True if all elements are in [0, end). Blocks: reads from the device.
bool is_below(const NdArray& x, std::int64_t end) {
  if (x.size() == 0) return true;
  std::uint64_t max_value = 0;
  const WithoutGil working(x.size() > min_size_without_gil);
  const Element element = max_unsigned(x);
  std::memcpy(&max_value, element.bytes, static_cast<std::size_t>(x.itemsize()));
  return end > 0 && max_value < static_cast<std::uint64_t>(end);
}

PyObject* run_lie_below(const Arguments& arguments) {
  return PyBool_FromLong(is_below(value_of(arguments[0]), integer(arguments, 1)));
}

/// Returns the size of an array of that shape; empty if it exceeds int64, or a length is negative
/// or was clamped.
std::optional<std::int64_t> size_of(std::span<const std::int64_t> lengths) {
  std::int64_t size = 1;
  for (const std::int64_t n : lengths) {
    const bool is_clamped = n == std::numeric_limits<std::int64_t>::max();
    if (n < 0 || is_clamped || __builtin_mul_overflow(size, n, &size)) return std::nullopt;
  }
  return size;
}

template <class Op>
NdArray applied(const NdArray& x, const NdArray& y) {
  const Operand both[] = {{.array = &x, .name = "x1"}, {.array = &y, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}
/// Like `applied`, but in place: x must not be shared.
template <class Op>
const NdArray& changed(const NdArray& x, const NdArray& y) {
  const Operand both[] = {{.array = &x, .name = "x1"}, {.array = &y, .name = "x2"}};
  apply_into(op_id_of<Op>, x, both);
  return x;
}
template <class Op>
NdArray applied(const NdArray& x, std::int64_t number) {
  const Scalar value = Scalar::from_value(number);
  const Operand both[] = {{.array = &x, .name = "x1"}, {.value = &value, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}

PyObject* run_ravel_indices(const Arguments& arguments) {
  const std::span<PyObject* const> indices = items_of(arguments[0]);
  const std::vector<std::int64_t> lengths = integers(arguments, 1);
  if (indices.empty() || indices.size() != lengths.size()) Py_RETURN_NONE;
  if (!are_arrays_of_one_device(indices) || !size_of(lengths)) Py_RETURN_NONE;
  std::optional<NdArray> total;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const NdArray& x = value_of(indices[i]);
    const std::int64_t n = lengths[i];
    if (x.dtype() != Dtype::int64 || !is_below(x, n)) Py_RETURN_NONE;
    const WithoutGil working(x.size() > min_size_without_gil);
    if (!total) {
      total = x;
      continue;
    }
    NdArray moved = applied<ops::multiply>(*total, n);
    total = moved.shape() == x.shape() ? changed<ops::add>(moved, x) : applied<ops::add>(moved, x);
  }
  return wrap(*std::move(total));
}

std::vector<NdArray> unraveled(NdArray rest, std::span<const std::int64_t> lengths) {
  std::vector<NdArray> indices(lengths.size());
  const WithoutGil working(rest.size() > min_size_without_gil);
  for (std::size_t i = lengths.size(); i-- > 1;) {
    const NdArray quotient = applied<ops::floor_divide>(rest, lengths[i]);
    indices[i] = applied<ops::subtract>(rest, applied<ops::multiply>(quotient, lengths[i]));
    rest = quotient;
  }
  if (!indices.empty()) indices[0] = std::move(rest);
  return indices;
}

PyObject* run_unravel_indices(const Arguments& arguments) {
  return wrap_all(unraveled(value_of(arguments[0]), integers(arguments, 1)));
}

PyObject* run_unravel_index(const Arguments& arguments) {
  if (!is_array(arguments[0])) Py_RETURN_NONE;
  const NdArray& x = value_of(arguments[0]);
  const std::vector<std::int64_t> lengths = integers(arguments, 1);
  const std::optional<std::int64_t> end = size_of(lengths);
  if (!end || x.dtype() != Dtype::int64 || !is_below(x, *end)) Py_RETURN_NONE;
  return wrap_all(unraveled(x, lengths));
}

constexpr FunctionEntry flat_index_functions[] = {
    {"lie_below", "(x, end, /)",
     "Test whether all elements of an integer array are in [0, end). Blocks: reads from the "
     "device.",
     run_lie_below},
    {"ravel_indices", "(indices, lengths, /)",
     "The flat indices of a tuple of index arrays, one for each axis; None unless all are int64 "
     "arrays on one device and in range. Blocks: reads from the device.",
     run_ravel_indices},
    {"unravel_index", "(indices, lengths, /)",
     "The index arrays, one for each axis, of flat indices; None unless these are an int64 array "
     "and in range. Blocks: reads from the device.",
     run_unravel_index},
    {"unravel_indices", "(indices, lengths, /)", "Like unravel_index, without any check.",
     run_unravel_indices},
};

}  // namespace

void add_flat_indices(PyObject* module) {
  add_functions<flat_index_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
