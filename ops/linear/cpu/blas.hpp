// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/linear/matmul_kernels.hpp"

// Matrix products by OpenBLAS, which is opened at first use: neither building nor loading skerry
// needs it. Compiled once for all levels, since OpenBLAS selects its own kernels.

namespace skerry::blas {

/// Host form of MatmulKernels::kernel for the floating dtypes.
template <class T>
void multiply(const MatmulParams& params);

extern template void multiply<float32>(const MatmulParams&);
extern template void multiply<float64>(const MatmulParams&);
extern template void multiply<complex64>(const MatmulParams&);
extern template void multiply<complex128>(const MatmulParams&);

}  // namespace skerry::blas
