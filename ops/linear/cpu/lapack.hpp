// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/linear/linalg_kernels.hpp"

// Compiled once for all levels, since OpenBLAS does the work.

namespace skerry::blas {

/// Scratch memory for factorizations in lanes (lane_matrices.hpp) is planned for stacks of at least
/// min_rows_in_lanes matrices with at most max_rows_in_lanes rows.
using tuning::max_rows_in_lanes;
inline constexpr std::int64_t min_rows_in_lanes = 4;

/// Returns the host form of LinAlgKernels::kernel; null for dtypes that are not floating.
[[nodiscard]] auto routine_of(LinAlgRoutine routine, Dtype type) noexcept
    -> void (*)(const LinAlgParams&);

/// Runs LinAlgRoutine::determinant on matrix `i` only.
template <class T>
void find_determinant(const LinAlgParams& p, std::int64_t i);

extern template void find_determinant<float32>(const LinAlgParams&, std::int64_t);
extern template void find_determinant<float64>(const LinAlgParams&, std::int64_t);

}  // namespace skerry::blas
