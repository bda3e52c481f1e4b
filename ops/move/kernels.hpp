// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"

// Kernels that move items without looking at them, and those that convert them.

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

/// Each of some rows of bytes with its end moved to its front; the output is another array.
struct RotateParams {
  OutputPointer<char> output;
  InputPointer<char> input;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t shift_bytes;  ///< in [0, row_bytes)
};

struct MovesKernels {
  /// {to, from}, by size class. `from` may be an element by value: that is a fill.
  Kernel<Plan> copy[5];
  /// {out, condition (bool), x1, x2}, by size class.
  Kernel<Plan> where_kernel[5];
  /// By size class. Host forms only: a GPU writes parts of lines well.
  Kernel<InterleaveParams> interleave[5];
  Kernel<BandParams> band;
  /// A host form only, as of `interleave`.
  Kernel<RotateParams> rotate;
};

struct CastKernels {
  /// {to, from}, by [from][to]. None from complex to real, nor from a dtype to itself on CUDA. NaN
  /// or out-of-range floats to integers give what the hardware gives, without a trap; float to bool
  /// is x != 0.
  Kernel<Plan> kernel[dtype_count][dtype_count];
};

}  // namespace skerry
