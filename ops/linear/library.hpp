// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/linear/linalg_kernels.hpp"

// The front ends' interface to OpenBLAS, which is opened at first use: neither building nor loading
// skerry needs it. Its functions are called in cpu/.

namespace skerry::blas {

/// Sets the library file to open, which takes precedence over SKERRY_OPENBLAS and the loader's
/// search path. Has no effect once a library is open.
void set_library(const char* path);
/// Opens the library if needed. Throws LibraryError, whose message says how to install or name one.
void require();

/// Sets `workspace_size`, `real_work` and `integer_work` to what the host form of the routine
/// needs, and returns the bytes per slot. The library must be open.
std::int64_t plan_scratch(LinAlgRoutine routine, Dtype type, LinAlgRequest& request);

}  // namespace skerry::blas
