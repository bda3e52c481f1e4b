// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"

// Kernels that move items by size, and those that convert between dtypes.

namespace skerry {

/// out[i, j] = lower <= j - i <= upper: a C-contiguous bool matrix.
struct BandParams {
  OutputPointer<char> output;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t lower;
  std::int64_t upper;
};

/// out[i * count + k] = parts[k][i] for i < size: contiguous items.
struct InterleaveParams {
  static constexpr int max_parts = 8;

  OutputPointer<char> output;
  OptionalInputPointer<char> parts[max_parts];  ///< null from `count` on
  std::int64_t count;
  std::int64_t size;
};

/// Rotates each row of bytes: its end moves to its front. The output does not overlap the input.
struct RotateParams {
  OutputPointer<char> output;
  InputPointer<char> input;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t shift_bytes;  ///< in [0, row_bytes)
};

struct MovesKernels {
  /// {destination, source}, by size class. The source may be an element by value: a fill.
  Kernel<Plan> copy[5];
  /// {out, condition (bool), x1, x2}, by size class.
  Kernel<Plan> where_kernel[5];
  /// By size class. Host form only: GPUs write parts of a cache line efficiently, so they copy one
  /// array after the other.
  Kernel<InterleaveParams> interleave[5];
  Kernel<BandParams> band;
  /// Host form only, like `interleave`.
  Kernel<RotateParams> rotate;
};

struct CastKernels {
  /// {destination, source}, by [from][to]. None from complex to real, nor on CUDA from a dtype to
  /// itself. NaN and out-of-range floats convert to integers as the hardware does, without a trap;
  /// float to bool is x != 0.
  Kernel<Plan> kernel[dtype_count][dtype_count];
};

}  // namespace skerry
