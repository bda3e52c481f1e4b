// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"
#include "core/launch.hpp"
#include "core/plan.hpp"
#include "ops/elementwise.hpp"
#include "ops/reduction.hpp"

namespace skerry {

inline constexpr int unary_count = ops::size_of<ops::unary_ops>;
inline constexpr int binary_count = ops::size_of<ops::binary_ops>;
inline constexpr int ternary_count = ops::size_of<ops::ternary_ops>;
/// Elementwise operations are numbered: unary ones first, then binary, then ternary, each in the
/// order of its list.
inline constexpr int elementwise_count = unary_count + binary_count + ternary_count;
inline constexpr int reduction_count = ops::size_of<ops::reductions>;

/// Index of item sizes 1, 2, 4, 8, 16 in the tables of kernels that only move bytes.
[[nodiscard]] constexpr int size_class(std::int64_t itemsize) {
  return itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : itemsize == 8 ? 3 : 4;
}

/// Every kernel there is. A null entry: the operation has no loop for that dtype. Filled by one
/// function per back end (ops/kernels/cpu for `host`, the CUDA module for `native`).
struct kernel_table {
  /// Parameter: plan; output first. All inputs of the row's dtype, the output of the operation's
  /// result dtype.
  kernel elementwise[elementwise_count][dtype_count];
  /// Parameter: plan {to, from}, by [from][to]. None from complex to real. NaN or out-of-range
  /// floats to integers give what the hardware gives, without a trap; float to bool is x != 0.
  kernel cast[dtype_count][dtype_count];
  /// Parameter: plan {to, from}, by size class. `from` may be an element by value: that is a fill.
  kernel copy[5];
  /// Parameter: plan {out, condition (bool), x1, x2}, by size class.
  kernel where[5];
  /// Parameter: reduce_params, by the input's dtype.
  kernel reduce[reduction_count][dtype_count];
  /// Parameter: sequence_params, by dtype (not bool).
  kernel sequence[dtype_count];
  /// Parameter: band_params.
  kernel band;
};

/// out[kept] = reduce(in[kept, reduced]). Axes are without size-1 ones, ordered (0 fastest in the
/// input), coalesced.
struct reduce_params {
  static constexpr int max_axes = 8;

  const char* input;
  char* output;  ///< elements of the reduction's result dtype
  std::int64_t kept_size;
  std::int64_t reduced_size;  ///< 0: every output is finish(identity, 0)
  std::int32_t kept_rank;
  std::int32_t reduced_rank;
  std::int64_t kept_shape[max_axes];
  std::int64_t kept_strides[max_axes];    ///< of the input, bytes
  std::int64_t output_strides[max_axes];  ///< per kept axis, bytes
  std::int64_t reduced_shape[max_axes];
  std::int64_t reduced_strides[max_axes];  ///< of the input, bytes
};

/// out[i] = start + i * step for i < size, contiguous; computed in the dtype (integers) or in
/// float64 / complex128. With `has_last`, the last element is exactly `last`.
struct sequence_params {
  char* output;
  std::int64_t size;
  element start;  ///< int64, uint64, float64 or complex128: the widest of the dtype's kind
  element step;
  element last;
  bool has_last;
};

/// out[i, j] = lower <= j - i <= upper: a C-contiguous bool matrix.
struct band_params {
  char* output;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t lower;
  std::int64_t upper;
};

}  // namespace skerry
