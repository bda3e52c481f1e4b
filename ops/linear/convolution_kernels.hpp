// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// out[i] = the sum over k of taps[k] * x[first + i - k], of those products that there are, in the
/// order of k: every kernel gives the same bits. A complex sum is made of four real ones, which are
/// put together in the end.
struct ConvolutionParams {
  InputPointer<char> x;
  std::int64_t size;
  InputPointer<char> taps;
  std::int64_t tap_count;
  OutputPointer<char> out;
  std::int64_t first;  ///< from 0 on, and first + count < size + tap_count
  std::int64_t count;  ///< not 0
};

struct ConvolutionKernels {
  /// By dtype (not bool, and none that is only stored). Integers wrap around.
  Kernel<ConvolutionParams> kernel[dtype_count];
};

}  // namespace skerry
