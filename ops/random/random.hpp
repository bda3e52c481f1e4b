// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "ops/random/kernels.hpp"

namespace skerry {

/// Parameters of a distribution: numbers, or arrays of float64 (int64 or uint64 for integers) that
/// are C-contiguous, of the shape of the output, and on its device.
struct random_arguments {
  double a = 0;
  double b = 0;
  const ndarray* a_each = nullptr;
  const ndarray* b_each = nullptr;
  std::uint64_t low = 0;
  std::uint64_t span = 0;
};

/// Fills `out` with elements, in C order, of the stream from its position on. Throws
/// read_only_error, dtype_error, device_mismatch_error.
void draw(const ndarray& out, random_method method, const random_stream& from,
          const random_arguments& with);

}  // namespace skerry
