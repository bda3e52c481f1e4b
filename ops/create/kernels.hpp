// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/scalar.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// out[i] = start + i * step for i < size, contiguous; computed in the dtype (integers) or in
/// float64 / complex128. With `has_last`, the last element is exactly `last`.
struct SequenceParams {
  OutputPointer<char> output;
  std::int64_t size;
  Element start;  ///< int64, uint64, float64 or complex128: the widest of the dtype's kind
  Element step;
  Element last;
  bool has_last;
};

struct SequenceKernels {
  /// By dtype (not bool).
  Kernel<SequenceParams> kernel[dtype_count];
};

}  // namespace skerry
