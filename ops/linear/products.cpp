// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/linear/matrices.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/join.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/reduce.hpp"

namespace skerry::linalg {
namespace {

/// Converts bools to integers, unless promotion is strict.
NdArray as_numeric(const NdArray& x) {
  if (x.dtype() != Dtype::bool_) return x;
  if (!promotion_is_strict()) return astype(x, default_integer, false);
  throw DtypeError("bool is not numeric; convert with astype");
}

double default_tolerance(const NdArray& x) {
  const double epsilon = real_part(x.dtype()) == Dtype::float32
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  return static_cast<double>(std::max(rows_of(x), columns_of(x))) * epsilon;
}

/// Returns an array of tolerances with a last axis of extent 1.
NdArray expanded_tolerance(const Operand& tolerance) {
  const DtypeKind tolerance_kind = kind(tolerance.array->dtype());
  if (tolerance_kind == DtypeKind::complex_floating ||
      (tolerance_kind != DtypeKind::real_floating && promotion_is_strict())) {
    throw DtypeError(std::string(tolerance.name) +
                     " must be real floating: " + describe(*tolerance.array));
  }
  return expand_dims(*tolerance.array, last_axis);
}

/// Returns whether singular values of x are above the tolerance.
NdArray above_tolerance(const NdArray& x, const NdArray& values, const Tolerance& tolerance) {
  const Operand& value = tolerance.value;
  if (!tolerance.is_relative) {
    return value.array != nullptr ? greater(values, expanded_tolerance(value))
                                  : greater(values, *value.value);
  }
  const NdArray largest = max(values, last_axis, true);
  if (value.array != nullptr) return greater(values, multiply(largest, expanded_tolerance(value)));
  return greater(
      values, multiply(largest, value.value != nullptr ? *value.value
                                                       : Scalar::from_value(default_tolerance(x))));
}

void check_tolerance(const NdArray& x, const Operand& tolerance) {
  if (tolerance.array == nullptr) return;
  const Operand both[] = {{.array = &x, .name = "x"}, tolerance};
  common_device(both);
}

/// Returns eigenvectors, eigenvalues and the adjoint of the eigenvectors.
ThreeArrays hermitian_factors(const NdArray& x) {
  const auto [values, vectors] = eigh(x);
  return {vectors, values, conj(matrix_transpose(vectors))};
}

/// Returns vectors followed by their first two components, along axis 0 and contiguous by
/// component: any three consecutive components are a cyclic permutation.
NdArray cyclic(const NdArray& x) {
  Dims shape = x.shape();
  shape[0] = 5;
  const NdArray result = empty(shape, x.dtype(), x.device());
  assign(slice_of(result, 0, 0, 3), x);
  assign(slice_of(result, 0, 3, 2), slice_of(result, 0, 0, 2));
  return result;
}

/// Computes cross products along axis 0; on a CPU, in blocks whose components fit in the caches.
void fill_products(const NdArray& out, const NdArray& x1, const NdArray& x2) {
  const std::int64_t max_bytes =
      cache_block_bytes(out.device(), std::int64_t{cpu::thread_count()} << 17);
  if (out.nbytes() > max_bytes) {
    const auto extents = out.shape().span().subspan(1);
    const int axis =
        1 + static_cast<int>(std::max_element(extents.begin(), extents.end()) - extents.begin());
    const std::int64_t size = out.shape()[axis];
    const std::int64_t step = std::max<std::int64_t>(max_bytes / (out.nbytes() / size), 1);
    for (std::int64_t start = 0; size > 1 && start < size; start += step) {
      const std::int64_t length = std::min(step, size - start);
      fill_products(slice_of(out, axis, start, length), slice_of(x1, axis, start, length),
                    slice_of(x2, axis, start, length));
    }
    if (size > 1) return;
  }
  const NdArray a = cyclic(x1);
  const NdArray b = cyclic(x2);
  const NdArray minuend = multiply(slice_of(a, 0, 1, 3), slice_of(b, 0, 2, 3));
  const NdArray product = subtract(minuend, multiply(slice_of(a, 0, 2, 3), slice_of(b, 0, 1, 3)));
  assign(out, astype(product, out.dtype(), false));
}

NdArray with_axis_first(const NdArray& x, int axis) {
  std::vector<std::int64_t> axes{axis};
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) axes.push_back(i);
  }
  return permute_dims(x, axes);
}

int axis_of_three(const NdArray& x, std::int64_t axis, const NdArray& x1, const NdArray& x2) {
  const int normalized_axis = x.rank() + static_cast<int>(axis);
  if (x.shape()[normalized_axis] == 3) return normalized_axis;
  throw ShapeError("both must have size 3 along axis " + std::to_string(axis) + ": x1 is " +
                   describe(x1) + ", x2 is " + describe(x2));
}

}  // namespace

NdArray cross(const NdArray& input1, const NdArray& input2, std::int64_t axis) {
  const NdArray x1 = as_numeric(input1);
  const NdArray x2 = as_numeric(input2);
  const Operand both[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  common_device(both);
  const Dtype type = common_dtype(both);
  const std::int64_t min_rank = std::min(x1.rank(), x2.rank());
  if (axis >= 0 || axis < -min_rank) {
    throw AxisError("axis " + std::to_string(axis) + " is not in [-" + std::to_string(min_rank) +
                    ", -1]: it counts from the end of both x1, " + describe(x1) + ", and x2, " +
                    describe(x2));
  }
  const int first = axis_of_three(x1, axis, x1, x2);
  const int second = axis_of_three(x2, axis, x1, x2);
  const Dims* const shapes[] = {&x1.shape(), &x2.shape()};
  NdArray out = empty(broadcast_shapes(shapes), type, x1.device());
  const int vector_axis = std::max(first, second);
  fill_products(with_axis_first(out, vector_axis),
                with_axis_first(broadcast_to(widened(x1), out.shape()), vector_axis),
                with_axis_first(broadcast_to(widened(x2), out.shape()), vector_axis));
  return out;
}

NdArray diagonal(const NdArray& x, std::int64_t offset) {
  require_matrices("x", x);
  const std::int64_t rows = rows_of(x);
  const std::int64_t columns = columns_of(x);
  const std::int64_t shift = std::clamp(offset, -rows, columns);
  Layout along = x.layout();
  const int axis = x.rank() - 2;
  const std::int64_t row = along.strides[axis];
  const std::int64_t column = along.strides[axis + 1];
  const std::int64_t length =
      shift >= 0 ? std::min(rows, columns - shift) : std::min(rows + shift, columns);
  if (length > 0) along.offset += shift >= 0 ? shift * column : -shift * row;
  along.shape.erase(axis + 1);
  along.strides.erase(axis + 1);
  along.shape[axis] = length;
  along.strides[axis] = row + column;
  return x.view(std::move(along));
}

NdArray trace(const NdArray& x, std::int64_t offset, std::optional<Dtype> type) {
  require_matrices("x", x);
  const NdArray numbers = as_numeric(diagonal(x, offset));
  return reduce(*find_reduction("sum"), numbers, last_axis, type, false);
}

NdArray matrix_rank(const NdArray& input, const Tolerance& tolerance, bool is_hermitian) {
  const NdArray x = as_lapack_dtype("x", input);
  check_tolerance(x, tolerance.value);
  if (x.rank() < 2) {
    const std::int64_t flat[] = {x.size()};
    const NdArray is_nonzero = not_equal(reshape(x, flat, std::nullopt), Scalar::from_value(0.0));
    return astype(any(is_nonzero, last_axis, false), default_integer, false);
  }
  const NdArray values = is_hermitian ? abs(eigvalsh(x)) : svdvals(x);
  if (std::min(rows_of(x), columns_of(x)) == 0) {
    return full(stack_of(x), Scalar::from_value(std::int64_t{0}), default_integer, x.device());
  }
  const NdArray counted = above_tolerance(x, values, tolerance);
  return sum(astype(counted, default_integer, false), last_axis, false);
}

NdArray pinv(const NdArray& input, const Operand& rtol, bool is_hermitian) {
  const NdArray x = as_lapack_dtype("x", input);
  require_matrices("x", x);
  check_tolerance(x, rtol);
  if (x.size() == 0) {
    return full(extended(stack_of(x), columns_of(x), rows_of(x)), Scalar::from_value(0.0),
                x.dtype(), x.device());
  }
  const auto [u, s, vh] = is_hermitian ? hermitian_factors(x) : svd(x, false);
  const NdArray is_used = above_tolerance(x, is_hermitian ? abs(s) : s, {.value = rtol});
  const NdArray inverse = where(is_used, reciprocal(s), Scalar::from_value(0.0));
  const NdArray scaled = multiply(conj(matrix_transpose(u)), expand_dims(inverse, last_axis));
  return matmul(conj(matrix_transpose(vh)), scaled);
}

}  // namespace skerry::linalg
