// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// LAPACK's routines, by the names of their real forms (ungqr and heevd are the complex ones of
/// orgqr and syevd).
enum class LinAlgRoutine : std::uint8_t {
  getrf,        ///< a, pivots: LU factors of a (rows x columns), in place
  getrs,        ///< b: solves with the factors a and pivots; of a^T where `is_transposed`
  determinant,  ///< b: determinants, c: their signs, values: logarithms, from factors and pivots
  potrf,  ///< a: Cholesky factor in place, of the upper triangle where `is_upper`, else the lower
  geqrf,  ///< a: reflectors below the diagonal and R, in place; b: their factors
  orgqr,  ///< a: the matrix of the first `reflector_count` reflectors in a, factors b, in place
  gesdd,  ///< b: U, values: singular values, c: V^H; see `vectors`
  syevd,  ///< values: eigenvalues of the lower triangle; a: eigenvectors if wanted
  geev,   ///< values: complex eigenvalues; b: complex eigenvectors if wanted
};
inline constexpr int linalg_routine_count = 9;

/// Which vectors of a singular value decomposition are wanted.
enum class SingularVectors : std::uint8_t { none, reduced, full };

/// What a routine is asked for, beside its memory: enough to say how much scratch memory its host
/// form takes. No extent is 0.
struct LinAlgRequest {
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t right_columns;    ///< of getrs
  std::int64_t reflector_count;  ///< of orgqr
  SingularVectors vectors;       ///< of gesdd
  bool is_transposed;            ///< of getrs
  bool is_upper;                 ///< of potrf
  bool wants_eigenvectors;       ///< of syevd and geev
  // Scratch memory of the host form, in items of the dtype, of the real dtype and of int32; each of
  // `slots` has its own.
  std::int64_t slots;
  std::int64_t workspace_size;
  std::int64_t real_work;
  std::int64_t integer_work;
};

/// A routine for each matrix of a stack. Matrices are dense, in column-major order, one behind the
/// other; of one floating dtype unless said otherwise.
struct LinAlgParams : LinAlgRequest {
  OutputPointer<char> a;          ///< rows x columns; may be overwritten by any routine
  OptionalOutputPointer<char> b;  ///< or, where it has right-hand sides, rows x right_columns
  OptionalOutputPointer<char> c;
  OptionalOutputPointer<char> values;          ///< of the real dtype
  OptionalOutputPointer<std::int32_t> pivots;  ///< min(rows, columns) for each, counted from 1
  OutputPointer<std::int32_t> info;  ///< one for each matrix: 0, or what LAPACK says of its failure
  WorkspacePointer<char> scratch;
};

struct LinAlgKernels {
  /// By dtype (floating ones only). Native forms of geev are of complex dtypes.
  Kernel<LinAlgParams> kernel[linalg_routine_count][dtype_count];

  [[nodiscard]] const Kernel<LinAlgParams>& kernel_of(LinAlgRoutine routine, Dtype type) const {
    return kernel[static_cast<int>(routine)][static_cast<int>(type)];
  }
  /// Why the library that native forms need can't be opened, or lacks the routine; null if all is
  /// well.
  const char* (*library_error_message)(LinAlgRoutine routine) = nullptr;
};

}  // namespace skerry
