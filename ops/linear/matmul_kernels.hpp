// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.hpp"
#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// out[i] = x1[i] @ x2[i] for a stack of matrices of one dtype: m x k times k x n. The output is
/// C-contiguous. Strides are in bytes.
struct MatmulParams {
  static constexpr int max_axes = 8;

  /// Leaves the other members uninitialized; axes of the stack need to be set up to batch_rank.
  MatmulParams(InputPointer<char> first, InputPointer<char> second,
               OutputPointer<char> product) noexcept
      : x1(first), x2(second), out(product) {}

  InputPointer<char> x1;
  InputPointer<char> x2;
  OutputPointer<char> out;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;  ///< 0: the output is zeros
  std::int64_t x1_row;
  std::int64_t x1_column;
  std::int64_t x2_row;
  std::int64_t x2_column;
  std::int64_t batch;  ///< matrices in the stack
  std::int32_t batch_rank;
  std::int64_t batch_shape[max_axes];
  std::int64_t x1_batch[max_axes];
  std::int64_t x2_batch[max_axes];

  static constexpr NativeLimits native_limits{.complex_alignment = true};
};

/// Byte offsets of a pair of matrices from the first pair of the stacks.
struct StackOffsets {
  std::int64_t x1;
  std::int64_t x2;
};
[[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr StackOffsets stack_offsets(std::int64_t index,
                                                                           const MatmulParams& p) {
  StackOffsets offsets{0, 0};
  for (int axis = 0; axis < p.batch_rank; ++axis) {
    const std::int64_t i = index % p.batch_shape[axis];
    index /= p.batch_shape[axis];
    offsets.x1 += i * p.x1_batch[axis];
    offsets.x2 += i * p.x2_batch[axis];
  }
  return offsets;
}

/// A matrix of rows x columns as BLAS sees it: `leading` items between rows, or between columns if
/// `transposed`; 0 if it needs a copy.
struct BlasLayout {
  std::int64_t leading;
  bool transposed;
};
[[nodiscard]] constexpr BlasLayout blas_layout_of(std::int64_t rows, std::int64_t columns,
                                                  std::int64_t row, std::int64_t column,
                                                  std::int64_t itemsize) {
  const auto reaches = [&](std::int64_t stride, std::int64_t extent) {
    return stride % itemsize == 0 && stride >= extent * itemsize;
  };
  const std::int64_t min_leading = columns > 1 ? columns : 1;
  if (column == itemsize || columns == 1) {
    if (rows == 1) return {min_leading, false};
    if (reaches(row, min_leading)) return {row / itemsize, false};
  }
  if (row == itemsize || rows == 1) {
    if (columns == 1) return {rows > 1 ? rows : 1, true};
    if (reaches(column, rows > 1 ? rows : 1)) return {column / itemsize, true};
  }
  return {0, false};
}

struct MatmulKernels {
  /// By dtype (not bool). Floating dtypes take operands that blas_layout_of() accepts, integers
  /// any; integers wrap around. Stored-only dtypes are accumulated in float32 and have no host
  /// form.
  Kernel<MatmulParams> kernel[dtype_count];
  /// For m = n = 1 and any strides, by dtype; a complex x1 is conjugated. Stored-only dtypes
  /// are accumulated in float32. For bools, host form only: true if any product is.
  Kernel<MatmulParams> dot[dtype_count];
  /// Returns why the library of the native forms for floating dtypes cannot be opened; null if it
  /// can.
  const char* (*library_error_message)() = nullptr;
};

}  // namespace skerry
