// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// How often each number below `bins` occurs, or the sum of the weights of its occurrences. Numbers
/// below 0 and from `bins` on are left out.
struct BincountParams {
  InputPointer<std::int64_t> numbers;
  std::int64_t size;
  OptionalInputPointer<double> weights;  ///< null: occurrences are counted
  std::int64_t bins;                     ///< at least 1
  OutputPointer<void> output;            ///< int64, or the float64 sums
  /// `parts - 1` further outputs: each part of the numbers has its own.
  WorkspacePointer<char> scratch;
  std::int64_t parts;

  /// With weights, whose numbers are sorted as 32 bits.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 2};
};

/// How many items are in each bin: in [edges[i], edges[i + 1]), the last bin with its upper edge.
/// Items outside, and NaN, are in none.
struct HistogramParams {
  InputPointer<char> items;
  std::int64_t size;
  InputPointer<char> edges;  ///< of the dtype of the items; bins + 1, which never decrease
  std::int64_t bins;         ///< from 1 to 2^31 - 1
  bool uniform;              ///< all bins are about as wide, so that the bin can be estimated:
  double first, scale;       ///< (item - first) * scale
  OutputPointer<std::int64_t> output;
  WorkspacePointer<char> scratch;  ///< as of BincountParams
  std::int64_t parts;
};

/// Into how many parts items are cut that are counted by several threads. Not their number decides,
/// so that sums of weights are the same for any.
[[nodiscard]] constexpr std::int64_t count_parts(std::int64_t size, std::int64_t bins) {
  constexpr std::int64_t max_parts = 16;
  return std::clamp<std::int64_t>(size / std::max<std::int64_t>(4 * bins, 1 << 16), 1, max_parts);
}

struct BinsKernels {
  Kernel<BincountParams> bincount;
  Kernel<HistogramParams> histogram[dtype_count];  ///< by real floating dtype
};

}  // namespace skerry
