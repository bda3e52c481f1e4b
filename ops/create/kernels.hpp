// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/scalar.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// out[i] = start + i * step for i < size; `output` is contiguous. Integers wrap around; other
/// dtypes are computed in float64 or complex128. If `has_last`, the last element is exactly `last`.
struct SequenceParams {
  OutputPointer<char> output;
  std::int64_t size;
  Element start;  ///< in the widest dtype of the output's kind: (u)int64, float64, complex128
  Element step;
  Element last;
  bool has_last;
};

struct SequenceKernels {
  /// Indexed by dtype; none for bool.
  Kernel<SequenceParams> kernel[dtype_count];
};

}  // namespace skerry
