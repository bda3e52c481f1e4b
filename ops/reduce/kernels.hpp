// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/call/row_range.hpp"
#include "ops/reduce/reductions.hpp"

namespace skerry {

struct BlockElements;

inline constexpr int reduction_count = ops::size_of<ops::reductions>;

/// Layout of a reduction's elements and outputs. Axes of extent 1 are dropped, the others ordered
/// (0 is the fastest in the input) and coalesced. Negative strides of reduced axes are flipped,
/// except for reductions that take the index, which have at most one reduced axis.
struct ReductionAxes {
  static constexpr int max_axes = 8;

  std::int64_t retained_size;
  std::int64_t reduced_size;  ///< 0: every output is finish(identity, ...)
  std::int32_t retained_rank;
  std::int32_t reduced_rank;
  std::int64_t retained_shape[max_axes];
  std::int64_t retained_strides[max_axes];  ///< of the input, in bytes
  std::int64_t output_strides[max_axes];    ///< per retained axis, in bytes
  std::int64_t reduced_shape[max_axes];
  std::int64_t reduced_strides[max_axes];  ///< of the input, in bytes
};

/// out[retained] = reduce(in[retained, reduced]). The output has the reduction's result dtype. A
/// RowRange counts rows along the one retained axis.
struct alignas(16) ReduceParams : RowReduction, ReductionAxes {
  double correction;
  /// Null if the elements are in memory. Otherwise, this function produces them while they are
  /// reduced, by a fused pass or a Conversion whose parameters follow these (ParamsBlock). `input`
  /// is then not a valid address (OperandList::no_memory), but offsets are relative to it.
  /// Restrictions: itemsizes up to 8, dense order, at most one retained and one reduced axis;
  /// extrema only along rows of up to tuning::feed_bytes; variances not along columns.
  void (*feed)(const BlockElements& elements);
};

/// A dense array that is converted block by block as it is reduced.
struct Conversion {
  InputPointer<char> source;
  std::int64_t from_width;
  std::int64_t to_width;
  const Kernel<Plan>* cast;
};

struct ReduceKernels {
  /// By the input's dtype. argmax and argmin of bools have a host form only. Host forms take a
  /// RowReduction.
  Kernel<ReduceParams> kernel[reduction_count][dtype_count];
  /// ReduceParams::feed for a Conversion.
  void (*convert)(const BlockElements& elements) = nullptr;
};

}  // namespace skerry
