// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/linear/linalg_kernels.hpp"

// OpenBLAS as the front ends see it. It is opened at first use, so that neither building nor
// loading skerry needs it. The calls of its functions are in cpu/.

namespace skerry::blas {

/// Sets the file to open, which precedes SKERRY_OPENBLAS and the loader's search. No effect once a
/// library is open.
void set_library(const char* path);
/// Opens the library if needed. Throws LibraryError with the remedy.
void require();

/// Sets `workspace_size`, `real_work` and `integer_work` to what the host form of the routine
/// needs, and returns the bytes per slot. The library must be open.
std::int64_t plan_scratch(LinAlgRoutine routine, Dtype type, LinAlgRequest& request);

}  // namespace skerry::blas
