// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/linear/matrices.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry::linalg {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The retained axes of x in order, then all others merged into the last axis.
struct GatheredVectors {
  NdArray x;
  Dims result_shape;  ///< with axes of extent 1 for the reduced ones if requested
};

GatheredVectors gather(const NdArray& x, std::optional<std::span<const std::int64_t>> axes,
                       bool keepdims) {
  std::vector<bool> reduced(static_cast<std::size_t>(x.rank()), !axes);
  if (axes) {
    for (const std::int64_t axis : normalize_axes(*axes, x.rank())) {
      reduced[static_cast<std::size_t>(axis)] = true;
    }
  }
  GatheredVectors vectors;
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> last;
  std::vector<std::int64_t> shape;
  std::int64_t length = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t n = x.shape()[axis];
    if (!reduced[static_cast<std::size_t>(axis)]) {
      order.push_back(axis);
      shape.push_back(n);
      vectors.result_shape.push_back(n);
      continue;
    }
    last.push_back(axis);
    length *= n;
    if (keepdims) vectors.result_shape.push_back(1);
  }
  order.insert(order.end(), last.begin(), last.end());
  // There may be 64 axes already; merge them to make room for the vectors' axis.
  if (shape.size() == static_cast<std::size_t>(max_rank)) shape = {x.size()};
  shape.push_back(length);
  vectors.x = reshape(permute_dims(x, order), shape, std::nullopt);
  return vectors;
}

NdArray constant_like(const NdArray& vectors, double value, Dtype type) {
  const Dims shape(vectors.shape().span().first(static_cast<std::size_t>(vectors.rank() - 1)));
  return full(shape, Scalar::from_value(value), type, vectors.device());
}

std::int64_t length_of(const NdArray& vectors) { return vectors.shape()[vectors.rank() - 1]; }

/// Returns the maximum of each vector, or 0 for vectors without elements.
NdArray largest(const NdArray& x) {
  if (length_of(x) == 0) return constant_like(x, 0, x.dtype());
  return max(x, last_axis, false);
}
/// Returns the minimum of each vector, or infinity for vectors without elements.
NdArray smallest(const NdArray& x) {
  if (length_of(x) == 0) return constant_like(x, infinity, x.dtype());
  return min(x, last_axis, false);
}

/// Returns the divisor that keeps powers from overflow and underflow: the largest magnitude (the
/// smallest for negative orders), or 1 if that is 0 or not finite.
NdArray scale_of(const NdArray& magnitudes, double order) {
  const NdArray extreme =
      order > 0 ? max(magnitudes, last_axis, true) : min(magnitudes, last_axis, true);
  const NdArray is_usable =
      logical_and(isfinite(extreme), not_equal(extreme, Scalar::from_value(0.0)));
  return where(is_usable, extreme, Scalar::from_value(1.0));
}

NdArray scaled_norm(const NdArray& magnitudes, double order) {
  if (length_of(magnitudes) == 0) {
    return constant_like(magnitudes, order > 0 ? 0 : infinity, magnitudes.dtype());
  }
  const NdArray scale = scale_of(magnitudes, order);
  const NdArray scaled = divide(magnitudes, scale);
  const NdArray powers =
      order == 2 ? multiply(scaled, scaled) : pow(scaled, Scalar::from_value(order));
  const NdArray total = sum(powers, last_axis, true);
  const NdArray root = order == 2 ? sqrt(total) : pow(total, Scalar::from_value(1 / order));
  return squeeze(multiply(root, scale), last_axis);
}

/// Computes the 2-norm without scaling if that is known to be safe. Returns nullopt for NaN,
/// infinities, zeros, and values near overflow or underflow.
std::optional<NdArray> direct_norm(const NdArray& x) {
  if (!can_look_at(x)) return std::nullopt;
  const NdArray squares = real(vecdot(x, x, -1));
  const double tiny = squares.dtype() == Dtype::float64 ? 0x1p-900 : 0x1p-80;
  const NdArray is_safe =
      logical_and(isfinite(squares), greater(squares, Scalar::from_value(tiny)));
  if (!is_true(all(is_safe))) return std::nullopt;
  return sqrt(squares);
}

NdArray norm_of(const NdArray& x, double order) {
  if (order == 2) {
    if (const std::optional<NdArray> direct = direct_norm(x)) return *direct;
  }
  const Dtype type = real_part(x.dtype());
  if (order == 0) {
    return sum(astype(not_equal(x, Scalar::from_value(0.0)), type, false), last_axis, false);
  }
  const NdArray magnitudes = abs(x);
  if (order == infinity) return largest(magnitudes);
  if (order == -infinity) return smallest(magnitudes);
  if (order == 1) return sum(magnitudes, last_axis, false);
  return scaled_norm(magnitudes, order);
}

NdArray with_shape(const NdArray& x, const Dims& shape) {
  return reshape(x, shape.span(), std::nullopt);
}

/// Returns the largest or smallest of the sums of magnitudes along one axis of the matrices.
NdArray norm_of_sums(const NdArray& x, int summed_from_end, bool wants_largest) {
  const std::int64_t summed[] = {-summed_from_end};
  const NdArray sums = sum(abs(x), summed, false);
  return wants_largest ? largest(sums) : smallest(sums);
}

NdArray norm_of_singular_values(const NdArray& x, MatrixOrder order) {
  const NdArray values = svdvals(x);
  if (order == MatrixOrder::nuclear) return sum(values, last_axis, false);
  return order == MatrixOrder::two ? largest(values) : smallest(values);
}

bool needs_singular_values(MatrixOrder order) {
  return order == MatrixOrder::nuclear || order == MatrixOrder::two ||
         order == MatrixOrder::minus_two;
}

NdArray unkept_norm(const NdArray& x, MatrixOrder order) {
  switch (order) {
    case MatrixOrder::frobenius: {
      const std::int64_t axes[] = {-2, -1};
      return vector_norm(x, axes, false, 2);
    }
    case MatrixOrder::one:
      return norm_of_sums(x, 2, true);
    case MatrixOrder::minus_one:
      return norm_of_sums(x, 2, false);
    case MatrixOrder::infinity:
      return norm_of_sums(x, 1, true);
    case MatrixOrder::minus_infinity:
      return norm_of_sums(x, 1, false);
    default:
      return norm_of_singular_values(x, order);
  }
}

}  // namespace

NdArray vector_norm(const NdArray& input, std::optional<std::span<const std::int64_t>> axes,
                    bool keepdims, double order) {
  const NdArray x = as_floating("x", input);
  if (std::isnan(order)) throw ValueError("ord must not be NaN");
  const GatheredVectors vectors = gather(widened(x), axes, keepdims);
  return astype(with_shape(norm_of(vectors.x, order), vectors.result_shape), real_part(x.dtype()),
                false);
}

NdArray matrix_norm(const NdArray& input, bool keepdims, MatrixOrder order) {
  const NdArray x = as_floating("x", input);
  require_matrices("x", x);
  if (needs_singular_values(order)) static_cast<void>(as_lapack_dtype("x", x));
  const NdArray norms = astype(unkept_norm(widened(x), order), real_part(x.dtype()), false);
  return keepdims ? with_shape(norms, extended(stack_of(x), 1, 1)) : norms;
}

}  // namespace skerry::linalg
