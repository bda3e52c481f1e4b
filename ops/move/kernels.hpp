// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/plan.hpp"
#include "device/kernel.hpp"

// Kernels that move items without looking at them, and those that convert them.

namespace skerry {

/// out[i, j] = lower <= j - i <= upper: a C-contiguous bool matrix.
struct BandParams {
  char* output;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t lower;
  std::int64_t upper;
};

/// out[i * count + k] = parts[k][i] for i < size: contiguous items.
struct InterleaveParams {
  static constexpr int max_parts = 8;

  char* output;
  const char* parts[max_parts];
  std::int64_t count;
  std::int64_t size;
};

/// Each of some rows of bytes with its end moved to its front; the output is another array.
struct RotateParams {
  char* output;
  const char* input;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t shift_bytes;  ///< in [0, row_bytes)
};

struct MovesKernels {
  /// Parameter: plan {to, from}, by size class. `from` may be an element by value: that is a fill.
  AnyKernel copy[5];
  /// Parameter: plan {out, condition (bool), x1, x2}, by size class.
  AnyKernel where_kernel[5];
  /// Parameter: InterleaveParams, by size class. Host forms only: a GPU writes parts of lines
  /// well.
  AnyKernel interleave[5];
  /// Parameter: BandParams.
  AnyKernel band;
  /// Parameter: RotateParams. A host form only, as of `interleave`.
  AnyKernel rotate;
};

struct CastKernels {
  /// Parameter: plan {to, from}, by [from][to]. None from complex to real, nor from a dtype to
  /// itself on CUDA. NaN or out-of-range floats to integers give what the hardware gives, without a
  /// trap; float to bool is x != 0.
  AnyKernel kernel[dtype_count][dtype_count];
};

}  // namespace skerry
