// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/linear/linalg_kernels.hpp"

// Compiled once for all x86-64 levels: the work is OpenBLAS's.

namespace skerry::blas {

/// Up to here, and from so many matrices on, scratch memory is planned for LU and Cholesky factors
/// of as many matrices at a time as a vector has lanes (lane_matrices.hpp).
using tuning::max_rows_in_lanes;
inline constexpr std::int64_t min_rows_in_lanes = 4;

/// Host form of LinAlgKernels::kernel; null for dtypes that are not floating.
[[nodiscard]] auto routine_of(LinAlgRoutine routine, Dtype type) noexcept
    -> void (*)(const LinAlgParams&);

/// What `determinant` finds, of matrix `i` alone.
template <class T>
void find_determinant(const LinAlgParams& p, std::int64_t i);

extern template void find_determinant<float32>(const LinAlgParams&, std::int64_t);
extern template void find_determinant<float64>(const LinAlgParams&, std::int64_t);

}  // namespace skerry::blas
