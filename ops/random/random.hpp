// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "ops/random/kernels.hpp"

namespace skerry {

/// Parameters of a distribution: numbers, or C-contiguous arrays of float64 (int64 or uint64 for
/// integers) with the shape and the device of the output.
struct RandomArguments {
  double a = 0;
  double b = 0;
  const NdArray* a_each = nullptr;
  const NdArray* b_each = nullptr;
  std::uint64_t low = 0;
  std::uint64_t span = 0;
};

/// Fills `out` in C order with elements of the stream, beginning at its position. Throws
/// ReadOnlyError, DtypeError, DeviceMismatchError.
void draw(const NdArray& out, RandomMethod method, const PhiloxState& stream,
          const RandomArguments& arguments);

}  // namespace skerry
