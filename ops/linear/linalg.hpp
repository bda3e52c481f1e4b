// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/errors.hpp"
#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// Matrices are not square, or an array has fewer than two axes.
class MatrixShapeError : public ShapeError {  // MatrixShapeError(ShapeError, LinAlgError)
  using ShapeError::ShapeError;
};

}  // namespace skerry

/// The linalg extension of the array API standard. Matrices are in the last two axes; the other
/// axes form a stack. Functions that can fail for a matrix, such as cholesky, inv and svd,
/// synchronize with the device and throw LinAlgError. All throw DtypeError, ShapeError,
/// DeviceMismatchError; LibraryError if a CPU device needs OpenBLAS and it is missing;
/// NotImplementedError if a CUDA device lacks the routine.
namespace skerry::linalg {

struct TwoArrays {
  NdArray first;
  NdArray second;
};
struct ThreeArrays {
  NdArray first;
  NdArray second;
  NdArray third;
};

// For square matrices.
[[nodiscard]] NdArray cholesky(const NdArray& x, bool upper);
[[nodiscard]] NdArray det(const NdArray& x);
[[nodiscard]] TwoArrays slogdet(const NdArray& x);  ///< sign, logarithm of the absolute value
[[nodiscard]] NdArray inv(const NdArray& x);
/// Returns the inverses, undefined for singular matrices, and whether each matrix is singular. Does
/// not wait for the device.
[[nodiscard]] TwoArrays inv_unchecked(const NdArray& x);
/// x2 is a 1-D vector or a stack of matrices.
[[nodiscard]] NdArray solve(const NdArray& x1, const NdArray& x2);
[[nodiscard]] TwoArrays eig(const NdArray& x);  ///< complex values; vectors are columns
[[nodiscard]] NdArray eigvals(const NdArray& x);
/// For symmetric or Hermitian matrices, of which only one triangle is read. Eigenvalues are in
/// ascending order.
[[nodiscard]] TwoArrays eigh(const NdArray& x, bool upper = false);
[[nodiscard]] NdArray eigvalsh(const NdArray& x, bool upper = false);
[[nodiscard]] NdArray matrix_power(const NdArray& x, std::int64_t n);

// For all matrices.
[[nodiscard]] TwoArrays qr(const NdArray& x, bool complete);
/// Returns R alone, with min(M, N) rows.
[[nodiscard]] NdArray qr_triangle(const NdArray& x);
/// Returns LAPACK's result of geqrf: the transpose of the reflectors and R, and the factors of the
/// reflectors.
[[nodiscard]] TwoArrays qr_reflectors(const NdArray& x);
[[nodiscard]] ThreeArrays svd(const NdArray& x, bool full_matrices);  ///< U, S, V^H
[[nodiscard]] NdArray svdvals(const NdArray& x);
/// Which singular values count as 0: those not above a threshold.
struct Tolerance {
  /// A real scalar or an array of the stack's shape. The default (null pointers) is the larger
  /// extent times the dtype's epsilon, relative to the largest singular value.
  Operand value;
  bool is_relative = true;  ///< to the largest singular value
};
/// `is_hermitian`: singular values are the magnitudes of the eigenvalues of the lower triangle.
/// The rank of an array with fewer than two axes is 1 if any element is not 0.
[[nodiscard]] NdArray matrix_rank(const NdArray& x, const Tolerance& tolerance, bool is_hermitian);
[[nodiscard]] NdArray pinv(const NdArray& x, const Operand& rtol, bool is_hermitian);
[[nodiscard]] NdArray diagonal(const NdArray& x, std::int64_t offset);  ///< a view
[[nodiscard]] NdArray trace(const NdArray& x, std::int64_t offset, std::optional<Dtype> type);

/// Returns the cross products of three-element vectors along `axis`, which counts from the end.
[[nodiscard]] NdArray cross(const NdArray& x1, const NdArray& x2, std::int64_t axis);

enum class MatrixOrder : std::uint8_t {
  frobenius,
  nuclear,
  one,
  minus_one,
  two,
  minus_two,
  infinity,
  minus_infinity
};
[[nodiscard]] NdArray matrix_norm(const NdArray& x, bool keepdims, MatrixOrder order);
/// Returns the norm over `axes`; an empty optional means all. `order` may be any number or
/// infinity. Intermediate results do not overflow if the norm is finite.
[[nodiscard]] NdArray vector_norm(const NdArray& x,
                                  std::optional<std::span<const std::int64_t>> axes, bool keepdims,
                                  double order);

}  // namespace skerry::linalg
