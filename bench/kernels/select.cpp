// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/select/selection.hpp"

#include "bench/kernels/benchmarks.hpp"
#include "ops/call/operand.hpp"
#include "ops/select/masks.hpp"
#include "ops/select/scatter_reduce.hpp"
#include "ops/select/take.hpp"

namespace skerry::bench {
namespace {

Arrays vector_and_indices(const Point& point) {
  return {random_array(point, {point.size}, point.dtype),
          random_array(point, {point.size}, Dtype::int64, point.size)};
}

Arrays matrix_and_rows(const Point& point) {
  const std::int64_t n = side(point);
  return {random_array(point, {n, n}, point.dtype), random_array(point, {n}, Dtype::int64, n)};
}

Arrays matrix_and_indices(const Point& point) {
  const std::int64_t n = side(point);
  return {random_array(point, {n, n}, point.dtype), random_array(point, {n, n}, Dtype::int64, n)};
}

/// Returns a vector and a mask that is true for about half of its elements.
Arrays vector_and_mask(const Point& point) {
  return {random_array(point, {point.size}, point.dtype),
          random_array(point, {point.size}, Dtype::bool_)};
}

NdArray take_along(const Arrays& a, std::int64_t axis) { return take(a[0], a[1], axis); }

Arrays vector_indices_and_values(const Point& point) {
  Arrays result = vector_and_indices(point);
  result.push_back(random_array(point, {point.size}, point.dtype));
  return result;
}

NdArray scatter_add(const Point& /*point*/, const Arrays& a) {
  scatter_reduce(ScatterOp::add, a[0], a[1], {.array = &a[2]});
  return a[0];
}

}  // namespace

Benchmarks select_benchmarks() {
  return {
      {"take", numeric, vector_and_indices,
       [](const Point&, const Arrays& a) { return take_along(a, 0); }},
      {"take_rows", numeric, matrix_and_rows,
       [](const Point&, const Arrays& a) { return take_along(a, 0); }},
      {"take_columns", numeric, matrix_and_rows,
       [](const Point&, const Arrays& a) { return take_along(a, 1); }},
      {"take_along_axis", numeric, matrix_and_indices,
       [](const Point&, const Arrays& a) { return take_along_axis(a[0], a[1], 1); }},
      {"scatter_add", numeric, vector_indices_and_values, scatter_add},
      {"compress", numeric, vector_and_mask,
       [](const Point&, const Arrays& a) { return compress(a[0], a[1]); }},
      {"nonzero",
       {Dtype::bool_},
       vectors<>,
       [](const Point&, const Arrays& a) { return true_indices(a[0])[0]; }},
  };
}

}  // namespace skerry::bench
