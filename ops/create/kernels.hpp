// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/scalar.hpp"
#include "device/kernel.hpp"

namespace skerry {

/// out[i] = start + i * step for i < size, contiguous; computed in the dtype (integers) or in
/// float64 / complex128. With `has_last`, the last element is exactly `last`.
struct SequenceParams {
  char* output;
  std::int64_t size;
  Element start;  ///< int64, uint64, float64 or complex128: the widest of the dtype's kind
  Element step;
  Element last;
  bool has_last;
};

struct SequenceKernels {
  /// Parameter: SequenceParams, by dtype (not bool).
  AnyKernel kernel[dtype_count];
};

}  // namespace skerry
