// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/linear/linalg_kernels.hpp"

// Compiled once for all x86-64 levels: the work is OpenBLAS's.

namespace skerry::blas {

/// Host form of linalg_kernels::loop; null for dtypes that are not floating.
[[nodiscard]] auto routine_of(linalg_routine routine, dtype type) noexcept -> void (*)(const void*);

}  // namespace skerry::blas
