// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.hpp"
#include "ops/bins/kernels.hpp"
#include "ops/create/kernels.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/fourier/kernels.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/linear/convolution_kernels.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/linear/matmul_kernels.hpp"
#include "ops/move/kernels.hpp"
#include "ops/random/kernels.hpp"
#include "ops/reduce/kernels.hpp"
#include "ops/scan/kernels.hpp"
#include "ops/select/kernels.hpp"
#include "ops/select/scatter_kernels.hpp"
#include "ops/sort/kernels.hpp"
#include "ops/sort/partial_kernels.hpp"
#include "ops/sort/set_kernels.hpp"

/// X(member of the table, its type) for each family.
#define SKERRY_FOR_EACH_FAMILY(X)         \
  X(elementwise, ElementwiseKernels)      \
  X(bins, BinsKernels)                    \
  X(cast, CastKernels)                    \
  X(convolution, ConvolutionKernels)      \
  X(fft, FftKernels)                      \
  X(fuse, FuseKernels)                    \
  X(linalg, LinAlgKernels)                \
  X(matmul, MatmulKernels)                \
  X(index, IndexKernels)                  \
  X(moves, MovesKernels)                  \
  X(partial, PartialKernels)              \
  X(random, RandomKernels)                \
  X(reduce, ReduceKernels)                \
  X(scan, ScanKernels)                    \
  X(scatter_reduce, ScatterReduceKernels) \
  X(sequence, SequenceKernels)            \
  X(set, SetKernels)                      \
  X(sort, SortKernels)

namespace skerry {

/// All kernels, by family. A family `f` has a header with its parameters and `struct FKernels`, an
/// entry `f` here, and units in the folders `cpu` and `cuda` next to the header, which the
/// CMakeLists.txt there lists. A null kernel means that the dtype has no loop. CPU units set the
/// `host` members of kernels, units of the CUDA module the `native` members.
struct KernelTable {
#define SKERRY_MEMBER(family, Kernels) Kernels family;
  SKERRY_FOR_EACH_FAMILY(SKERRY_MEMBER)
#undef SKERRY_MEMBER
};

/// All families, for code that fills the table and for tests; front ends use ops/call/kernels.hpp.
[[nodiscard]] const KernelTable& kernels() noexcept;
[[nodiscard]] const KernelTable& kernels(Device device) noexcept;

/// Sets the functions that recognize parameters that cuBLAS, cuSOLVER and cuFFT, as native forms
/// call them, reject or misread.
void fill_unsupported_reasons(KernelTable& table) noexcept;

}  // namespace skerry
