// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "core/ndarray.hpp"
#include "ops/linear/linalg_kernels.hpp"

namespace skerry::linalg {

/// The axis of vectors and of the columns of matrices.
inline constexpr std::int64_t last_axis[] = {-1};

// Arguments as they are computed with, and checks. Throw dtype_error and shape_error that name `op`
// and the argument.

/// Floating: integers and bools in the default real dtype, unless mixes are refused.
[[nodiscard]] ndarray as_floating(const char* op, const char* argument, const ndarray& x);
/// The same, and not float16, which LAPACK does not know.
[[nodiscard]] ndarray as_lapack_dtype(const char* op, const char* argument, const ndarray& x);
void require_matrices(const char* op, const char* argument, const ndarray& x);
void require_square(const char* op, const char* argument, const ndarray& x);

// What is not finite never reaches LAPACK, whose iterations fail on it, print to the terminal, or
// worse, and whose answers differ between libraries.

enum class triangle : std::uint8_t { lower, upper };

/// Waits for all elements of `x`. Throws linalg_error for NaN and infinities, naming the matrix.
void require_finite(const char* op, const ndarray& x);
/// The same for a triangle, the diagonal with it: the other one may hold anything.
void require_finite(const char* op, const ndarray& x, triangle read);

/// Matrices that LAPACK may have in the place of others, which hold NaN or infinities. On a CUDA
/// device nothing waits to know whether there are any.
class finite_part {
 public:
  /// In the place of a matrix that is not finite: ones on the diagonal.
  static finite_part of_matrices(const ndarray& x);
  /// In the place of a column that is not finite: zeros.
  static finite_part of_columns(const ndarray& x);

  [[nodiscard]] const ndarray& matrices() const noexcept { return matrices_; }
  /// NaN for what was replaced, else `result`, which has `own_axes` axes beside those of the stack.
  [[nodiscard]] ndarray answer(const ndarray& result, int own_axes) const;

 private:
  explicit finite_part(const ndarray& x) : matrices_(x) {}

  ndarray matrices_;
  std::optional<ndarray> is_finite_;  ///< with axes of size 1; empty where all is finite
};

[[nodiscard]] inline std::int64_t rows_of(const ndarray& x) { return x.shape()[x.rank() - 2]; }
[[nodiscard]] inline std::int64_t columns_of(const ndarray& x) { return x.shape()[x.rank() - 1]; }
/// The shape of the stack.
[[nodiscard]] dims stack_of(const ndarray& x);
/// `stack` with one or two more axes.
[[nodiscard]] dims extended(const dims& stack, std::int64_t n);
[[nodiscard]] dims extended(const dims& stack, std::int64_t rows, std::int64_t columns);

/// A fresh stack, dense in column-major order: what LAPACK takes.
[[nodiscard]] ndarray empty_column_major(const char* op, const dims& stack, std::int64_t rows,
                                         std::int64_t columns, dtype type, device where);
[[nodiscard]] ndarray copy_column_major(const ndarray& x);
/// The identity of each matrix of the stack, fresh, C-contiguous.
[[nodiscard]] ndarray identities(const dims& stack, std::int64_t n, dtype type, device where);
/// A view of rows and columns from the first on.
[[nodiscard]] ndarray leading_part(const ndarray& x, std::int64_t rows, std::int64_t columns);

/// One LAPACK routine on every matrix of a stack. The caller sets what the routine takes beside the
/// dtype and the extents of the matrices.
class lapack_call {
 public:
  /// `a` is dense; where its matrices are in C order, their transposes are worked on.
  lapack_call(const char* op, linalg_routine routine, const ndarray& a);

  linalg_params params{};

  /// Enqueues the work. `uses` are all arrays in params, but for `a`. Returns the info codes.
  ndarray run(std::initializer_list<const ndarray*> uses);

 private:
  const char* op_;
  linalg_routine routine_;
  ndarray a_;
};

/// Waits for the info codes. Throws linalg_error where one tells of a failure, with `why` in the
/// message.
void require_success(const char* op, const ndarray& info, const ndarray& x, const char* why);

}  // namespace skerry::linalg
