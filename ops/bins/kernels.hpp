// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Counts how often each number below `bins` occurs, or sums the weights of its occurrences.
/// Ignores numbers below 0 and from `bins` on.
struct BincountParams {
  InputPointer<std::int64_t> numbers;
  std::int64_t size;
  OptionalInputPointer<double> weights;  ///< null: count occurrences
  std::int64_t bins;                     ///< at least 1
  OutputPointer<void> output;            ///< int64 counts, or float64 sums
  /// The outputs of all parts of the numbers but the first, which counts into `output`.
  WorkspacePointer<char> scratch;
  std::int64_t parts;

  /// With weights, numbers are sorted as 32-bit keys.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 2};
};

/// Counts the items in each bin: in [edges[i], edges[i + 1]), the last bin including its upper
/// edge. Items outside, and NaN, are ignored.
struct HistogramParams {
  InputPointer<char> items;
  std::int64_t size;
  InputPointer<char> edges;  ///< bins + 1 in ascending order, in the dtype of the items
  std::int64_t bins;         ///< from 1 to 2^31 - 1
  bool uniform;              ///< bins are about equally wide, so that the bin can be estimated:
  double first, scale;       ///< (item - first) * scale
  OutputPointer<std::int64_t> output;
  WorkspacePointer<char> scratch;  ///< see BincountParams
  std::int64_t parts;
};

/// Returns the number of parts that several threads count separately. It does not depend on the
/// number of threads, and neither do sums of weights.
[[nodiscard]] constexpr std::int64_t count_parts(std::int64_t size, std::int64_t bins) {
  constexpr std::int64_t max_parts = 16;
  return std::clamp<std::int64_t>(size / std::max<std::int64_t>(4 * bins, 1 << 16), 1, max_parts);
}

struct BinsKernels {
  Kernel<BincountParams> bincount;
  Kernel<HistogramParams> histogram[dtype_count];  ///< by real floating dtype
};

}  // namespace skerry
