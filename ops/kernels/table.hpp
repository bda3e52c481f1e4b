// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/elementwise.hpp"
#include "ops/kernels/fft.hpp"
#include "ops/kernels/index.hpp"
#include "ops/kernels/linalg.hpp"
#include "ops/kernels/matmul.hpp"
#include "ops/kernels/moves.hpp"
#include "ops/kernels/reduce.hpp"
#include "ops/kernels/scan.hpp"
#include "ops/kernels/sequence.hpp"
#include "ops/kernels/set.hpp"
#include "ops/kernels/sort.hpp"

namespace skerry {

/// Every kernel there is, by family. A family `f` is a header `ops/kernels/f.hpp` with its
/// parameters and `struct f_kernels`, a member `f` here, and units `f.*` in `ops/kernels/cpu` and
/// `ops/kernels/cuda`, which the build finds by their names. A null entry: there is no loop for
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
