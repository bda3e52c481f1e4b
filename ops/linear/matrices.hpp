// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "ops/linear/linalg_kernels.hpp"

namespace skerry::linalg {

/// The axis of vectors and of the columns of matrices.
inline constexpr std::int64_t last_axis[] = {-1};

// Arguments as they are computed with, and checks. Throw DtypeError and ShapeError that name the
// argument.

/// Floating: integers and bools in the default real dtype, unless mixes are refused.
[[nodiscard]] NdArray as_floating(const char* argument, const NdArray& x);
/// The same, and not float16, which LAPACK does not know.
[[nodiscard]] NdArray as_lapack_dtype(const char* argument, const NdArray& x);
void require_matrices(const char* argument, const NdArray& x);
void require_square(const char* argument, const NdArray& x);

// What is not finite never reaches LAPACK, whose iterations fail on it, print to the terminal, or
// worse, and whose answers differ between libraries.

enum class Triangle : std::uint8_t { lower, upper };

/// Waits for all elements of `x`. Throws LinAlgError for NaN and infinities, naming the matrix.
void require_finite(const NdArray& x);
/// The same for a triangle, the diagonal with it: the other one may hold anything.
void require_finite(const NdArray& x, Triangle read);

/// Whether a look at values of x waits for nothing: not where work runs later.
[[nodiscard]] bool can_look_at(const NdArray& x);

/// Matrices that LAPACK may have in the place of others, which hold NaN or infinities. On a CUDA
/// device nothing waits to know whether there are any.
class FinitePart {
 public:
  /// In the place of a matrix that is not finite: ones on the diagonal.
  static FinitePart of_matrices(const NdArray& x);
  /// In the place of a column that is not finite: zeros.
  static FinitePart of_columns(const NdArray& x);

  [[nodiscard]] const NdArray& matrices() const noexcept { return matrices_; }
  /// NaN for what was replaced, else `result`, which has `own_axes` axes beside those of the stack.
  [[nodiscard]] NdArray restore_nan(const NdArray& result, int own_axes) const;

 private:
  explicit FinitePart(const NdArray& x) : matrices_(x) {}

  NdArray matrices_;
  std::optional<NdArray> is_finite_;  ///< with axes of size 1; empty where all is finite
};

[[nodiscard]] inline std::int64_t rows_of(const NdArray& x) { return x.shape()[x.rank() - 2]; }
[[nodiscard]] inline std::int64_t columns_of(const NdArray& x) { return x.shape()[x.rank() - 1]; }
/// The shape of the stack.
[[nodiscard]] Dims stack_of(const NdArray& x);
/// `stack` with one or two more axes.
[[nodiscard]] Dims extended(const Dims& stack, std::int64_t n);
[[nodiscard]] Dims extended(const Dims& stack, std::int64_t rows, std::int64_t columns);

/// A fresh stack, dense in column-major order: what LAPACK takes.
[[nodiscard]] NdArray empty_column_major(const Dims& stack, std::int64_t rows, std::int64_t columns,
                                         Dtype type, Device device);
[[nodiscard]] NdArray copy_column_major(const NdArray& x);
/// The identity of each matrix of the stack, fresh, C-contiguous.
[[nodiscard]] NdArray identities(const Dims& stack, std::int64_t n, Dtype type, Device device);
/// A view of rows and columns from the first on.
[[nodiscard]] NdArray leading_part(const NdArray& x, std::int64_t rows, std::int64_t columns);

/// What a routine takes beside the matrices `a`; null where it takes nothing.
struct LapackArrays {
  const NdArray* b = nullptr;
  const NdArray* c = nullptr;
  const NdArray* values = nullptr;
  const NdArray* pivots = nullptr;
};

/// One LAPACK routine on every matrix of a stack. The caller sets what the routine takes beside the
/// dtype and the extents of the matrices.
class LapackCall {
 public:
  /// `a` is dense; where its matrices are in C order, their transposes are worked on.
  LapackCall(LinAlgRoutine routine, const NdArray& a);

  LinAlgRequest request{};

  /// Enqueues the work, which may overwrite all arrays. Returns the info codes.
  NdArray run(const LapackArrays& arrays);

 private:
  LinAlgRoutine routine_;
  NdArray a_;
};

/// Waits for the info codes. Throws LinAlgError where one tells of a failure, with `why` in the
/// message.
void require_success(const NdArray& info, const NdArray& x, const char* why);

}  // namespace skerry::linalg
