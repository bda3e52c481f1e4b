// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/create/kernels.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/fourier/kernels.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/linear/matmul_kernels.hpp"
#include "ops/move/kernels.hpp"
#include "ops/reduce/kernels.hpp"
#include "ops/scan/kernels.hpp"
#include "ops/select/kernels.hpp"
#include "ops/sort/kernels.hpp"
#include "ops/sort/set_kernels.hpp"

namespace skerry {

/// Every kernel there is, by family. A family `f` has a header with its parameters and
/// `struct f_kernels`, a member `f` here, and units `f.*` in `cpu` and `cuda` beside the header,
/// which the build finds by their names. A null entry: there is no loop for
/// that dtype. CPU units set `host` members, units of the CUDA module `native` ones.
struct kernel_table {
  elementwise_kernels elementwise;
  fft_kernels fft;
  linalg_kernels linalg;
  matmul_kernels matmul;
  index_kernels index;
  moves_kernels moves;
  reduce_kernels reduce;
  scan_kernels scan;
  sequence_kernels sequence;
  set_kernels set;
  sort_kernels sort;
};

}  // namespace skerry
