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

/// Fills `out` in C order with elements of the stream, beginning at its position. With `base`, an
/// array of store_state(), the stream is the one that is stored there when the kernel runs, and the
/// position counts from the stored one. A capture needs it, as each replay draws anew. Throws
/// ReadOnlyError, DtypeError, DeviceMismatchError; ValueError in a capture without `base`.
void draw(const NdArray& out, RandomMethod method, const PhiloxState& stream,
          const RandomArguments& arguments, const NdArray* base = nullptr);

/// Stores a state in an array of three uint64, in stream order. Throws ReadOnlyError, DtypeError.
void store_state(const NdArray& out, const PhiloxState& state);

}  // namespace skerry
