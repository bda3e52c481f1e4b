// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "ops/linear/linalg_kernels.hpp"

namespace skerry::linalg {

/// The axis of vectors, and of the columns of matrices.
inline constexpr std::int64_t last_axis[] = {-1};

// Conversions and checks of arguments. They throw DtypeError and ShapeError that name the argument.

/// Converts integers and bools to the default real dtype, unless promotion is strict.
[[nodiscard]] NdArray as_floating(const char* argument, const NdArray& x);
/// Like as_floating, but rejects float16 and bfloat16, which LAPACK lacks.
[[nodiscard]] NdArray as_lapack_dtype(const char* argument, const NdArray& x);
void require_matrices(const char* argument, const NdArray& x);
void require_square(const char* argument, const NdArray& x);

// Non-finite matrices never reach LAPACK, whose iterations fail on them, print to the terminal or
// worse, and whose results differ between libraries.

enum class Triangle : std::uint8_t { lower, upper };

/// Waits for all elements of `x`. Throws LinAlgError for NaN and infinities, naming the matrix.
void require_finite(const NdArray& x);
/// Checks one triangle and the diagonal; the other triangle may contain anything.
void require_finite(const NdArray& x, Triangle read);

/// True if values of x can be read without waiting: false on devices with asynchronous work.
[[nodiscard]] bool can_look_at(const NdArray& x);

/// Substitutes matrices for those that contain NaN or infinities, so that LAPACK can take them. On
/// a CUDA device, this does not wait to find out whether there are any.
class FinitePart {
 public:
  /// Replaces a matrix that is not finite by one with ones on the diagonal.
  static FinitePart of_matrices(const NdArray& x);
  /// Replaces a column that is not finite by zeros.
  static FinitePart of_columns(const NdArray& x);

  [[nodiscard]] const NdArray& matrices() const noexcept { return matrices_; }
  /// Returns `result` with NaN in place of what was replaced. `own_axes`: its axes besides those of
  /// the stack.
  [[nodiscard]] NdArray restore_nan(const NdArray& result, int own_axes) const;

 private:
  explicit FinitePart(const NdArray& x) : matrices_(x) {}

  NdArray matrices_;
  std::optional<NdArray> is_finite_;  ///< with axes of extent 1; empty if everything is finite
};

[[nodiscard]] inline std::int64_t rows_of(const NdArray& x) { return x.shape()[x.rank() - 2]; }
[[nodiscard]] inline std::int64_t columns_of(const NdArray& x) { return x.shape()[x.rank() - 1]; }
/// Returns the shape of the stack.
[[nodiscard]] Dims stack_of(const NdArray& x);
/// Appends one or two axes to `stack`.
[[nodiscard]] Dims extended(const Dims& stack, std::int64_t n);
[[nodiscard]] Dims extended(const Dims& stack, std::int64_t rows, std::int64_t columns);

/// Returns a new stack, dense and column-major, as LAPACK requires.
[[nodiscard]] NdArray empty_column_major(const Dims& stack, std::int64_t rows, std::int64_t columns,
                                         Dtype type, Device device);
[[nodiscard]] NdArray copy_column_major(const NdArray& x);
/// Returns a new C-contiguous stack of identity matrices.
[[nodiscard]] NdArray identities(const Dims& stack, std::int64_t n, Dtype type, Device device);
/// Returns a view of the first rows and columns.
[[nodiscard]] NdArray leading_part(const NdArray& x, std::int64_t rows, std::int64_t columns);

/// The arrays of a routine besides the matrices `a`; null if unused.
struct LapackArrays {
  const NdArray* b = nullptr;
  const NdArray* c = nullptr;
  const NdArray* values = nullptr;
  const NdArray* pivots = nullptr;
};

/// Runs one LAPACK routine on each matrix of a stack. The caller sets the members of `request`
/// besides the extents of the matrices.
class LapackCall {
 public:
  /// `a` is dense; if its matrices are in C order, the routine works on their transposes.
  LapackCall(LinAlgRoutine routine, const NdArray& a);

  LinAlgRequest request{};

  /// Enqueues the work, which may overwrite all arrays. Returns the info codes.
  NdArray run(const LapackArrays& arrays);

 private:
  LinAlgRoutine routine_;
  NdArray a_;
};

/// Waits for the info codes. Throws LinAlgError with `why` in the message if one reports a failure.
void require_success(const NdArray& info, const NdArray& x, const char* why);

}  // namespace skerry::linalg
