// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/errors.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "ops/linear/matrices.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

// What LU factors give: determinants, inverses, solutions, powers.

namespace skerry::linalg {
namespace {

constexpr const char* singular = "singular";

/// LU factors of the transposes of a copy, with rows exchanged as `pivots` says.
struct lu_factors {
  ndarray factors;
  ndarray pivots;
  ndarray info;
};

lu_factors factorize(const char* op, const ndarray& x) {
  const ndarray a = copy_c_order(x);
  const ndarray pivots = empty(extended(stack_of(x), rows_of(x)), dtype::int32, x.device());
  lapack_call call(op, linalg_routine::getrf, a);
  call.params.pivots = reinterpret_cast<std::int32_t*>(pivots.data());
  const ndarray info = call.run({&pivots});
  return {a, pivots, info};
}

/// `b`, column-major, becomes the solution; of the transposed system where LU is of the transpose.
void solve_with(const char* op, const lu_factors& lu, const ndarray& b, std::int64_t columns,
                bool transposed) {
  lapack_call call(op, linalg_routine::getrs, lu.factors);
  call.params.pivots = reinterpret_cast<std::int32_t*>(lu.pivots.data());
  call.params.b = b.data();
  call.params.extra = columns;
  call.params.flag = transposed;
  call.run({&lu.pivots, &b});
}

struct determinants {
  ndarray value;
  ndarray sign;
  ndarray logarithm;
};

determinants find_determinants(const char* op, const ndarray& given) {
  const ndarray x = as_lapack_dtype(op, "x", given);
  require_square(op, "x", x);
  const dims stack = stack_of(x);
  const dtype real = real_part(x.dtype());
  if (rows_of(x) == 0) {
    const scalar one = scalar::of(1.0);
    return {full(stack, one, x.dtype(), x.device()), full(stack, one, x.dtype(), x.device()),
            full(stack, scalar::of(0.0), real, x.device())};
  }
  determinants result{empty(stack, x.dtype(), x.device()), empty(stack, x.dtype(), x.device()),
                      empty(stack, real, x.device())};
  if (x.size() == 0) return result;
  const finite_part finite = finite_part::of_matrices(x);
  const lu_factors lu = factorize(op, finite.matrices());
  lapack_call call(op, linalg_routine::determinant, lu.factors);
  call.params.pivots = reinterpret_cast<std::int32_t*>(lu.pivots.data());
  call.params.b = result.value.data();
  call.params.c = result.sign.data();
  call.params.values = result.logarithm.data();
  call.run({&lu.pivots, &result.value, &result.sign, &result.logarithm});
  return {finite.answer(result.value, 0), finite.answer(result.sign, 0),
          finite.answer(result.logarithm, 0)};
}

[[noreturn]] void reject_right_side(const ndarray& x1, const ndarray& x2) {
  throw shape_error(
      "solve: x2 must be 1-D of the size, or have matrices with the rows, of x1: x1 is " +
      describe(x1) + ", x2 is " + describe(x2));
}

ndarray stretched(const ndarray& x, const dims& stack) {
  const dims shape = extended(stack, rows_of(x), columns_of(x));
  return x.view(broadcast_to("solve", x.layout(), shape));
}

/// Both sides floating; integers and bools in the dtype of a floating side.
two_arrays equations(const char* op, const ndarray& x1, const ndarray& x2) {
  if (!promotion_is_strict()) {
    const auto like = [](const ndarray& x, const ndarray& other) {
      return !is_floating(x.dtype()) && is_floating(other.dtype()) ? astype(x, other.dtype(), false)
                                                                   : x;
    };
    return {as_lapack_dtype(op, "x1", like(x1, x2)), as_lapack_dtype(op, "x2", like(x2, x1))};
  }
  return {as_lapack_dtype(op, "x1", x1), as_lapack_dtype(op, "x2", x2)};
}

ndarray with_column_axis(const ndarray& x) {
  const std::int64_t last[] = {-1};
  return expand_dims(x, last);
}

}  // namespace

ndarray det(const ndarray& x) { return find_determinants("det", x).value; }

two_arrays slogdet(const ndarray& x) {
  const determinants found = find_determinants("slogdet", x);
  return {found.sign, found.logarithm};
}

ndarray inv(const ndarray& given) {
  constexpr const char* op = "inv";
  const ndarray x = as_lapack_dtype(op, "x", given);
  require_square(op, "x", x);
  if (x.size() == 0) return copy_c_order(x);
  const finite_part finite = finite_part::of_matrices(x);
  const lu_factors lu = factorize(op, finite.matrices());
  // The transpose of the inverse of the transpose, column-major, is the inverse in C order.
  const ndarray result = identities(stack_of(x), rows_of(x), x.dtype(), x.device());
  solve_with(op, lu, result, rows_of(x), false);
  require_success(op, lu.info, x, singular);
  return finite.answer(result, 2);
}

ndarray solve(const ndarray& given1, const ndarray& given2) {
  constexpr const char* op = "solve";
  const operand both[] = {{.array = &given1, .name = "x1"}, {.array = &given2, .name = "x2"}};
  common_device(op, both);
  const auto [x1, x2] = equations(op, given1, given2);
  const dtype type = *promote(x1.dtype(), x2.dtype());
  require_square(op, "x1", x1);
  if (x2.rank() == 0) reject_right_side(x1, x2);
  const bool is_vector = x2.rank() == 1;
  const ndarray right = is_vector ? with_column_axis(x2) : x2;
  if (rows_of(right) != rows_of(x1) || columns_of(right) > INT32_MAX) reject_right_side(x1, x2);
  const dims left_stack = stack_of(x1);
  const dims right_stack = stack_of(right);
  const dims* const stacks[] = {&left_stack, &right_stack};
  const dims stack = broadcast_shapes(op, stacks);
  check_shape(op, extended(stack, rows_of(x1), rows_of(x1)).span(), itemsize(type));
  check_shape(op, extended(stack, rows_of(x1), columns_of(right)).span(), itemsize(type));
  const finite_part left_finite = finite_part::of_matrices(x1);
  const finite_part right_finite = finite_part::of_columns(right);
  const ndarray b =
      copy_column_major(astype(stretched(right_finite.matrices(), stack), type, false));
  const ndarray a = astype(stretched(left_finite.matrices(), stack), type, false);
  if (a.size() > 0) {
    const lu_factors lu = factorize(op, a);
    if (b.size() > 0) solve_with(op, lu, b, columns_of(b), true);
    require_success(op, lu.info, x1, singular);
  }
  const ndarray result = left_finite.answer(right_finite.answer(b, 2), 2);
  return is_vector ? squeeze(result, last_axis) : result;
}

ndarray matrix_power(const ndarray& given, std::int64_t n) {
  constexpr const char* op = "matrix_power";
  // Products of integers are exact, so only an inverse is floating.
  const bool is_exact = n >= 0 && is_integer(given.dtype()) && !promotion_is_strict();
  const ndarray x = n < 0      ? as_lapack_dtype(op, "x", given)
                    : is_exact ? given
                               : as_floating(op, "x", given);
  require_square(op, "x", x);
  if (n == 0) return identities(stack_of(x), rows_of(x), x.dtype(), x.device());
  ndarray square = n < 0 ? inv(x) : x;
  std::uint64_t left = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  if (left == 1) return n < 0 ? square : copy(x);
  std::optional<ndarray> result;
  while (true) {
    if ((left & 1) != 0) result = result ? matmul(*result, square) : square;
    left >>= 1;
    if (left == 0) return *result;
    square = matmul(square, square);
  }
}

}  // namespace skerry::linalg
