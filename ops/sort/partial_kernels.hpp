// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Maximum number of ranks per launch.
inline constexpr int max_ranks = 16;

/// Partial sorting of the rows of a non-empty C-contiguous matrix. NaN is the greatest, -0 equals
/// +0.
struct PartialParams {
  InputPointer<char> input;
  OptionalOutputPointer<char> values;           ///< items of the dtype
  OptionalOutputPointer<std::int64_t> indices;  ///< indices of those items in their row
  /// `slots` blocks of partial_scratch() bytes; that many rows are processed at a time.
  WorkspacePointer<char> scratch;
  std::int64_t slots;
  std::int64_t rows;
  std::int64_t length;
  std::int32_t rank_count;
  std::int64_t ranks[max_ranks];  ///< ascending and distinct
  std::int64_t best;              ///< topk: the number of items
  bool largest;                   ///< topk: the largest items, NaN first; otherwise the smallest

  /// Limit on the length of a row.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 1};
};

/// Scratch bytes of the host form for a row of items of `width` bytes: its keys twice and, for
/// topk, the best items with their indices.
[[nodiscard]] constexpr std::int64_t partial_scratch(std::int64_t length, std::int64_t width,
                                                     std::int64_t best) {
  return (2 * length * width + 63) / 64 * 64 + best * 32;
}

struct PartialKernels {
  // By dtype (not complex).

  /// values: the items at the ranks of each row. Which of several equal items or NaNs is
  /// unspecified.
  Kernel<PartialParams> statistics[dtype_count];
  /// values or indices, for one rank: of each row first the items less than the one at the rank,
  /// then those equal to it, then the others; each group in the order of the input.
  Kernel<PartialParams> partition[dtype_count];
  /// values and indices: the first `best` items of each sorted row; equal items keep the order of
  /// the input.
  Kernel<PartialParams> topk[dtype_count];
};

}  // namespace skerry
