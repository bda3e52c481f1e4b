// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.hpp"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/reduce/kernels.hpp"

// How a reduction is split among threads. Free of CUDA headers, as offset.hpp is.

namespace skerry::native {

/// True if the elements of every output are contiguous.
[[nodiscard]] inline bool has_contiguous_rows(const ReductionAxes& params, std::int64_t itemsize) {
  return params.reduced_size == 1 ||
         (params.reduced_rank == 1 && params.reduced_strides[0] == itemsize);
}

/// True if the fastest axis of the input is a reduced one.
[[nodiscard]] inline bool prefers_rows(const ReductionAxes& params) {
  if (params.retained_size == 1 || params.retained_rank == 0) return true;
  if (params.reduced_size <= 1 || params.reduced_rank == 0) return false;
  const auto distance = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  return distance(params.reduced_strides[0]) <= distance(params.retained_strides[0]);
}

/// How a pass over `length` elements of each of `retained_size` outputs is split among threads.
/// Part p of an output's `parts` consists of its elements p, p + parts, p + 2 * parts, ... Threads
/// are numbered along the faster axis (`by_rows`: the parts, otherwise the outputs), so that
/// adjacent threads read adjacent elements, however few the outputs or short the rows.
struct LoopSplit {
  /// Target number of threads: with 132 multiprocessors of 1,024 or 1,536 resident threads, they
  /// end in a wave that is at least 0.86 full. A constant, not the device's, so that results are
  /// the same on every GPU.
  static constexpr std::int64_t target_threads = std::int64_t{1} << 19;
  /// Fewer elements per thread do not pay for another pass.
  static constexpr std::int64_t min_share = 32;
  /// Up to this length, one thread folds all elements of an output.
  static constexpr std::int64_t max_unsplit_length = 4 * min_share;
  /// More elements per thread lose accuracy: the error of a running sum grows with its length.
  static constexpr std::int64_t max_share = 4096;

  std::int64_t retained_size;
  std::int64_t length;
  std::int64_t parts;
  bool by_rows;
  FastDivider<std::uint64_t>
      faster;  ///< divides by the extent of the axis along which threads are numbered

  struct Share {
    std::int64_t output_index;
    std::int64_t part_index;
  };

  LoopSplit(std::int64_t outputs, std::int64_t elements, bool rows)
      : retained_size(outputs),
        length(elements),
        parts(parts_of(outputs, elements)),
        by_rows(rows),
        faster(static_cast<std::uint64_t>(rows ? parts : retained_size)) {}

  [[nodiscard]] static std::int64_t parts_of(std::int64_t retained_size, std::int64_t length) {
    if (length <= max_unsplit_length) return 1;
    const std::int64_t for_threads = (target_threads + retained_size - 1) / retained_size;
    const std::int64_t for_accuracy = (length + max_share - 1) / max_share;
    const std::int64_t max_parts = length / min_share;
    const std::int64_t target_parts = for_threads > for_accuracy ? for_threads : for_accuracy;
    return target_parts < max_parts ? target_parts : max_parts;
  }
  [[nodiscard]] std::int64_t threads() const { return retained_size * parts; }
  /// Distance, in threads, of the parts of adjacent outputs and of adjacent parts of one output.
  [[nodiscard]] std::int64_t retained_stride() const { return by_rows ? parts : 1; }
  [[nodiscard]] std::int64_t part_stride() const { return by_rows ? 1 : retained_size; }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE Share share_of(std::int64_t thread) const {
    const auto [slow, fast] = faster.divide(thread);
    return by_rows ? Share{slow, fast} : Share{fast, slow};
  }
};

}  // namespace skerry::native
