// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/linear/linalg_kernels.hpp"

// OpenBLAS as front ends see it: opened at first use, so that neither the build nor loading skerry
// needs it. What calls its functions is in cpu/.

namespace skerry::blas {

/// The file to open, ahead of SKERRY_OPENBLAS and of the loader's own search; no effect once a
/// library is open.
void set_library(const char* path);
/// Opens the library unless it is open. Throws LibraryError with the remedy.
void require();

/// Sets `workspace_size`, `real_work`, `integer_work` to what the host form of the routine needs,
/// and returns the bytes for one slot. The library is open.
std::int64_t plan_scratch(LinAlgRoutine routine, Dtype type, LinAlgRequest& request);

}  // namespace skerry::blas
