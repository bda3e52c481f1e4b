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

/// How a reduction's elements and its outputs lie. Axes are without size-1 ones, ordered (0 fastest
/// in the input), coalesced; negative strides of reduced ones turned round, except where the
/// reduction takes the index, and has one reduced axis at most.
struct ReductionAxes {
  static constexpr int max_axes = 8;

  std::int64_t retained_size;
  std::int64_t reduced_size;  ///< 0: every output is finish(identity, ...)
  std::int32_t retained_rank;
  std::int32_t reduced_rank;
  std::int64_t retained_shape[max_axes];
  std::int64_t retained_strides[max_axes];  ///< of the input, bytes
  std::int64_t output_strides[max_axes];    ///< per kept axis, bytes
  std::int64_t reduced_shape[max_axes];
  std::int64_t reduced_strides[max_axes];  ///< of the input, bytes
};

/// out[kept] = reduce(in[kept, reduced]). The output has elements of the reduction's result dtype.
/// Ranges of rows: of one kept axis.
struct alignas(16) ReduceParams : RowReduction, ReductionAxes {
  double correction;
  /// Null: the elements are in memory. Else they are made when they are reduced, by this function
  /// of a pass or a Conversion, whose parameters stand behind these (ParamsBlock). `input` is no
  /// address then (OperandList::no_memory), but bytes are counted from it. Only of itemsizes up to
  /// 8, in dense order, one axis of each kind at most; extrema along rows of up to
  /// tuning::feed_bytes, variances not along columns.
  void (*feed)(const BlockElements& elements);
};

/// A dense array that is converted when it is reduced, piece by piece.
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
  /// ReduceParams::feed of a Conversion.
  void (*convert)(const BlockElements& elements) = nullptr;
};

}  // namespace skerry
