// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// LAPACK routines by the names of their real forms (ungqr and heevd are the complex forms of orgqr
/// and syevd).
enum class LinAlgRoutine : std::uint8_t {
  getrf,        ///< a, pivots: LU factors of a (rows x columns), in place
  getrs,        ///< b: solves with factors a and pivots; with a^T if `is_transposed`
  determinant,  ///< b: determinants, c: their signs, values: logarithms, from factors and pivots
  potrf,  ///< a: Cholesky factor in place, of the upper triangle if `is_upper`, else the lower
  geqrf,  ///< a: reflectors below the diagonal and R, in place; b: their factors
  orgqr,  ///< a: product of the first `reflector_count` reflectors in a, factors in b; in place
  gesdd,  ///< b: U, values: singular values, c: V^H; see `vectors`
  syevd,  ///< values: eigenvalues of the lower triangle; a: eigenvectors if requested
  geev,   ///< values: complex eigenvalues; b: complex eigenvectors if requested
};
inline constexpr int linalg_routine_count = 9;

/// Which singular vectors to compute.
enum class SingularVectors : std::uint8_t { none, reduced, full };

/// Arguments of a routine except its memory: enough to determine the scratch memory of its host
/// form. No extent is 0.
struct LinAlgRequest {
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t right_columns;    ///< for getrs
  std::int64_t reflector_count;  ///< for orgqr
  SingularVectors vectors;       ///< for gesdd
  bool is_transposed;            ///< for getrs
  bool is_upper;                 ///< for potrf
  bool wants_eigenvectors;       ///< for syevd and geev
  // Scratch memory of the host form, in items of the dtype, of the real dtype and of int32, for
  // each of `slots`.
  std::int64_t slots;
  std::int64_t workspace_size;
  std::int64_t real_work;
  std::int64_t integer_work;
};

/// Arguments of a routine that runs on each matrix of a stack. Matrices are dense, column-major and
/// contiguous, of one floating dtype unless noted.
struct LinAlgParams : LinAlgRequest {
  OutputPointer<char> a;          ///< rows x columns; any routine may overwrite it
  OptionalOutputPointer<char> b;  ///< or right-hand sides: rows x right_columns
  OptionalOutputPointer<char> c;
  OptionalOutputPointer<char> values;          ///< of the real dtype
  OptionalOutputPointer<std::int32_t> pivots;  ///< min(rows, columns) per matrix, counted from 1
  OutputPointer<std::int32_t> info;            ///< one per matrix: 0, or LAPACK's failure code
  WorkspacePointer<char> scratch;
};

struct LinAlgKernels {
  /// By dtype (floating ones only). Native forms of geev exist for complex dtypes only.
  Kernel<LinAlgParams> kernel[linalg_routine_count][dtype_count];

  [[nodiscard]] const Kernel<LinAlgParams>& kernel_of(LinAlgRoutine routine, Dtype type) const {
    return kernel[static_cast<int>(routine)][static_cast<int>(type)];
  }
  /// Returns why the library of the native forms cannot be opened or lacks the routine; null if it
  /// is available.
  const char* (*library_error_message)(LinAlgRoutine routine) = nullptr;
};

}  // namespace skerry
