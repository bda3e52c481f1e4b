// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Ranks that one launch finds.
inline constexpr int max_ranks = 16;

/// What a row is ordered for without being sorted: NaN is the greatest, -0 equal to +0. The rows
/// are those of a C-contiguous matrix that is not empty.
struct PartialParams {
  InputPointer<char> input;
  OptionalOutputPointer<char> values;           ///< items of the dtype
  OptionalOutputPointer<std::int64_t> indices;  ///< of those items in their row
  /// `slots` pieces of partial_scratch() bytes; as many rows are worked on at a time.
  WorkspacePointer<char> scratch;
  std::int64_t slots;
  std::int64_t rows;
  std::int64_t length;
  std::int32_t rank_count;
  std::int64_t ranks[max_ranks];  ///< ascending and distinct
  std::int64_t best;              ///< of topk: how many
  bool largest;                   ///< of topk: the greatest items, NaN first; else the least

  /// Of a row.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 1};
};

/// Bytes that the host form needs for a row of items of `width` bytes: its keys twice, and for topk
/// the best with their indices.
[[nodiscard]] constexpr std::int64_t partial_scratch(std::int64_t length, std::int64_t width,
                                                     std::int64_t best) {
  return (2 * length * width + 63) / 64 * 64 + best * 32;
}

struct PartialKernels {
  // By dtype (not complex).

  /// values: for each row the items of the ranks; any of those that are equal, and of NaNs.
  Kernel<PartialParams> statistics[dtype_count];
  /// values or indices: of each row first the items that are less than the one of the rank, then
  /// those equal to it, then the others, and each of these groups in the order of the input. Of one
  /// rank.
  Kernel<PartialParams> partition[dtype_count];
  /// values and indices: of each row the `best` first ones in the order, sorted, equal ones in the
  /// order of the input.
  Kernel<PartialParams> topk[dtype_count];
};

}  // namespace skerry
