// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/linear/linalg_kernels.hpp"

// Compiled once for all x86-64 levels: the work is OpenBLAS's.

namespace skerry::blas {

/// Up to here, and from so many matrices on, scratch memory is planned for LU and Cholesky factors
/// of as many matrices at a time as a vector has lanes (lane_matrices.hpp).
inline constexpr std::int64_t max_rows_in_lanes = 32;
inline constexpr std::int64_t min_rows_in_lanes = 4;

/// Host form of LinAlgKernels::loop; null for dtypes that are not floating.
[[nodiscard]] auto routine_of(LinAlgRoutine routine, Dtype type) noexcept -> void (*)(const void*);

}  // namespace skerry::blas
