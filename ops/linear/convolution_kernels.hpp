// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// out[i] = sum of taps[k] * x[first + i - k] over all k for which both exist. Products are added
/// in the order of k, so all kernels give the same bits. A complex sum is computed as four real
/// sums, which are combined at the end.
struct ConvolutionParams {
  InputPointer<char> x;
  std::int64_t size;
  InputPointer<char> taps;
  std::int64_t tap_count;
  OutputPointer<char> out;
  std::int64_t first;  ///< at least 0, and first + count < size + tap_count
  std::int64_t count;  ///< at least 1
};

struct ConvolutionKernels {
  /// By dtype (not bool, nor storage-only dtypes). Integers wrap around.
  Kernel<ConvolutionParams> kernel[dtype_count];
};

}  // namespace skerry
