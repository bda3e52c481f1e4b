// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"

// BLAS and LAPACK by OpenBLAS, opened at first use: neither the build nor loading the library needs
// it. Compiled once for all x86-64 levels: OpenBLAS chooses its own kernels.

namespace skerry::blas {

/// The file to open, ahead of SKERRY_OPENBLAS and of the loader's own search; no effect once a
/// library is open.
void set_library(const char* path);
/// Opens the library unless it is open. Throws library_error that names `op` and the remedy.
void require(const char* op);

/// Host form of matmul_kernels::loop for the floating dtypes.
template <class T>
void multiply(const void* params);

extern template void multiply<float32>(const void*);
extern template void multiply<float64>(const void*);
extern template void multiply<complex64>(const void*);
extern template void multiply<complex128>(const void*);

}  // namespace skerry::blas
