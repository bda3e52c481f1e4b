// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/linear/matrices.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

// Functions based on LU factors: determinants, inverses, solutions, powers.

namespace skerry::linalg {
namespace {

constexpr const char* singular = "singular";

/// LU factors of the transpose of x, with row exchanges in `pivots`.
struct LuFactors {
  NdArray factors;
  NdArray pivots;
  NdArray info;
};

LuFactors factorize(const NdArray& x) {
  const NdArray a = copy_c_order(x);
  const NdArray pivots = empty(extended(stack_of(x), rows_of(x)), Dtype::int32, x.device());
  LapackCall call(LinAlgRoutine::getrf, a);
  const NdArray info = call.run({.pivots = &pivots});
  return {a, pivots, info};
}

/// Overwrites `b`, which is column-major, with the solution of the factorized system or, if
/// `transposed`, of the transposed system.
void solve_with(const LuFactors& lu, const NdArray& b, std::int64_t columns, bool transposed) {
  LapackCall call(LinAlgRoutine::getrs, lu.factors);
  call.request.right_columns = columns;
  call.request.is_transposed = transposed;
  call.run({.b = &b, .pivots = &lu.pivots});
}

struct Inverses {
  NdArray value;
  NdArray info;
};

Inverses invert(const NdArray& x) {
  const FinitePart finite = FinitePart::of_matrices(x);
  const LuFactors lu = factorize(finite.matrices());
  // The column-major transpose of the inverse of the transpose is the inverse in C order.
  const NdArray result = identities(stack_of(x), rows_of(x), x.dtype(), x.device());
  solve_with(lu, result, rows_of(x), false);
  return {finite.restore_nan(result, 2), lu.info};
}

struct Determinants {
  NdArray value;
  NdArray sign;
  NdArray logarithm;
};

Determinants find_determinants(const NdArray& input) {
  const NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  const Dims stack = stack_of(x);
  const Dtype real = real_part(x.dtype());
  if (rows_of(x) == 0) {
    const Scalar one = Scalar::from_value(1.0);
    return {full(stack, one, x.dtype(), x.device()), full(stack, one, x.dtype(), x.device()),
            full(stack, Scalar::from_value(0.0), real, x.device())};
  }
  Determinants result{empty(stack, x.dtype(), x.device()), empty(stack, x.dtype(), x.device()),
                      empty(stack, real, x.device())};
  if (x.size() == 0) return result;
  const FinitePart finite = FinitePart::of_matrices(x);
  const LuFactors lu = factorize(finite.matrices());
  LapackCall call(LinAlgRoutine::determinant, lu.factors);
  call.run(
      {.b = &result.value, .c = &result.sign, .values = &result.logarithm, .pivots = &lu.pivots});
  return {finite.restore_nan(result.value, 0), finite.restore_nan(result.sign, 0),
          finite.restore_nan(result.logarithm, 0)};
}

[[noreturn]] void reject_right_side(const NdArray& x1, const NdArray& x2) {
  throw ShapeError("x2 must be a vector or matrices with as many rows as x1: x1 is " +
                   describe(x1) + ", x2 is " + describe(x2));
}

NdArray stretched(const NdArray& x, const Dims& stack) {
  const Dims shape = extended(stack, rows_of(x), columns_of(x));
  return x.view(broadcast_to(x.layout(), shape));
}

/// Converts both sides to floating dtypes; integers and bools take the dtype of a floating side.
TwoArrays equations(const NdArray& x1, const NdArray& x2) {
  if (!promotion_is_strict()) {
    const auto convert_like = [](const NdArray& x, const NdArray& other) {
      return !is_floating(x.dtype()) && is_floating(other.dtype()) ? astype(x, other.dtype(), false)
                                                                   : x;
    };
    return {as_lapack_dtype("x1", convert_like(x1, x2)),
            as_lapack_dtype("x2", convert_like(x2, x1))};
  }
  return {as_lapack_dtype("x1", x1), as_lapack_dtype("x2", x2)};
}

NdArray with_column_axis(const NdArray& x) {
  const std::int64_t last[] = {-1};
  return expand_dims(x, last);
}

}  // namespace

NdArray det(const NdArray& x) { return find_determinants(x).value; }

TwoArrays slogdet(const NdArray& x) {
  const Determinants determinants = find_determinants(x);
  return {determinants.sign, determinants.logarithm};
}

NdArray inv(const NdArray& input) {
  const NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  if (x.size() == 0) return copy_c_order(x);
  const Inverses inverses = invert(x);
  require_success(inverses.info, x, singular);
  return inverses.value;
}

TwoArrays inv_unchecked(const NdArray& input) {
  const NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  if (x.size() == 0) {
    return {copy_c_order(x),
            full(stack_of(x), Scalar::from_value(false), Dtype::bool_, x.device())};
  }
  const Inverses inverses = invert(x);
  const NdArray is_singular = not_equal(inverses.info, Scalar::from_value(std::int64_t{0}));
  return {inverses.value, reshape(is_singular, stack_of(x).span(), std::nullopt)};
}

NdArray solve(const NdArray& input1, const NdArray& input2) {
  const Operand both[] = {{.array = &input1, .name = "x1"}, {.array = &input2, .name = "x2"}};
  common_device(both);
  const auto [x1, x2] = equations(input1, input2);
  const Dtype type = *promote(x1.dtype(), x2.dtype());
  require_square("x1", x1);
  if (x2.rank() == 0) reject_right_side(x1, x2);
  const bool is_vector = x2.rank() == 1;
  const NdArray right = is_vector ? with_column_axis(x2) : x2;
  if (rows_of(right) != rows_of(x1) || columns_of(right) > INT32_MAX) reject_right_side(x1, x2);
  const Dims left_stack = stack_of(x1);
  const Dims right_stack = stack_of(right);
  const Dims* const stacks[] = {&left_stack, &right_stack};
  const Dims stack = broadcast_shapes(stacks);
  check_shape(extended(stack, rows_of(x1), rows_of(x1)).span(), itemsize(type));
  check_shape(extended(stack, rows_of(x1), columns_of(right)).span(), itemsize(type));
  const FinitePart left_finite = FinitePart::of_matrices(x1);
  const FinitePart right_finite = FinitePart::of_columns(right);
  const NdArray b =
      copy_column_major(astype(stretched(right_finite.matrices(), stack), type, false));
  const NdArray a = astype(stretched(left_finite.matrices(), stack), type, false);
  if (a.size() > 0) {
    const LuFactors lu = factorize(a);
    if (b.size() > 0) solve_with(lu, b, columns_of(b), true);
    require_success(lu.info, x1, singular);
  }
  const NdArray result = left_finite.restore_nan(right_finite.restore_nan(b, 2), 2);
  return is_vector ? squeeze(result, last_axis) : result;
}

NdArray matrix_power(const NdArray& input, std::int64_t n) {
  // Products of integers are exact; only an inverse needs a floating dtype.
  const bool is_exact = n >= 0 && is_integer(input.dtype()) && !promotion_is_strict();
  const NdArray x = n < 0      ? as_lapack_dtype("x", input)
                    : is_exact ? input
                               : as_floating("x", input);
  require_square("x", x);
  if (n == 0) return identities(stack_of(x), rows_of(x), x.dtype(), x.device());
  NdArray square = n < 0 ? inv(x) : x;
  std::uint64_t left = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  if (left == 1) return n < 0 ? square : copy(x);
  std::optional<NdArray> result;
  while (true) {
    if ((left & 1) != 0) result = result ? matmul(*result, square) : square;
    left >>= 1;
    if (left == 0) return *result;
    square = matmul(square, square);
  }
}

}  // namespace skerry::linalg
