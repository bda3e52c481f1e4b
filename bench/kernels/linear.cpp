// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>

#include "bench/kernels/benchmarks.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/linear/convolution.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/move/views.hpp"

namespace skerry::bench {
namespace {

constexpr std::int64_t taps = 31;

/// Returns positive definite matrices: x plus its transpose, plus twice the extent on the diagonal.
NdArray definite(const NdArray& x) {
  const Point point{.dtype = x.dtype(), .size = x.shape()[x.rank() - 1], .device = x.device()};
  const NdArray sum = [&] {
    const NdArray transposed = matrix_transpose(x);
    const Operand operands[] = {{.array = &x}, {.array = &transposed}};
    return skerry::apply(find_op("add").value(), operands);
  }();
  const NdArray diagonal = eye(point.size, point.size, 0, point.dtype, point.device);
  const Scalar scale = Scalar::from_value(2.0 * double(point.size));
  const Operand factors[] = {{.array = &diagonal}, {.value = &scale}};
  const NdArray scaled = skerry::apply(find_op("multiply").value(), factors);
  const Operand terms[] = {{.array = &sum}, {.array = &scaled}};
  return skerry::apply(find_op("add").value(), terms);
}

Arrays matrix(const Point& point) { return {definite(matrices<>(point)[0])}; }

/// Returns a stack of 4 x 4 matrices with the point's number of elements in all.
Arrays small_matrices(const Point& point) {
  return {definite(
      random_array(point, {std::max<std::int64_t>(point.size / 16, 1), 4, 4}, point.dtype))};
}

Arrays vector_and_taps(const Point& point) {
  return {random_array(point, {point.size}, point.dtype), random_array(point, {taps}, point.dtype)};
}

NdArray product(const Point& /*point*/, const Arrays& a) { return matmul(a[0], a[0]); }
NdArray inverse(const Point& /*point*/, const Arrays& a) { return linalg::inv(a[0]); }
NdArray cholesky(const Point& /*point*/, const Arrays& a) { return linalg::cholesky(a[0], false); }
NdArray eigenvalues(const Point& /*point*/, const Arrays& a) { return linalg::eigvalsh(a[0]); }

}  // namespace

Benchmarks linear_benchmarks() {
  const std::vector<std::int64_t> squares = {1, 10'000, 1'000'000};
  const std::vector<std::int64_t> small_squares = {1, 100, 90'000};
  const std::vector<std::int64_t> stacks = {16, 160'000};
  return {
      {"matmul", numeric, matrices<>, product, squares},
      {"matmul_stack", numeric, small_matrices, product, stacks},
      {"matrix_vector", numeric, matrices<>,
       [](const Point&, const Arrays& a) {
         const NdArray row = slice_of(a[0], 0, 0, 1);
         return vecdot(a[0], row, -1);
       }},
      {"vecdot", numeric, vectors<2>,
       [](const Point&, const Arrays& a) { return vecdot(a[0], a[1], -1); }},
      {"convolve", numeric, vector_and_taps,
       [](const Point& p, const Arrays& a) { return convolve(a[0], a[1], 0, p.size + taps - 1); }},
      {"vector_norm", floating, vectors<>,
       [](const Point&, const Arrays& a) {
         return linalg::vector_norm(a[0], std::nullopt, false, 2);
       }},
      {"inv", floating, matrix, inverse, small_squares},
      {"inv_stack", floating, small_matrices, inverse, stacks},
      {"cholesky", floating, matrix, cholesky, small_squares},
      {"cholesky_stack", floating, small_matrices, cholesky, stacks},
      {"eigvalsh", floating, matrix, eigenvalues, small_squares},
      {"svdvals", floating, matrix,
       [](const Point&, const Arrays& a) { return linalg::svdvals(a[0]); }, small_squares},
  };
}

}  // namespace skerry::bench
