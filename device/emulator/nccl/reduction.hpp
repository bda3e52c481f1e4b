// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace skerry::emulation::nccl {

// Arithmetic of reductions. Each element is reduced in the same order of ranks, whatever the count,
// so that results have the same bits on all ranks and in every run.

inline constexpr int premultiplied_sum = 5;  ///< ncclNumOps: the first custom operation

struct Reduction {
  int type = 0;
  int operation = 0;                     ///< ncclSum to ncclAvg, or premultiplied_sum
  std::array<std::byte, 8> factor = {};  ///< of premultiplied_sum: an element
  std::vector<int> order = {};           ///< of ranks
  /// float16 and bfloat16 are rounded after each rank, as NCCL's rings do; otherwise once.
  bool rounds_partial_results = false;
};

/// Returns elements [first, first + count) of a rank, valid until its next call.
using ElementReader = std::function<const void*(int rank, std::size_t first, std::size_t count)>;

[[nodiscard]] bool can_reduce(int type) noexcept;
/// Writes elements [first, last) of the result to `output`.
void reduce_range(const Reduction& reduction, const ElementReader& elements, std::size_t first,
                  std::size_t last, void* output);

}  // namespace skerry::emulation::nccl
