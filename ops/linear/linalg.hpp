// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

/// The extension `linalg` of the standard. Matrices are in the last two axes, stacks of them in the
/// others. What takes a matrix apart waits for the result of that: it throws linalg_error in the
/// call. All throw dtype_error, shape_error, device_mismatch_error; library_error where a CPU
/// device needs OpenBLAS and it is not there; not_implemented_error where a CUDA device has no such
/// routine.
namespace skerry::linalg {

struct two_arrays {
  ndarray first;
  ndarray second;
};
struct three_arrays {
  ndarray first;
  ndarray second;
  ndarray third;
};

// For square matrices.
[[nodiscard]] ndarray cholesky(const ndarray& x, bool upper);
[[nodiscard]] ndarray det(const ndarray& x);
[[nodiscard]] two_arrays slogdet(const ndarray& x);  ///< sign, logarithm of the modulus
[[nodiscard]] ndarray inv(const ndarray& x);
/// x2 is one vector (1-D), or matrices.
[[nodiscard]] ndarray solve(const ndarray& x1, const ndarray& x2);
[[nodiscard]] two_arrays eig(const ndarray& x);  ///< complex values, vectors in columns
[[nodiscard]] ndarray eigvals(const ndarray& x);
/// For symmetric or Hermitian matrices, whose lower triangle is read; ascending.
[[nodiscard]] two_arrays eigh(const ndarray& x);
[[nodiscard]] ndarray eigvalsh(const ndarray& x);
[[nodiscard]] ndarray matrix_power(const ndarray& x, std::int64_t n);

// For all matrices.
[[nodiscard]] two_arrays qr(const ndarray& x, bool complete);
[[nodiscard]] three_arrays svd(const ndarray& x, bool full_matrices);  ///< U, S, V^H
[[nodiscard]] ndarray svdvals(const ndarray& x);
/// `rtol` is a real scalar or an array of the stack's shape; absent (null pointers): the larger
/// extent times the dtype's epsilon.
[[nodiscard]] ndarray matrix_rank(const ndarray& x, const operand& rtol);
[[nodiscard]] ndarray pinv(const ndarray& x, const operand& rtol);
[[nodiscard]] ndarray diagonal(const ndarray& x, std::int64_t offset);  ///< a view
[[nodiscard]] ndarray trace(const ndarray& x, std::int64_t offset, std::optional<dtype> type);

/// Products of vectors of three elements along `axis`, which counts from the end.
[[nodiscard]] ndarray cross(const ndarray& x1, const ndarray& x2, std::int64_t axis);

enum class matrix_order : std::uint8_t {
  frobenius,
  nuclear,
  one,
  minus_one,
  two,
  minus_two,
  infinity,
  minus_infinity
};
[[nodiscard]] ndarray matrix_norm(const ndarray& x, bool keepdims, matrix_order order);
/// Over `axes`; empty optional: all of them. Any order, infinities too; what is finite does not
/// overflow on the way to a finite norm.
[[nodiscard]] ndarray vector_norm(const ndarray& x,
                                  std::optional<std::span<const std::int64_t>> axes, bool keepdims,
                                  double order);

}  // namespace skerry::linalg
